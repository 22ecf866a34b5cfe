import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  appendItem,
  removeValue,
  setMember,
} from '../../../src/text/edit-json.ts';
import { isObject } from '../../../src/text/json.ts';
import { repetitions } from '../../support/repetitions.ts';

type Path = (string | number)[];

type Document = { text: string; json: unknown };

const BOM = '\uFEFF';
/** No numbers: an object of JavaScript has those first, wherever they stand in the text. */
const keys = fc.oneof(
  fc.constantFrom(
    'hooks',
    'env',
    '',
    '__proto__',
    'constructor',
    'a "b", {c: d}',
    'ä\n',
  ),
  fc.string({ maxLength: 5 }).filter((key) => !/^\d+$/.test(key)),
);
const { anyJson, anyContainer } = fc.letrec<{
  anyJson: unknown;
  anyContainer: unknown;
}>((tie) => ({
  anyJson: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.oneof(
      fc.boolean(),
      fc.integer(),
      fc.double({ noNaN: true }),
      fc.constant(null),
    ),
    fc.oneof(
      fc.string({ maxLength: 5 }),
      fc.constantFrom('// no', '[,]', '\\', '\u2028'),
    ),
    tie('anyContainer'),
  ),
  anyContainer: fc.oneof(
    fc.array(tie('anyJson'), { maxLength: 4 }),
    fc
      .array(fc.tuple(keys, tie('anyJson')), { maxLength: 4 })
      .map(Object.fromEntries),
  ),
}));

/** With white space wherever the grammar allows it. */
function anyWildText(json: unknown): fc.Arbitrary<string> {
  const space = fc.constantFrom(
    '',
    '',
    ' ',
    '\n',
    '\r\n',
    '\t',
    '\n  ',
    '\r\n\t',
    ' \n    ',
  );
  return fc
    .tuple(
      fc.array(space, { minLength: 1, maxLength: 12 }),
      fc.constantFrom('', BOM),
    )
    .map(([spaces, mark]) => {
      let at = 0;
      const gap = (): string => spaces[(at += 1) % spaces.length] ?? '';
      const write = (value: unknown): string => {
        if (Array.isArray(value))
          return `${gap()}[${value.map(write).join(',') || gap()}]${gap()}`;
        if (!isObject(value)) return `${gap()}${JSON.stringify(value)}${gap()}`;
        const members = Object.entries(value).map(
          ([key, member]) =>
            `${gap()}${JSON.stringify(key)}${gap()}:${write(member)}${gap()}`,
        );
        return `${gap()}{${members.join(',') || gap()}}${gap()}`;
      };
      return mark + write(json);
    });
}

const regularLayout = fc.record({
  unit: fc.constantFrom('  ', '    ', '\t', ' '),
  eol: fc.constantFrom('\n', '\r\n'),
  mark: fc.constantFrom('', BOM),
  end: fc.boolean(),
});

function regularText(
  json: unknown,
  {
    unit,
    eol,
    mark,
    end,
  }: { unit: string; eol: string; mark: string; end: boolean },
): string {
  return `${mark}${JSON.stringify(json, null, unit).replaceAll('\n', eol)}${end ? eol : ''}`;
}

function anyDocument(): fc.Arbitrary<Document> {
  return anyContainer.chain((json) =>
    fc
      .oneof(
        anyWildText(json),
        regularLayout.map((layout) => regularText(json, layout)),
        fc.constant(JSON.stringify(json)),
      )
      .map((text) => ({ text, json: parsed(text) })),
  );
}

function parsed(text: string): unknown {
  return JSON.parse(text.startsWith(BOM) ? text.slice(1) : text);
}

function isFilled(json: unknown): boolean {
  return placesIn(json).length > 1;
}

/** Every place of a document, the outermost first. */
function placesIn(
  json: unknown,
  path: Path = [],
): { path: Path; value: unknown }[] {
  const inside = Array.isArray(json)
    ? json.map((value, index): [number, unknown] => [index, value])
    : isObject(json)
      ? Object.entries(json)
      : [];
  return [
    { path, value: json },
    ...inside.flatMap(([key, value]) => placesIn(value, [...path, key])),
  ];
}

/** What one would get by the same edit of the parsed document. */
function edited(
  json: unknown,
  [key, ...rest]: Path,
  edit: (value: unknown) => unknown,
): unknown {
  if (key === undefined) return edit(json);
  if (Array.isArray(json)) {
    return json.map((item, index) =>
      index === key ? edited(item, rest, edit) : item,
    );
  }
  if (!isObject(json)) throw new Error(`there is no ${key}`);
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [
      name,
      name === key ? edited(value, rest, edit) : value,
    ]),
  );
}

