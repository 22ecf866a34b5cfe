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

/** As much of JSON Schema as the schema of the settings uses. */
export interface Schema {
  type?: string;
  enum?: readonly unknown[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
  required?: readonly string[];
  properties?: Readonly<Record<string, Schema>>;
  additionalProperties?: boolean;
  items?: Schema;
  maxItems?: number;
  $ref?: string;
  definitions?: Readonly<Record<string, Schema>>;
}

/**
 * What in a value does not fit. The validator that ajv would generate is a tenth of what hooks may load, and they load
 * it at every call; this one is compared with ajv in a test.
 */
export function schemaErrors(root: Schema, value: unknown): SchemaError[] {
  const check = (given: Schema, part: unknown, path: string[]): SchemaError[] => {
    const schema = resolved(root, given);
    const error = (keyword: keyof Schema): SchemaError => ({
      path,
      keyword,
      expected: schema[keyword],
      given: part,
    });
    if (schema.type !== undefined && !isOfType(part, schema.type)) return [error('type')];
    return [
      ...(schema.enum !== undefined && !schema.enum.includes(part) ? [error('enum')] : []),
      ...(typeof part === 'string' && !fits(part, schema.pattern) ? [error('pattern')] : []),
      ...(typeof part === 'number' && part < (schema.minimum ?? part) ? [error('minimum')] : []),
      ...(typeof part === 'number' && part > (schema.maximum ?? part) ? [error('maximum')] : []),
      ...(isObject(part) ? membersOf(schema, part, path) : []),
      ...(Array.isArray(part) ? itemsOf(schema, part, path) : []),
    ];
  };
  const membersOf = (schema: Schema, object: object, path: string[]): SchemaError[] => [
    ...(schema.required ?? []).flatMap((key) =>
      Object.hasOwn(object, key)
        ? []
        : [{ path: [...path, key], keyword: 'required', expected: undefined }],
    ),
    ...Object.entries(object).flatMap(([key, member]) => {
      const known = Object.hasOwn(schema.properties ?? {}, key)
        ? schema.properties?.[key]
        : undefined;
      if (known !== undefined) return check(known, member, [...path, key]);
      return schema.additionalProperties === false
        ? [{ path: [...path, key], keyword: 'additionalProperties', expected: false }]
        : [];
    }),
  ];
  const itemsOf = (schema: Schema, list: unknown[], path: string[]): SchemaError[] => {
    const { items, maxItems = list.length } = schema;
    return [
      ...(list.length > maxItems ? [{ path, keyword: 'maxItems', expected: maxItems }] : []),
      ...(items === undefined
        ? []
        : list.flatMap((item, index) => check(items, item, [...path, String(index)]))),
    ];
  };
  return check(root, value, []);
}

function resolved({ definitions }: Schema, schema: Schema): Schema {
  const name = schema.$ref?.replace('#/definitions/', '');
  return name === undefined ? schema : (definitions?.[name] ?? schema);
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function fits(text: string, pattern: string | undefined): boolean {
  return pattern === undefined || new RegExp(pattern, 'u').test(text);
}
