import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { isObject } from '../../src/text/json.ts';
import { sandbox, type Result, type Sandbox } from './cli.ts';
import { hook, preCompact, sessionStart } from './hooks.ts';
import { onlyRun, stateFiles, writeTree } from './state.ts';

const WORKFLOWS = '.claude/holdfast/workflows';

/**
 * Plays the lines of a story in a new project, through the built program:
 *
 *     $ start --template flow        a command in a terminal, which must exit 0
 *     s1$ tasks items < A\nB         a command in session s1, with standard input
 *     s1 compacts                    also `starts`, `resumes`, `ends` and `clears as s2`: the hooks of the client
 *     write docs/a.md some text      also `delete docs/a.md`, and `edit {"status": "paused"}` for the only state file
 *
 * and what has to follow each of them:
 *
 *     > text     printed; … matches anything within a line
 *     - text     not printed
 *     ~ text     on standard error, although the command succeeded
 *     ! text     on standard error of a command that failed; `!2 text` with exit code 2
 *     = phase.current 2     in the state file of the only run, as JSON; without a value: absent
 */
export function story(text: string, files: Record<string, string> = {}): Sandbox {
  const tree = Object.entries(files).map(([path, content]) =>
    // A name without an extension is that of a template.
    /[./]/.test(path) ? [path, content] : [`${WORKFLOWS}/${path}.yaml`, content],
  );
  const box = sandbox(Object.fromEntries(tree));
  for (const { typed, expected } of turnsOf(text)) {
    const done = perform(box, typed);
    const shown = `${typed}\n${done.stdout}${done.stderr}`;
    expect(done.code, shown).toBe(exitCodeIn(expected));
    for (const line of expected) check(box, done, line, shown);
  }
  return box;
}

function exitCodeIn(expected: readonly string[]): number {
  const failure = expected.find((line) => line.startsWith('!'));
  return failure === undefined ? 0 : Number(/^!(\d?)/.exec(failure)?.[1]) || 1;
}

function turnsOf(text: string): { typed: string; expected: string[] }[] {
  const turns: { typed: string; expected: string[] }[] = [];
  for (const raw of text.split('\n')) {
    const line = raw.trim();
    if (/^(?:[>~=-]|!\d?)(?: |$)/.test(line)) turns.at(-1)?.expected.push(line);
    else if (line !== '') turns.push({ typed: line, expected: [] });
  }
  return turns;
}

function perform(box: Sandbox, typed: string): Result {
  const [, who = '', command] = /^(\w*)\$ ?(.*)$/.exec(typed) ?? [];
  if (command !== undefined) {
    const [words = '', input = ''] = command.split(' < ');
    return box.run(wordsOf(words), {
      ...(who === '' ? {} : { session: who }),
      // The story says what it has to be.
      code: 'any',
      input: unescaped(input),
    });
  }
  const [first = '', verb = '', ...rest] = typed.split(' ');
  const done: Result = { code: 0, stdout: '', stderr: '' };
  if (first === 'write') writeTree(box.root, { [verb]: unescaped(rest.join(' ')) });
  else if (first === 'delete') rmSync(join(box.root, verb), { recursive: true });
  else if (first === 'edit') edit(box, JSON.parse(typed.slice('edit '.length)));
  else return seen(box, first, verb, rest[1] ?? '');
  return done;
}

function seen(box: Sandbox, session: string, verb: string, next: string): Result {
  const given = (who: string, source: string): Result => {
    const { context, ...reply } = sessionStart(box, who, source);
    return { ...reply, stdout: context };
  };
  if (verb === 'compacts') {
    expect(preCompact(box, session).code).toBe(0);
    return given(session, 'compact');
  }
  if (verb === 'starts') return given(session, 'startup');
  if (verb === 'resumes') return given(session, 'resume');
  if (verb === 'ends') return hook(box, 'sessionend-other', { session_id: session });
  if (verb !== 'clears') throw new Error(`${session} cannot do this: ${verb}`);
  expect(hook(box, 'sessionend-clear', { session_id: session }).code).toBe(0);
  return given(next, 'clear');
}

function edit({ root }: Sandbox, fields: object): void {
  const [path = ''] = stateFiles(root);
  writeFileSync(join(root, path), JSON.stringify({ ...onlyRun(root), ...fields }, null, 2));
}

const unescaped = (text: string): string => text.replaceAll(String.raw`\n`, '\n');

/** Words as a shell splits them; quotes of either kind keep a word together. */
function wordsOf(text: string): string[] {
  const pieces = text.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? [];
  return pieces.map((piece) => piece.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}

function check({ root }: Sandbox, { stdout, stderr }: Result, line: string, shown: string): void {
  const [, sign = '', text = ''] = /^(\S+) ?(.*)$/.exec(line) ?? [];
  if (sign === '=') {
    const [path = '', ...value] = text.split(' ');
    const wanted: unknown = value.length === 0 ? undefined : JSON.parse(value.join(' '));
    expect(valueAt(onlyRun(root), path), `${shown}\n${line}`).toEqual(wanted);
    return;
  }
  const parts = text
    .split('…')
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  const pattern = new RegExp(parts.join('.*'));
  if (sign === '-') expect(stdout, shown).not.toMatch(pattern);
  else expect(sign === '>' ? stdout : stderr, shown).toMatch(pattern);
}

function valueAt(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (at, key) => (Array.isArray(at) ? at[Number(key)] : isObject(at) ? at[key] : undefined),
      value,
    );
}
