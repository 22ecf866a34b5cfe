import { execFileSync, spawnSync } from 'node:child_process';
import {
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fse from 'fs-extra';
import { afterAll } from 'vitest';
import { recorded } from '../../support/hooks.ts';
import { Box, command } from './box.ts';
import { publish } from './figures.ts';
import { measuredCommand, measuredHook, type Measured } from './measured.ts';
import { makeRandom } from './random.ts';
import { replyProblem } from './replies.ts';
import { scaled } from './scale.ts';

export const SESSION = 'session-1';
/** In every file that lies outside the project, and nowhere else. */
const SECRET = 'SENTINEL-d41d8cd98f';
/** So many times the time of the same call in a harmless project. */
const SLOWER = 40;
const MAX_MEGABYTES = 165;

const TEMPLATE = `name: Built
description: A run with a gate.
steps:
  - id: make
    type: action
    instructions: Make it.
    gate: touch ../outside/executed-gate
  - id: ship
    type: action
    instructions: Ship it.
`;

const SETTINGS = {
  reading: { enforce: 'block' },
  critical_artifacts: {
    always_load: [
      {
        id: 'rules',
        type: 'markdown',
        path: 'docs/rules.md',
        reload_triggers: TRIGGERS(),
      },
      {
        id: 'notes',
        type: 'directory',
        path: 'docs/notes',
        reload_triggers: TRIGGERS(),
      },
      { id: 'git', type: 'git_info', reload_triggers: TRIGGERS() },
      {
        id: 'plugin',
        type: 'work_plugin',
        command: 'touch ../outside/executed-command',
        reload_triggers: TRIGGERS(),
      },
    ],
  },
};

function TRIGGERS(): string[] {
  return ['session_start', 'compaction', 'manual'];
}

/** A project in which every file that holdfast reads or writes is there, and secrets beside it. */
export async function fullProject(): Promise<Box> {
  const box = new Box();
  const files = {
    'CLAUDE.local.md':
      '# Workflow State\nWorkflow: Local\nPhase: 2/4 - Build\n@docs/spec.md\n@docs/more.md\n',
    'CLAUDE.md': '# Project\n\n@docs/loaded.md\n',
    'CLAUDE/PlanWorkflow.md': 'Rules.\n',
    'CLAUDE/Plan/00001-one/PLAN.md':
      '# Plan 1: One\n\n**Status**: 🔄 In Progress\n\n### Phase 1: A ✅\n### Phase 2: B\nCLAUDE/PlanWorkflow.md\n',
    'docs/spec.md': 'The spec.\n',
    'docs/more.md': 'More.\n',
    'docs/loaded.md': 'Loaded.\n',
    'docs/rules.md': 'The rules.\n',
    'docs/notes/a.md': 'A note.\n',
    '.claude/holdfast.json': JSON.stringify(SETTINGS),
    '.claude/settings.json': '{}\n',
    '.claude/holdfast/workflows/built.yaml': TEMPLATE,
    '.git/HEAD': 'ref: refs/heads/main\n',
    '.git/refs/heads/main': `${'a'.repeat(40)}\n`,
    '.git/config': '[core]\n\trepositoryformatversion = 0\n',
    '.git/info/exclude': '# none\n',
  };
  for (const [path, text] of Object.entries(files)) box.write(path, text);
  fse.mkdirpSync(join(box.root, '.git/objects'));
  for (const [path, text] of Object.entries(secrets())) {
    fse.outputFileSync(join(box.tree, 'outside', path), text);
  }
  fse.outputFileSync(join(box.home, 'notes.md'), `${SECRET} of home\n`);
  const session = SESSION;
  await box.must({
    ...command('start', '--template', 'built', 'Done'),
    session,
  });
  await box.must({
    ...command('start', 'Held', '--switch', '--read', 'docs/spec.md'),
    session,
  });
  await box.must({
    ...command('todo', 'set', '-'),
    input: '- [ ] one\n',
    session,
  });
  for (const call of hooksIn(box)) measuredHook(box, call.payload, call.event);
  const ended = {
    ...command('start', 'Ended', '--switch'),
    session: 'session-2',
  };
  await box.must(ended);
  await box.must({ ...command('complete', 'ended'), session: 'session-2' });
  box.keepAs('full');
  return box;
}

/** Such as would be taken for the project's own, if they were read. */
function secrets(): Record<string, string> {
  const state = {
    workflow: `Stolen ${SECRET}`,
    workflow_type: 'custom',
    phase: { current: 1, total: 2, name: SECRET, status: 'in_progress' },
    required_reading: [`@${SECRET}.md`],
    created_at: '2025-12-09T14:30:52.123456Z',
  };
  return {
    'text.md': `# Workflow State\nWorkflow: Stolen ${SECRET}\nPhase: 1/2 - ${SECRET}\n@${SECRET}.md\n- [ ] ${SECRET}\n`,
    'state.json': JSON.stringify(state),
    'folder/PLAN.md': `# Plan 9: ${SECRET}\n\nStatus: In Progress\n\n## Phase 1: ${SECRET}\n`,
    'folder/00009-x/PLAN.md': `# Plan 9: ${SECRET}\n\nStatus: In Progress\n\n## Phase 1: ${SECRET}\n`,
    'folder/state-stolen-20250101_000000.json': JSON.stringify(state),
    'folder/stolen-20250101_000000.json': JSON.stringify(state),
    'folder/a.md': `${SECRET}\n`,
    'folder/HEAD': `ref: refs/heads/${SECRET}\n`,
    'folder/holdfast.json': JSON.stringify({ todo: { file: SECRET } }),
    'folder/built.yaml': `name: ${SECRET}\ndescription: x\nsteps: [{id: a, type: action, instructions: ${SECRET}}]\n`,
    token: `${'0123456789abcdef'.repeat(3).slice(0, 40)}\n`,
  };
}

/** A secret that looks like a commit. */
const TOKEN = '0123456789abcdef'.repeat(3).slice(0, 40);

export type HookCall = { event: string; payload: string };

let prompts = 0;

/** Every event, in the order of a session that compacts. */
export function hooksIn(box: Box, changes: object = {}): HookCall[] {
  prompts += 1;
  const given = {
    cwd: box.root,
    session_id: SESSION,
    prompt_id: `prompt-${prompts}`,
    ...changes,
  };
  const call = (event: string, name: string, more: object = {}): HookCall => ({
    event,
    payload: recorded(name, { ...given, ...more }),
  });
  return [
    call('PreCompact', 'precompact-auto'),
    call('PostCompact', 'postcompact-auto'),
    call('SessionStart', 'sessionstart-compact'),
    call('PreToolUse', 'pretooluse-bash'),
    call('PostToolUse', 'posttooluse-read', {
      tool_input: { file_path: `${box.root}/docs/spec.md` },
    }),
    call('UserPromptSubmit', 'userpromptsubmit'),
    call('SessionEnd', 'sessionend-other'),
    call('SessionStart', 'sessionstart-startup', { session_id: 'session-9' }),
  ];
}

/** Those that only look, and those that write. */
export const COMMANDS: readonly string[][] = [
  ['status'],
  ['list', '--all'],
  ['guidance', '--source', 'compact'],
  ['prime', '--force'],
  ['templates'],
  ['todo', 'show'],
  ['validate'],
  ['doctor'],
  ['update', '--set', 'a=b'],
  ['todo', 'add', 'two'],
  ['advance', 'built', '--force'],
  ['complete', 'held'],
];

export type Bounds = {
  hooks: Map<string, number>;
  commands: Map<string, number>;
};

/** Where a look finds hundreds of workflows that are new, it makes their runs: once, and within what the host allows. */
export function forMakingRuns({ hooks, commands }: Bounds): Bounds {
  return {
    hooks: new Map([...hooks].map(([event, ms]) => [event, ms * 5])),
    commands,
  };
}

/** How long each call takes where nothing is wrong. */
export function boundsIn(box: Box): Bounds {
  const hooks = hooksIn(box).map(({ event, payload }): [string, number] => [
    event,
    measuredHook(box, payload, event).ms,
  ]);
  const commands = COMMANDS.map((words): [string, number] => [
    words.join(' '),
    measuredCommand(box, words, SESSION).ms,
  ]);
  box.backTo('full');
  return { hooks: new Map(hooks), commands: new Map(commands) };
}

interface Trials {
  suite: string;
  /** A full project. */
  box: Box;
  /** What is made of it each time. */
  cases: readonly { what: string; prepare: () => void }[];
  commands?: readonly string[][];
  /** Of the commands so many each time: all of them come up. */
  commandsEach?: number;
  /** What is wrong with what a call has said. */
  saidFaults?: (made: Measured, words: readonly string[]) => string[];
  /** What else is tried. */
  alsoTried?: () => Promise<string[]>;
  /** What else has to stay as it is. */
  alsoKept?: () => string[];
}

/** Runs the hooks and commands in each of the projects; returns what they did that none may do. */
export async function faultsOf(trials: Trials): Promise<string[]> {
  const {
    suite,
    box,
    cases,
    commands = COMMANDS,
    commandsEach = commands.length,
  } = trials;
  const {
    saidFaults = () => [],
    alsoTried = async () => [],
    alsoKept = () => [],
  } = trials;
  const random = makeRandom();
  const bounds = boundsIn(box);
  const chosen = random.shuffled(cases).slice(0, scaled(cases.length));
  const worst = { ms: 0, megabytes: 0, processes: 0, what: '' };
  const around = (): string[][] => [
    snapshot(join(box.tree, 'outside')),
    snapshot(box.home),
    alsoKept(),
  ];
  const faults = new Set<string>();
  for (const { what, prepare } of chosen) {
    box.backTo('full');
    prepare();
    const before = around();
    const found = hooksIn(box).flatMap((call) => {
      const made = measuredHook(box, call.payload, call.event);
      worst.processes += 1;
      worst.megabytes = Math.max(worst.megabytes, made.megabytes);
      if (made.ms > worst.ms)
        Object.assign(worst, { ms: made.ms, what: `${call.event}: ${what}` });
      return [...hookFaults(call, made, bounds), ...saidFaults(made, [])];
    });
    for (const words of random.shuffled(commands).slice(0, commandsEach)) {
      const made = measuredCommand(box, words, SESSION);
      worst.processes += 1;
      found.push(...commandFaults(made, bounds), ...saidFaults(made, words));
    }
    found.push(...(await alsoTried()));
    if (!isDeepStrictEqual(around(), before))
      found.push('something else has changed');
    found.push(...stolenIn(box).map((path) => `${path}: has a secret in it`));
    for (const fault of found) faults.add(`${what}: ${fault}`);
  }
  publish(suite, {
    seed: random.seed,
    tried_together: chosen.length,
    processes: worst.processes,
    hook_memory_at_most_mb: Math.round(worst.megabytes),
    slowest_hook_ms: Math.round(worst.ms),
    slowest_hook: worst.what,
  });
  return [...faults];
}

/** What one hook call did that no hook may do. */
export function hookFaults(
  { event }: HookCall,
  made: Measured,
  bounds: Bounds,
): string[] {
  const problem = replyProblem(event, made.stdout);
  return [
    ...(made.code === 0
      ? []
      : [`${event}: exit ${made.code} after ${Math.round(made.ms)} ms`]),
    ...(problem === null ? [] : [`${event}: ${problem}`]),
    ...(made.megabytes > MAX_MEGABYTES
      ? [`${event}: ${Math.round(made.megabytes)} MB`]
      : []),
    ...slowness(made, bounds.hooks.get(event)),
    ...said(made),
  ];
}

export function commandFaults(made: Measured, bounds: Bounds): string[] {
  const isEnded = made.code === 0 || made.code === 1;
  return [
    ...(isEnded
      ? []
      : [`${made.what}: exit ${made.code} after ${Math.round(made.ms)} ms`]),
    ...(/^ {4}at /m.test(made.stderr)
      ? [`${made.what}: a trace: ${made.stderr}`]
      : []),
    ...slowness(made, bounds.commands.get(made.what)),
    ...said(made),
  ];
}

function slowness({ what, ms }: Measured, plain = 50): string[] {
  return ms > SLOWER * plain
    ? [`${what}: ${Math.round(ms)} ms, else ${Math.round(plain)}`]
    : [];
}

function said({ what, stdout, stderr }: Measured): string[] {
  const text = stdout + stderr;
  const isTold = text.includes(SECRET) || text.includes(TOKEN);
  return [
    ...(isTold ? [`${what}: tells a secret: ${text}`] : []),
    ...(stderr.includes('POLLUTED')
      ? [`${what}: changes what all objects have`]
      : []),
  ];
}

const LARGE = 10_000_000;

/** Every name below a folder, with what is there: links are not followed. What is known of sessions and projects may change. */
export function snapshot(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(
      (name) =>
        !/holdfast\/(?:cache|projects|sessions|wake)(?:\/|$)/.test(name),
    )
    .toSorted()
    .map((name) => {
      const full = join(folder, name);
      const stat = lstatSync(full);
      if (stat.isSymbolicLink()) return `${name} -> ${readlinkSync(full)}`;
      if (stat.size > LARGE) return `${name}: ${stat.size}`;
      return stat.isFile()
        ? `${name}: ${readFileSync(full, 'utf8')}`
        : `${name} ${stat.mode}`;
    });
}

/** What of the secrets is in files that holdfast writes. */
function stolenIn(box: Box): string[] {
  const folder = join(box.root, 'untracked');
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => lstatSync(path).size < LARGE)
    .filter((path) => {
      const text = readFileSync(path, 'utf8');
      return text.includes(SECRET) || text.includes(TOKEN);
    });
}

export function makeFifo(path: string): void {
  execFileSync('mkfifo', [path]);
}

/** The device that never ends, as a file of its own; false where only the owner of the machine may make one. */
export function makeDevice(path: string): boolean {
  return (
    spawnSync('mknod', [path, 'c', '1', '5'], { stdio: 'ignore' }).status === 0
  );
}

/** A socket that somebody listens at and nobody answers; it has as many names as wanted. */
export async function openSocket(
  path: string,
): Promise<(name: string) => void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path, resolve));
  afterAll(() => server.close());
  return (name) => linkSync(path, name);
}