function without(json: unknown, path: Path): unknown {
  return edited(json, path.slice(0, -1), (value) =>
    Array.isArray(value)
      ? value.filter((_, index) => index !== path.at(-1))
      : Object.fromEntries(
          Object.entries(isObject(value) ? value : {}).filter(
            ([name]) => name !== path.at(-1),
          ),
        ),
  );
}

type Edit = (
  document: Document,
) => { text: string; json: unknown; path: Path } | null;

const anyInsertion: fc.Arbitrary<Edit> = fc
  .tuple(fc.nat(), keys, anyJson)
  .map(([pick, key, value]) => ({ text, json }) => {
    const containers = placesIn(json).filter(
      (place) => Array.isArray(place.value) || isObject(place.value),
    );
    const place = containers[pick % containers.length];
    if (place === undefined) return null;
    const { path } = place;
    if (Array.isArray(place.value)) {
      return {
        text: appendItem(text, path, value),
        json: edited(json, path, (list) => [
          ...(Array.isArray(list) ? list : []),
          value,
        ]),
        path: [...path, place.value.length],
      };
    }
    return {
      text: setMember(text, path, key, value),
      json: edited(json, path, (object) =>
        Object.fromEntries(
          new Map([
            ...Object.entries(isObject(object) ? object : {}),
            [key, value],
          ]),
        ),
      ),
      path: [...path, key],
    };
  });

const anyRemoval: fc.Arbitrary<Edit> = fc
  .nat()
  .map((pick) => ({ text, json }) => {
    const places = placesIn(json).slice(1);
    const place = places[pick % places.length];
    if (place === undefined) return null;
    const { path } = place;
    return { text: removeValue(text, path), json: without(json, path), path };
  });

const anyReplacement: fc.Arbitrary<Edit> = fc
  .tuple(fc.nat(), anyJson)
  .map(([pick, value]) => ({ text, json }) => {
    const places = placesIn(json).filter(
      ({ path }) => typeof path.at(-1) === 'string',
    );
    const { path = [] } = places[pick % places.length] ?? {};
    const key = String(path.at(-1));
    const member = (): string => setMember(text, path.slice(0, -1), key, value);
    return path.length === 0
      ? null
      : { text: member(), json: edited(json, path, () => value), path };
  });

const anyEdit = fc.oneof(anyInsertion, anyRemoval, anyReplacement);

test('an edit of the text gives what the same edit of the parsed document gives, in any layout', () => {
  fc.assert(
    fc.property(anyDocument(), anyEdit, (document, edit) => {
      const result = edit(document);
      fc.pre(result !== null);
      expect(JSON.stringify(parsed(result.text))).toBe(
        JSON.stringify(result.json),
      );
      expect(result.text.startsWith(BOM)).toBe(document.text.startsWith(BOM));
    }),
    { numRuns: repetitions(400) },
  );
});

test('what was put beside something else and taken out again leaves the same bytes', () => {
  fc.assert(
    fc.property(anyDocument(), anyInsertion, (document, insert) => {
      const inserted = insert(document);
      fc.pre(inserted !== null);
      const { path } = inserted;
      const places = placesIn(document.json);
      const isThere = (wanted: Path): boolean =>
        places.some(
          (place) => JSON.stringify(place.path) === JSON.stringify(wanted),
        );
      const isEmptyContainer = !places.some(
        (place) =>
          place.path.length === path.length &&
          JSON.stringify(place.path.slice(0, -1)) ===
            JSON.stringify(path.slice(0, -1)),
      );
      fc.pre(!isThere(path) && !isEmptyContainer);
      expect(removeValue(inserted.text, path)).toBe(document.text);
    }),
    { numRuns: repetitions(300) },
  );
});

test('a document that was laid out regularly is so after the edit', () => {
  fc.assert(
    fc.property(
      anyContainer.filter(isFilled),
      regularLayout,
      anyEdit,
      (json, layout, edit) => {
        const text = regularText(json, layout);
        const result = edit({ text, json: parsed(text) });
        fc.pre(result !== null);
        expect(result.text).toBe(regularText(result.json, layout));
      },
    ),
    { numRuns: repetitions(300) },
  );
});
