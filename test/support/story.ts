import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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
 *     s1 prompts                     also `reads docs/a.md`, `reads docs/a.md 1 400 601` (from line 1, 400 of 601), `edits`
 *     write docs/a.md some text      also `delete docs/a.md`, and for the only state file `edit {"status": "paused"}` and
 *                                    `set machine.step "gone"`; without a value: absent
 *
 * and what has to follow each of them:
 *
 *     > text     printed; … matches anything within a line, \n a line end
 *     / regex    printed, too
 *     - text     not printed
 *     nothing    printed, or `unchanged`: no state file was written
 *     @ run.status "paused"   in the JSON that was printed; of an object some fields; without a value: null or absent
 *     ~ text     on standard error, although the command succeeded
 *     ! text     on standard error of a command that failed; `!2 text` with exit code 2
 *     = phase.current 2     in the state file of the only run, as JSON; without a value: absent
 */
export function story(
  text: string,
  files: Record<string, string> = {},
): Sandbox {
  const box = sandbox(treeOf(files));
  for (const { typed, expected } of turnsOf(text)) {
    const before = statesIn(box);
    const done = perform(box, typed);
    const shown = `${typed}\n${done.stdout}${done.stderr}`;
    expect(done.code, shown).toBe(exitCodeIn(expected));
    for (const line of expected) {
      if (line === 'nothing') expect(done.stdout, shown).toBe('');
      else if (line === 'unchanged')
        expect(statesIn(box), shown).toEqual(before);
      else check(box, done, line, shown);
    }
  }
  return box;
}

/** A test for each story of a book, whose titles stand in lines that begin with `# `. */
export function stories(
  about: string,
  book: string,
  files: Record<string, string> = {},
): void {
  for (const part of book.split(/^\s*# /m).slice(1)) {
    const [title = '', ...lines] = part.split('\n');
    test(`${about} ${title}`.trim(), () => void story(lines.join('\n'), files));
  }
}

/** The line of a story that writes these files. */
export const using = (files: Record<string, string>): string =>
  `files ${JSON.stringify(files)}`;

/** A name without an extension is that of a template. */
const treeOf = (files: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(files).map(([path, content]) => [
      /[./]/.test(path) ? path : `${WORKFLOWS}/${path}.yaml`,
      content,
    ]),
  );

const statesIn = ({ root }: Sandbox): string[] =>
  stateFiles(root).map((path) => readFileSync(join(root, path), 'utf8'));

function exitCodeIn(expected: readonly string[]): number {
  const failure = expected.find((line) => line.startsWith('!'));
  return failure === undefined ? 0 : Number(/^!(\d?)/.exec(failure)?.[1]) || 1;
}

function turnsOf(text: string): { typed: string; expected: string[] }[] {
  const turns: { typed: string; expected: string[] }[] = [];
  for (const raw of text.split('\n')) {
    const line = raw.trim();
    if (/^(?:[>~=/@-]|!\d?)(?: |$)|^(?:nothing|unchanged)$/.test(line))
      turns.at(-1)?.expected.push(line);
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
  if (first === 'write')
    writeTree(box.root, { [verb]: unescaped(rest.join(' ')) });
  else if (first === 'files')
    writeTree(box.root, treeOf(JSON.parse(typed.slice('files '.length))));
  else if (first === 'delete')
    rmSync(join(box.root, verb), { recursive: true });
  else if (first === 'edit') edit(box, JSON.parse(typed.slice('edit '.length)));
  else if (first === 'set')
    edit(
      box,
      Object(withValue(onlyRun(box.root), verb.split('.'), jsonIn(rest))),
    );
  else return seen(box, first, verb, rest);
  return done;
}

function seen(
  box: Sandbox,
  session: string,
  verb: string,
  rest: string[],
): Result {
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
  const own = { session_id: session };
  if (verb === 'ends') return hook(box, 'sessionend-other', own);
  if (verb === 'prompts') return unwrapped(hook(box, 'userpromptsubmit', own));
  if (verb === 'edits') {
    calls += 1;
    const call = {
      tool_name: 'Edit',
      tool_input: {},
      tool_use_id: `call-${calls}`,
    };
    return unwrapped(hook(box, 'pretooluse-bash', { ...own, ...call }));
  }
  if (verb === 'reads') {
    const [path = '', startLine, numLines, totalLines] = rest;
    const lines = { startLine, numLines, totalLines };
    const file = Object.entries(lines).map(([key, value]) => [
      key,
      value && Number(value),
    ]);
    const tool_response = { type: 'text', file: Object.fromEntries(file) };
    const tool_input = { file_path: join(box.root, path) };
    return hook(box, 'posttooluse-read', { ...own, tool_input, tool_response });
  }
  if (verb !== 'clears') throw new Error(`${session} cannot do this: ${verb}`);
  expect(hook(box, 'sessionend-clear', { session_id: session }).code).toBe(0);
  return given(rest[1] ?? '', 'clear');
}

let calls = 0;

/** What a hook tells the model, or why it refuses a tool. */
function unwrapped(result: Result): Result {
  if (result.stdout === '') return result;
  const { hookSpecificOutput: output } = JSON.parse(result.stdout);
  return {
    ...result,
    stdout: output.additionalContext ?? output.permissionDecisionReason,
  };
}

function edit({ root }: Sandbox, fields: object): void {
  const [path = ''] = stateFiles(root);
  writeFileSync(
    join(root, path),
    JSON.stringify({ ...onlyRun(root), ...fields }, null, 2),
  );
}

/** The value with another one at a path; without one there is nothing there. */
function withValue(
  value: unknown,
  [key = '', ...rest]: string[],
  put: unknown,
): unknown {
  const next =
    rest.length === 0 ? put : withValue(valueAt(value, key), rest, put);
  return { ...(isObject(value) ? value : {}), [key]: next };
}

const unescaped = (text: string): string =>
  text.replaceAll(String.raw`\n`, '\n');

/** Words as a shell splits them; quotes of either kind keep a word together. */
function wordsOf(text: string): string[] {
  const pieces = text.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? [];
  return pieces.map((piece) =>
    piece.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'),
  );
}

const jsonIn = (words: string[]): unknown =>
  words.length === 0 ? undefined : JSON.parse(words.join(' '));

function check(
  { root }: Sandbox,
  { stdout, stderr }: Result,
  line: string,
  shown: string,
): void {
  const [, sign = '', text = ''] = /^(\S+) ?(.*)$/.exec(line) ?? [];
  if (sign === '=') {
    const [path = '', ...value] = text.split(' ');
    const wanted = jsonIn(value);
    expect(valueAt(onlyRun(root), path), `${shown}\n${line}`).toEqual(wanted);
    return;
  }
  if (sign === '@') {
    const [path = '', ...value] = text.split(' ');
    const found = valueAt(JSON.parse(stdout), path) ?? undefined;
    const wanted = jsonIn(value);
    if (isObject(wanted))
      expect(found, `${shown}\n${line}`).toMatchObject(wanted);
    else expect(found, `${shown}\n${line}`).toEqual(wanted);
    return;
  }
  if (sign === '/') {
    expect(stdout, shown).toMatch(new RegExp(text, 'm'));
    return;
  }
  const parts = unescaped(text)
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
      (at, key) =>
        Array.isArray(at)
          ? at[Number(key)]
          : isObject(at)
            ? at[key]
            : undefined,
      value,
    );
}
