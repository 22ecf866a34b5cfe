import { schemaErrors } from '../settings/schema-errors.ts';
import { schema } from '../settings/settings-schema.generated.ts';
import { jsonProblem } from '../util/strict-json.ts';
import type { Problem } from '../util/problem.ts';
import { lineFinder, pathInFile, schemaSentence } from './validate-state-file.ts';

export function checkSettingsFile(text: string): Problem[] {
  const syntax = jsonProblem(text);
  if (syntax !== undefined) return [syntax];
  const lineOf = lineFinder(text);
  return schemaErrors(schema, JSON.parse(text))
    .map((error) => ({ line: lineOf(pathInFile(error)), message: schemaSentence(error) }))
    .toSorted((a, b) => a.line - b.line);
}
