import { unreachable } from '../util/unreachable.ts';
import type { Refusal } from './refusal.ts';
import { describeSchemaError, type SchemaError } from './schema-errors.ts';

/** What is wrong with the settings, or with artifacts that a template or a run declares in the same form. */
export type SettingsProblem =
  | { kind: 'refused'; why: Refusal }
  | { kind: 'too_complex' | 'not_an_object' }
  | { kind: 'not_json'; parser: string }
  | { kind: 'unknown_key'; name: string }
  | { kind: 'bad_value'; name: string; error: SchemaError; lost: 'value' | 'artifact' | 'entry' };

export interface SettingsWarning {
  code: 'settings_problems';
  file: string;
  problems: readonly SettingsProblem[];
}

/** Sentences that name the file. */
export function describeSettingsFile(file: string, problems: readonly SettingsProblem[]): string[] {
  const sentences = problems.map((problem) =>
    problem.kind === 'refused'
      ? `${file} ${describeProblem(problem)}`
      : `${file}: ${describeProblem(problem)}`,
  );
  return [...new Set(sentences)];
}

/** Two artifacts of the same id can have the same problem, which is described once. */
export function describeSettingsProblems(problems: readonly SettingsProblem[]): string[] {
  return [...new Set(problems.map(describeProblem))];
}

function describeProblem(problem: SettingsProblem): string {
  switch (problem.kind) {
    case 'refused':
      return `was not read: ${problem.why}; the defaults are used`;
    case 'too_complex':
      return 'too large or too deeply nested; using defaults';
    case 'not_json':
      return `it is not JSON (${problem.parser}); the defaults are used`;
    case 'not_an_object':
      return 'it must be a JSON object; the defaults are used';
    case 'unknown_key':
      return `unknown key "${problem.name}"; it is ignored`;
    case 'bad_value':
      return `"${problem.name}" ${describeSchemaError(problem.error)}; ${CONSEQUENCES[problem.lost]}`;
    default:
      return unreachable(problem);
  }
}

const CONSEQUENCES = {
  value: 'the default is used',
  artifact: 'this artifact is left out',
  entry: 'it is left out',
};
