export interface SchemaTarget {
  schema: string;
  folder: string;
  name: string;
  parts?: string[];
  isTypesOnly?: boolean;
}
export const SCHEMAS: SchemaTarget[];
export function readSchema(target: SchemaTarget): object;
