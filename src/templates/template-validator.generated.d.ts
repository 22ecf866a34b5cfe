// Generated from schemas/template.schema.json by `npm run generate`.
export interface ValidationError {
  instancePath: string;
  keyword: string;
  params: Record<string, unknown>;
  message?: string;
}
declare const validate: { (data: unknown): boolean; errors?: ValidationError[] | null };
export default validate;
