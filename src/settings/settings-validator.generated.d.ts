// Generated from schemas/settings.schema.json by `npm run generate`.
import type { Validator } from './schema-error.ts';

declare const validate: Validator;
export default validate;
