import type { ExpectedInRun } from '../../errors/expected.ts';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { isObject } from '../../util/json.ts';

/**
 * What a value in a state file must be: of a kind; a whole number, at least this one; one of these texts; a list, with at
 * least one entry if it says so; an object with these fields. A field with `?` may be absent, `*` stands for all fields,
 * and other fields may have any value.
 */
export type Shape =
  | 'text'
  | 'boolean'
  | 'scalar'
  | 'anything'
  | number
  | ReadonlySet<string>
  | readonly [Shape, 'filled'?]
  | Fields;

interface Fields {
  readonly [name: string]: Shape;
}

const TYPES = {
  text: ['string'],
  boolean: ['boolean'],
  scalar: ['string', 'number', 'boolean'],
};

/** Throws unless the value fits; `field` is its path, such as `template.steps[2].id`. */
export function requireShape(shape: Shape, value: unknown, field: string): void {
  const require = (fits: boolean, expected: ExpectedInRun): void => {
    if (!fits) throw brokenRunError(field, expected);
  };
  if (shape === 'anything') return;
  if (typeof shape === 'string') {
    require(TYPES[shape].includes(typeof value), { kind: shape });
  } else if (typeof shape === 'number') {
    const fits = typeof value === 'number' && Number.isSafeInteger(value) && value >= shape;
    require(fits, { kind: 'whole_number', min: shape });
  } else if (shape instanceof Set) {
    require(shape.has(value), { kind: 'one_of', values: [...shape] });
  } else if (isList(shape)) {
    const [entry, filled] = shape;
    const list: unknown[] = Array.isArray(value) ? value : [];
    const isFilled = filled === undefined || list.length > 0;
    require(Array.isArray(value) && isFilled, {
      kind: filled === undefined ? 'list' : 'filled_list',
    });
    for (const [index, part] of list.entries()) requireShape(entry, part, `${field}[${index}]`);
  } else {
    const object = isObject(value) ? value : {};
    require(isObject(value), { kind: 'object' });
    for (const [key, part] of Object.entries(shape))
      for (const name of key === '*' ? Object.keys(object) : [key.replace('?', '')]) {
        const given = Object.hasOwn(object, name) ? object[name] : undefined;
        if (given !== undefined || !key.endsWith('?'))
          requireShape(part, given, `${field}.${name}`);
      }
  }
}

function isList(shape: Shape): shape is readonly [Shape, 'filled'?] {
  return Array.isArray(shape);
}

export function brokenRunError(field: string, expected: ExpectedInRun): HoldfastError {
  return new HoldfastError({ code: 'broken_run', field, expected });
}
