import { HoldfastError } from '../../text/holdfast-error.ts';
import { isObject } from '../../text/json.ts';

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
  text: { types: ['string'], name: 'text' },
  boolean: { types: ['boolean'], name: 'true or false' },
  scalar: { types: ['string', 'number', 'boolean'], name: 'text, a number, true or false' },
};

/** Throws unless the value fits; `field` is its path, such as `template.steps[2].id`. */
export function requireShape(shape: Shape, value: unknown, field: string): void {
  const require = (fits: boolean, expected: string): void => {
    if (!fits) throw new BrokenRun(field, expected);
  };
  if (shape === 'anything') return;
  if (typeof shape === 'string') {
    require(TYPES[shape].types.includes(typeof value), TYPES[shape].name);
  } else if (typeof shape === 'number') {
    const fits = typeof value === 'number' && Number.isSafeInteger(value) && value >= shape;
    require(fits, `a whole number, at least ${shape}`);
  } else if (shape instanceof Set) {
    require(shape.has(value), `one of ${[...shape].join(', ')}`);
  } else if (isList(shape)) {
    const [entry, filled] = shape;
    const list: unknown[] = Array.isArray(value) ? value : [];
    const isFilled = filled === undefined || list.length > 0;
    require(Array.isArray(value) && isFilled, filled === undefined
      ? 'a list'
      : 'a list that is not empty');
    for (const [index, part] of list.entries()) requireShape(entry, part, `${field}[${index}]`);
  } else {
    const object = isObject(value) ? value : {};
    require(isObject(value), 'an object');
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

/** A field of a state file that does not fit the template beside it; `expected` ends a sentence: "must be …". */
export class BrokenRun extends HoldfastError {
  constructor(
    readonly field: string,
    readonly expected: string,
  ) {
    super('broken_run', `the state of this run is broken: ${field} must be ${expected}`, {
      hint: 'correct it in the state file; `holdfast show <run>` prints its path',
    });
  }
}
