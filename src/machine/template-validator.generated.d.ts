// Generated from schemas/template.schema.json by `npm run generate`.
import type { Validator } from '../settings/schema-error.ts';

declare const validate: Validator;
export default validate;
