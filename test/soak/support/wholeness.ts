import { existsSync, readFileSync, rmSync } from 'node:fs';
import type { Box, Call } from './box.ts';
import {
  filesIn,
  isExpendable,
  isGrowing,
  isPassing,
  withoutTimes,
  type Files,
} from './files.ts';

/** What a command does to the files when nothing goes wrong. */
export interface Course {
  /** How many calls could go wrong, and which of them write. */
  calls: string[];
  /** Everything that stood at a path in the course of it; null where there was no such file at some time. */
  versions: ReadonlyMap<string, ReadonlySet<string | null>>;
}

export async function courseOf(
  box: Box,
  call: Call,
  code?: string,
): Promise<Course> {
  const before = filesIn(box.tree);
  const out = `${box.base}/record.jsonl`;
  rmSync(out, { force: true });
  const fault = { kind: 'record' as const, out, ...(code && { code }) };
  await box.run(call, fault);
  const lines = readLines(out);
  const versions = new Map<string, Set<string | null>>();
  const add = (path: string, content: string | null): void => {
    versions.set(path, (versions.get(path) ?? new Set()).add(content));
  };
  for (const { path, content } of lines) {
    const name = withoutTimes(path);
    if (!before.has(name)) add(name, null);
    add(name, content === null ? null : withoutTimes(content));
  }
  const after = filesIn(box.tree);
  for (const [path, text] of before) {
    add(path, text);
    if (!after.has(path)) add(path, null);
  }
  for (const [path, text] of after) add(path, text);
  return { calls: lines.map(({ name }) => name), versions };
}

const entriesOf = (text: string | null): string[] =>
  Object.entries(JSON.parse(text ?? '{}').sources ?? {}).map((entry) =>
    JSON.stringify(entry),
  );

/** What is neither old nor new, torn, lost, or of unknown origin. */
export function damageIn(
  tree: string,
  before: Files,
  { versions }: Course,
): string[] {
  const now = filesIn(tree);
  const wrong = [...now].flatMap(([path, text]) => {
    if (isPassing(path) || isExpendable(path)) return [];
    // Git takes it without its line end as well, and one that was made and not filled is filled by the next writer.
    if (path.endsWith('/.gitignore') && '*'.startsWith(text)) return [];
    if (isGrowing(path))
      return growthDamage(path, text, before.get(path) ?? '');
    if (path.endsWith('.json') && !isJson(text))
      return [`${path} is torn: ${text.slice(0, 80)}`];
    // What hooks note of each other, and of their sessions, has the times of their calls in it.
    if (/\/holdfast\/(?:projects|sessions)\/[^/]+\.json$/.test(path)) return [];
    const known = [...(versions.get(path) ?? [])];
    // A source that could not be read keeps its entry, while the others get theirs.
    const isKnown = path.endsWith('/sources.json')
      ? entriesOf(text).every((entry) =>
          known.flatMap(entriesOf).includes(entry),
        ) &&
        known.some((each) => entriesOf(each).length <= entriesOf(text).length)
      : known.includes(text);
    return isKnown
      ? []
      : [`${path} is neither old nor new: ${text.slice(0, 200)}`];
  });
  const lost = [...before.keys()].filter(
    (path) =>
      !now.has(path) &&
      !isPassing(path) &&
      versions.get(path)?.has(null) !== true,
  );
  return [...wrong, ...lost.map((path) => `${path} is gone`)];
}

function growthDamage(path: string, text: string, before: string): string[] {
  if (!text.startsWith(before)) return [`${path} lost what it had`];
  const whole = path.endsWith('.jsonl') ? text.split('\n').slice(0, -1) : [];
  return whole
    .filter((line) => !isJson(line))
    .map((line) => `${path} has a torn line: ${line}`);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function readLines(
  path: string,
): { name: string; path: string; content: string | null }[] {
  // None where nothing was written.
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
