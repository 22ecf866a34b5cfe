import { Help, type Command } from 'commander';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { makeProgram } from '../../src/cli/program.ts';
import { callBothWays } from '../support/both-ways.ts';
import { makeReader, plainCall } from '../support/reader.ts';
import { repetitions } from '../support/repetitions.ts';

/** What an example presupposes: files, and commands typed before, separated by `; `. */
interface Scene {
  files?: Record<string, string>;
  before?: string;
  /** The example is typed in a session, not in a terminal. */
  inSession?: boolean;
}

const START = 'holdfast start "User Auth" --phases "Design,Build,Docs,Release" --read docs/spec.md';
const RUN: Scene = { files: { 'docs/spec.md': 'spec\n' }, before: START };
const ARCHIVED: Scene = { ...RUN, before: `${START}; holdfast complete` };

const TEMPLATE = `name: Delivery
description: Plans, builds and delivers.
steps:
  - id: planning
    type: action
    context: compact
    instructions: Write the plan.
  - id: build
    type: loop
    instructions: Build it.
  - id: check
    type: approval
    instructions: Look at it.
  - id: deploy
    type: action
    gate: "true"
    instructions: Deploy it.
loops:
  build:
    - id: code
      instructions: Write {task.title}.
`;
const TEMPLATE_FILE = '.claude/holdfast/workflows/deploy.yaml';
const AT_LOOP = 'holdfast start --template deploy "magic links"; holdfast advance';
const AT_APPROVAL = `${AT_LOOP}; holdfast tasks build --file login.txt; holdfast advance`;
const template = (before: string): Scene => ({
  files: { [TEMPLATE_FILE]: TEMPLATE, 'login.txt': 'Login\n' },
  before,
});

const ARTIFACTS = JSON.stringify({
  critical_artifacts: {
    always_load: ['spec', 'plan'].map((id) => ({
      id,
      type: 'markdown',
      path: `docs/${id}.md`,
      reload_triggers: ['manual'],
    })),
  },
});

const SCENES: Record<string, Scene> = {
  init: {},
  uninstall: { before: 'holdfast init' },
  doctor: { before: 'holdfast init' },
  start: {
    files: {
      'docs/spec.md': 'spec\n',
      'docs/plan.md':
        '# Plan: Search\n\n## Phase 1: Index\n\n- [x] a\n\n## Phase 2: Query\n\n- [ ] b\n',
    },
  },
  advance: {
    ...RUN,
    before: `${START}; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m m`,
  },
  tasks: {
    files: {
      [TEMPLATE_FILE]: TEMPLATE,
      'tasks.json': '["Login", "Logout"]',
      'docs/plan.md': '# Plan\n\n- Login\n- Logout\n',
    },
    before: AT_LOOP,
  },
  context: template('holdfast start --template deploy "magic links"'),
  pivot: {
    files: { [TEMPLATE_FILE]: TEMPLATE, 'review.md': 'The estimate leaves out the migration.\n' },
    before: AT_LOOP,
  },
  approve: template(AT_APPROVAL),
  reject: template(AT_APPROVAL),
  update: {
    files: { 'docs/old.md': 'old\n' },
    before: `${START} --read docs/old.md --remind "keep the API stable" --set budget=1`,
  },
  resume: { ...RUN, before: `${START}; holdfast pause` },
  takeover: { ...RUN, before: `${START} --session s1`, inSession: true },
  reopen: ARCHIVED,
  prime: {
    files: { 'docs/spec.md': 's\n', 'docs/plan.md': 'p\n', '.claude/holdfast.json': ARTIFACTS },
    before: START,
  },
  import: {
    ...RUN,
    before: `${START}; holdfast export > user-auth.json; holdfast complete --purge`,
  },
  todo: { before: 'holdfast todo add design; holdfast todo add build' },
  'todo set': {},
  trust: template(''),
  untrust: template('holdfast trust deploy --yes'),
  validate: template(''),
  statusline: { files: { 'input.json': '{"session_id":"s1","cwd":"."}' } },
  hook: {
    files: {
      'event.json': '{"hook_event_name":"SessionStart","session_id":"s1","source":"startup"}',
    },
  },
  run: {
    files: {
      [TEMPLATE_FILE]: TEMPLATE,
      '.claude/holdfast/workflows/release.yaml': TEMPLATE.replace('Delivery', 'Release'),
    },
    before:
      'holdfast trust deploy --yes; holdfast trust release --yes; holdfast start --template deploy "log in"',
  },
  sync: {
    ...RUN,
    before: `git init -q --bare ~/origin.git; git remote add origin ~/origin.git; ${START}; holdfast sync on origin`,
  },
  mcp: { files: { 'requests.jsonl': '{"jsonrpc":"2.0","id":1,"method":"ping"}\n' } },
};

