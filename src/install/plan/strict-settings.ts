import { HoldfastError } from '../../errors/holdfast-error.ts';
import { strictJsonProblem } from '../../util/strict-json.ts';
import { unmarked } from './settings-hooks.ts';

/** A file that the client cannot read is refused, not repaired. */
export function requireStrictJson(path: string, text: string | null): void {
  const problem = isBlank(text) ? null : strictJsonProblem(text);
  if (problem === null) return;
  const { line, why } = problem;
  throw new HoldfastError(
    'settings_not_json',
    `${path}:${line}: not strict JSON (${why}), so Claude Code ignores the whole file`,
    { hint: 'correct that line, then try again; nothing was changed' },
  );
}

export function misshapen(path: string, part: string): HoldfastError {
  return new HoldfastError(
    'settings_misshapen',
    `${path}: ${part} is not in the format Claude Code expects`,
    { hint: 'correct it, then try again; nothing was changed' },
  );
}

export function isBlank(text: string | null | undefined): text is null | undefined | '' {
  return text === null || text === undefined || unmarked(text).trim() === '';
}
