import { describeJsonSyntax } from '../errors/text-defects.ts';
import { HoldfastError } from '../errors/holdfast-error.ts';
import { strictJsonProblem } from '../util/strict-json.ts';

/** A file that the client cannot read is refused, not repaired. An empty file counts as an empty object. */
export function parseStrictJson(path: string, text: string | null): unknown {
  if (isBlank(text)) return {};
  const problem = strictJsonProblem(text);
  if (problem === null) return JSON.parse(unmarked(text));
  throw new HoldfastError(
    'settings_not_json',
    `${path}:${problem.line}: not strict JSON (${describeJsonSyntax(problem.why)}), so Claude Code ignores the whole file`,
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

/** The text to edit: an object even if there is no file, or an empty one. */
export function editable(text: string | null): string {
  return isBlank(text) ? (text === null ? '{}\n' : '{}') : text;
}

export function isEmptyObject(text: string): boolean {
  return /^\{\s*\}$/.test(unmarked(text).trim());
}

export function isBlank(text: string | null | undefined): text is null | undefined | '' {
  return text === null || text === undefined || unmarked(text).trim() === '';
}

/** Without a byte order mark. */
export function unmarked(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