/** Asks a question on a terminal: the first hour in a terminal answers it. */
const ASKS = ['holdfast trust deploy'];

interface Example {
  command: string;
  typed: string;
}

const examples = everyCommand(makeProgram()).flatMap(([path, command]) =>
  examplesOf(command).map((typed): Example => ({ command: path, typed })),
);

function everyCommand(program: Command, above = ''): [path: string, command: Command][] {
  return program.commands.flatMap((command) => {
    const path = `${above}${command.name()}`;
    return [[path, command], ...everyCommand(command, `${path} `)];
  });
}

function examplesOf(command: Command): string[] {
  let help = '';
  command.configureOutput({
    writeOut: (text) => {
      help += text;
    },
  });
  command.outputHelp();
  const [, shown = ''] = help.split(/^Examples?:\n/m);
  return [...shown.matchAll(/^ {2}\$ (.+)$/gm)].map(([, typed = '']) => typed);
}

function sceneFor(command: string): Scene {
  const [first = ''] = command.split(' ');
  return SCENES[command] ?? SCENES[first] ?? RUN;
}

/** What stands for an example that would start a client, or serve until somebody presses Ctrl-C. */
function asTyped({ command, typed }: Example): string {
  if (command === 'run') return typed.includes('--dry-run') ? typed : `${typed} --dry-run`;
  const change = typed.includes('attention') ? 'fail --reason "no key"' : 'advance';
  const [first, ends] =
    command === 'watch'
      ? ['User Auth', `holdfast ${change} > change.txt && wait $!`]
      : ['http://127.0.0.1', 'kill -INT %1; wait %1; grep http://127.0.0.1 output.txt'];
  if (command !== 'ui' && command !== 'watch') return typed;
  return [
    'set -m; notify-send() { :; }',
    `{ ${typed}; } > output.txt 2>&1 &`,
    `for try in $(seq 100); do grep -q '${first}' output.txt && break; sleep 0.1; done`,
    ends,
  ].join('\n');
}

const runnable = examples.filter(({ typed }) => !ASKS.includes(typed));
/** Every how many examples the two ways to run a command are compared. */
const COMPARED_EVERY = Math.round(runnable.length / repetitions(runnable.length));

it.each(runnable.map((example, index) => ({ ...example, index })))(
  'the example in the help of $command works: $typed',
  ({ index, ...example }) => {
    const { command, typed } = example;
    const { box, options, type } = makeReader();
    const { files = {}, before = '', inSession = false } = sceneFor(command);
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(box.root, path)), { recursive: true });
      writeFileSync(join(box.root, path), text);
    }
    for (const line of before.split('; ').filter((text) => text !== '')) {
      const { code, output } = type(line, false);
      expect(code, `${line}\n${output}`).toBe(0);
    }
    const words = plainCall(asTyped(example));
    if (words !== null && index % COMPARED_EVERY === 0) {
      const caller = inSession ? { ...options, session: 's2' } : options;
      const { own, resident } = callBothWays(box, words, caller);
      expect(own.code, `${typed}\n${own.stdout}\n${own.stderr}`).toBe(0);
      // So that the resident process, in which most tests run commands, stands for the program.
      expect(resident).toEqual(own);
      return;
    }
    const { code, output } = type(asTyped(example), inSession);
    expect(code, `${typed}\n${output}`).toBe(0);
  },
);

it('every command that the help lists has an example', () => {
  const program = makeProgram();
  const listed = new Help().visibleCommands(program);
  const nested = listed.flatMap((command) => everyCommand(command, `${command.name()} `));
  const paths = [...listed.map((command) => command.name()), ...nested.map(([path]) => path)];
  const without = paths.filter((path) => !examples.some(({ command }) => command === path));
  expect(without).toEqual(['help']);
});
