import { isObject } from '../text/json.ts';

/** A value that does not match its schema. */
export interface SchemaError {
  /** The path to the value, with the missing or unknown key at its end. */
  path: string[];
  keyword: string;
  /** What the schema has under that keyword. */
  expected: unknown;
  /** The value itself. */
  given?: unknown;
}

/**
 * As much of JSON Schema as the schema of the settings uses. Every object is closed; `properties`, `items` and `pattern`
 * tell the type.
 */
export interface Schema {
  type?: string;
  enum?: readonly unknown[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
  required?: readonly string[];
  properties?: Readonly<Record<string, Schema>>;
  items?: Schema;
  maxItems?: number;
}

/**
 * What in a value does not fit. The validator that ajv would generate is a tenth of what hooks may load, and they load
 * it at every call; this one is compared with ajv in a test.
 */
export function schemaErrors(schema: Schema, given: unknown, path: string[] = []): SchemaError[] {
  const { enum: values, pattern, minimum, maximum, required = [], properties, items } = schema;
  const errors: SchemaError[] = [];
  const add = (keyword: string, expected: unknown): void => {
    errors.push({ path, keyword, expected, given });
  };
  const type = properties ? 'object' : items ? 'array' : pattern ? 'string' : schema.type;
  if (type !== undefined && type !== typeOf(given)) add('type', type);
  else if (properties && isObject(given)) {
    for (const key of required) if (!Object.hasOwn(given, key)) addKey(key, 'required');
    for (const [key, member] of Object.entries(given)) {
      const known = Object.hasOwn(properties, key) && properties[key];
      if (known) errors.push(...schemaErrors(known, member, [...path, key]));
      else addKey(key, 'additionalProperties');
    }
  } else if (items && Array.isArray(given)) {
    const { maxItems = given.length } = schema;
    if (given.length > maxItems) add('maxItems', maxItems);
    for (const [index, item] of given.entries())
      errors.push(...schemaErrors(items, item, [...path, String(index)]));
  } else if (typeof given === 'string') {
    if (pattern && !new RegExp(pattern, 'u').test(given)) add('pattern', pattern);
  } else if (typeof given === 'number') {
    if (given < (minimum ?? given)) add('minimum', minimum);
    if (given > (maximum ?? given)) add('maximum', maximum);
  }
  if (values && !values.includes(given)) add('enum', values);
  return errors;

  function addKey(key: string, keyword: string): void {
    errors.push({ path: [...path, key], keyword, expected: undefined });
  }
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : value === null ? 'null' : typeof value;
}
