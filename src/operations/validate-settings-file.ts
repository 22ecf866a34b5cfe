import { jsonProblem } from '../errors/json-problem.ts';
import type { Problem } from '../errors/problems.ts';
import { schemaErrors } from '../settings/schema-errors.ts';
import { schema } from '../settings/settings-schema.generated.ts';
import { lineFinder, valueProblem } from './validate-state-file.ts';

export function checkSettingsFile(text: string): Problem[] {
  const syntax = jsonProblem(text);
  if (syntax !== undefined) return [syntax];
  const lineOf = lineFinder(text);
  return schemaErrors(schema, JSON.parse(text))
    .map((error) => valueProblem(error, lineOf))
    .toSorted((a, b) => a.line - b.line);
}
