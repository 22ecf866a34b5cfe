import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { openServer } from '../support/mcp.ts';
import { bundle, FIELDS } from './support/hostile-fields.ts';
import { shownFaults, TEXTS, textsIn } from './support/hostile-text.ts';
import {
  COMMANDS as LOOKS_AND_WRITES,
  faultsOf,
  fullProject,
  SESSION,
  snapshot,
} from './support/hostile.ts';
import { measuredCommand, type Measured } from './support/measured.ts';
import { makeRandom } from './support/random.ts';
import { scaled } from './support/scale.ts';

const random = makeRandom();
const box = await fullProject();

const COMMANDS: readonly string[][] = [
  ...LOOKS_AND_WRITES,
  ['list', '--all', '--json'],
  ['show', 'held'],
  ['history', 'held'],
  ['guidance', '--explain'],
  ['status', '--json'],
  ['export', 'held'],
  ['validate', '--json'],
  ['templates', '--json'],
];

const CALLS: readonly [string, (text: string) => object][] = [
  ['workflow_status', () => ({})],
  ['workflow_context', () => ({})],
  ['prime_context', (text) => ({ artifacts: [text] })],
  [
    'workflow_set_tasks',
    (text) => ({ loop_id: text, tasks: [{ id: text, title: text }] }),
  ],
  ['workflow_advance', (text) => ({ output: text, artefacts: [text] })],
  ['workflow_fail', (text) => ({ reason: text })],
  ['update_todo_list', (text) => ({ content: `- [ ] ${text}` })],
  ['workflow_start', (text) => ({ template: text, summary: text })],
  ['workflow_start', (text) => ({ name: text, summary: text })],
  ['workflow_status', (text) => ({ [text]: text })],
];

function saidFaults(made: Measured): string[] {
  return [made.stdout, made.stderr]
    .flatMap((text) => [text.replace(/\n$/, ''), ...textsIn(text)])
    .flatMap((text, index) =>
      index === 0 && text.startsWith('{')
        ? jsonFaults(text)
        : shownFaults(text),
    )
    .map((fault) => `${made.what}: ${fault}`);
}

/** JSON that is data may have any text in it, but none that a terminal obeys or hides. */
function jsonFaults(text: string): string[] {
  return shownFaults(text).filter((fault) => fault.startsWith('shows'));
}

const isData = ([command = '', ...words]: readonly string[]): boolean =>
  words.includes('--json') || command === 'export' || command === 'show';

function dataFaults({ what, stdout, stderr }: Measured): string[] {
  return [stdout, stderr]
    .flatMap(jsonFaults)
    .map((fault) => `${what}: ${fault}`);
}

async function faultsOfServer(text: string): Promise<string[]> {
  const server = await openServer(box, { session: SESSION });
  const faults: string[] = [];
  for (const [tool, given] of CALLS) {
    const called = await server.call(tool, given(text));
    faults.push(
      ...shownFaults(called.text).map((fault) => `${tool}: ${fault}`),
    );
  }
  await server.end();
  if (server.stderr().includes('    at '))
    faults.push(`mcp: a trace: ${server.stderr()}`);
  return faults;
}

/** All files of the project beside what is holdfast's own to write: its folder, and the list wherever settings put it. */
function theirs(): string[] {
  const isOurs = /^(?:untracked|TODO\.md)|: - \[ \] /;
  return snapshot(box.root).filter(
    (line) => !isOurs.test(line) && !isFolderLine(line),
  );
}

/** A name of the list may have folders in it, which are made. */
function isFolderLine(line: string): boolean {
  return / 16\d{3}$/.test(line);
}

test('no name and no text in the fields that others write is obeyed, followed or shown raw', async () => {
  let given = '';
  const cases = Object.entries(FIELDS).flatMap(([field, write]) =>
    Object.entries(TEXTS).map(([what, text]) => ({
      what: `${what} in ${field}`,
      prepare: () => {
        given = text;
        write(box, text);
      },
    })),
  );
  const faults = await faultsOf({
    suite: 'hostile-names',
    box,
    cases,
    commands: COMMANDS,
    commandsEach: 6,
    saidFaults: (made, words) =>
      isData(words) ? dataFaults(made) : saidFaults(made),
    alsoTried: () => faultsOfServer(given),
    alsoKept: theirs,
  });
  expect(faults).toEqual([]);
});

/** The text as what somebody gives to a command. */
function givenTo(text: string): string[][] {
  // No program can be given a NUL.
  const word = text.replaceAll('\u0000', '').slice(0, 3_000);
  box.write(
    'own.json',
    bundle(text, { slug: 'own', runId: 'own-20251209_143052' }),
  );
  box.write(
    'named.json',
    bundle('x', { slug: text, runId: `${text}-20251209_143052` }),
  );
  box.write('timed.json', bundle('x', { slug: 'x', runId: `x-${text}` }));
  box.write(
    'tasks.json',
    JSON.stringify([{ id: text, title: text, description: text }, text]),
  );
  return [
    ['import', 'own.json'],
    ['import', 'named.json'],
    ['import', 'timed.json'],
    ['show', word],
    [
      'start',
      '--switch',
      '--phases',
      word,
      '--remind',
      word,
      '--set',
      `k${word}=x`,
      '--',
      word,
    ],
    [
      'update',
      '--name',
      word,
      '--read',
      `./${word}`,
      '--artifact',
      `k=${word}`,
    ],
    ['advance', '--force', '--output', word, '--artefact', `./${word}`],
    ['todo', 'add', '--', `a${word}`],
    ['start', '--switch', '--template', 'task-loop', '--', word],
    ['tasks', 'tasks', '--file', 'tasks.json'],
    ['pivot', word, '--feedback', word],
    ['fail', '--reason', word],
    ['guidance'],
    ['list', '--all'],
  ];
}

test('the same as words and files of commands: no name of theirs becomes a place', () => {
  const texts = random
    .shuffled(Object.keys(TEXTS))
    .slice(0, scaled(Object.keys(TEXTS).length));
  const faults = texts.flatMap((what) => {
    box.backTo('full');
    const words = givenTo(TEXTS[what] ?? '');
    const before = [
      snapshot(join(box.tree, 'outside')),
      snapshot(box.home),
      theirs(),
    ];
    const made = words.map((given) => measuredCommand(box, given, SESSION));
    const said = made.flatMap((each) => [
      ...(each.code !== null && each.code <= 2
        ? []
        : [`${each.what}: exit ${each.code}`]),
      ...(/^ {4}at /m.test(each.stderr)
        ? [`${each.what}: a trace: ${each.stderr}`]
        : []),
      // How a command is used is said with `<command>`.
      ...(each.code === 2 ? [] : saidFaults(each)),
    ]);
    const after = [
      snapshot(join(box.tree, 'outside')),
      snapshot(box.home),
      theirs(),
    ];
    return [
      ...said,
      ...(isDeepStrictEqual(after, before)
        ? []
        : ['something else has changed']),
    ].map((fault) => `${what}: ${fault}`);
  });
  expect([...new Set(faults)].map((fault) => fault.slice(0, 600))).toEqual([]);
});
