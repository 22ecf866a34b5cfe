import { asWord } from './sanitize.ts';

export type Problem = { line: number; message: string };

export type FileProblem = Problem & { file: string };

const MAX_PROBLEMS = 20;

export function sortedProblems(problems: readonly Problem[]): Problem[] {
  const unique = new Map(
    problems.map((problem) => [JSON.stringify(problem), problem]),
  );
  return [...unique.values()]
    .toSorted((a, b) => a.line - b.line)
    .slice(0, MAX_PROBLEMS);
}

export const lineAt = (text: string, offset: number): number =>
  text.slice(0, offset).split('\n').length;

export type Path = readonly (string | number)[];
export type LineOf = (path: Path) => number;

export function listed(names: readonly string[]): string {
  const shown = names.slice(0, 12).map((name) => asWord(name, 80));
  return [...shown, ...(names.length > shown.length ? ['…'] : [])].join(', ');
}
