import { HoldfastError } from '../../errors/holdfast-error.ts';
import { strictJsonProblem } from '../../util/strict-json.ts';
import { unmarked } from './settings-hooks.ts';

/** A file that the client cannot read is refused, not repaired. */
export function requireStrictJson(path: string, text: string | null): void {
  const problem = isBlank(text) ? null : strictJsonProblem(text);
  if (problem === null) return;
  const { line, why } = problem;
  throw new HoldfastError({ code: 'settings_not_json', path, line, why });
}

export function isBlank(text: string | null | undefined): text is null | undefined | '' {
  return text === null || text === undefined || unmarked(text).trim() === '';
}
