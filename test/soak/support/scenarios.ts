import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { archived, onlyRun, readRun, stateFiles } from '../../support/state.ts';
import { command, hookCall, type Box, type Call, type Ended } from './box.ts';
import { filesIn, isPassing, type Files } from './files.ts';

/** A command, what stands before it, and what must be possible after it, however it ended. */
export interface Scenario {
  name: string;
  /** Once: how the project is made. */
  prepare: (box: Box) => Promise<void>;
  /** Before each attempt, for what must not be old. */
  before?: (box: Box) => Promise<void>;
  call: (box: Box) => Call;
  /** Goes on as a user or the host would, and returns how long each call took. Throws what is wrong. */
  after: (box: Box) => Promise<Ended[]>;
}

const SESSION = 'session-a';
const PLAN = 'CLAUDE/Plan/00007-search/PLAN.md';
const SETTINGS =
  '{\n  "permissions": {"allow": ["Bash(ls:*)"]},\n  "hooks": {}\n}\n';

const localFile = (phase: number): string =>
  `# Notes\n\n## Workflow State\n\nWorkflow: User Auth\nPhase: ${phase}/4 - Step ${phase}\n@docs/spec.md\n`;

async function aRun(box: Box): Promise<void> {
  box.write('docs/spec.md', 'What is wanted.\n');
  box.write('CLAUDE.local.md', localFile(1));
  await box.must(
    command(
      'start',
      'User Auth',
      '--phases',
      'A,B,C,D',
      '--read',
      'docs/spec.md',
    ),
  );
  await box.must(
    command('update', '--set', 'keep=yes', '--remind', 'Mind the gap'),
  );
  await box.must(command('resume', 'user-auth', '--session', SESSION));
  await box.must(hookCall(box, 'precompact-auto', SESSION));
  await box.must(hookCall(box, 'sessionstart-compact', SESSION));
}

async function aRunWithNews(box: Box): Promise<void> {
  await aRun(box);
  box.write('CLAUDE.local.md', localFile(2));
  box.write(
    PLAN,
    '# Plan 7: Search\n\n**Status**: 🔄 In Progress\n\n### Phase 1: One 🔄\n- [ ] a\n### Phase 2: Two\n',
  );
}

/** The run is there, once, with what was written into it long before. */
function checkRun(box: Box): void {
  const runs = stateFiles(box.root).map((path) => readRun(box.root, path));
  const known = runs.filter(({ workflow }) => workflow === 'User Auth');
  const [run] = known;
  if (run === undefined || known.length > 1)
    throw new Error(`${known.length} runs of User Auth`);
  if (run.context?.['keep'] !== 'yes')
    throw new Error('the run lost what it knew');
  if (run.key_reminders?.includes('Mind the gap') !== true)
    throw new Error('a reminder is lost');
}

function checkTidy(box: Box): void {
  // Half an entry about a session is removed by the next writer of such an entry.
  const left = [...filesIn(box.tree).keys()].filter(
    (path) => isPassing(path) && !isRecord(path),
  );
  if (left.length > 0) throw new Error(`left behind: ${left.join(', ')}`);
}

/** How long a lock may stand in the way where its maker was killed with half its name in it, or while taking it over. */
const BOUND = 5_000;

/** A hook waits for a second only: the next one comes when the bound of the lock is over. */
async function hookWithinBound(
  box: Box,
  name: string,
  session: string,
): Promise<Ended> {
  const began = performance.now();
  for (;;) {
    const before = logOf(box).length;
    const ended = await box.run(hookCall(box, name, session));
    const isBlocked = logOf(box)
      .slice(before)
      .includes('another holdfast process has held');
    const waited = performance.now() - began;
    if (!isBlocked || waited > BOUND * 5)
      return checkHook(box, { ...ended, ms: waited }, 'User Auth');
  }
}

function checkHook(box: Box, ended: Ended, told: string): Ended {
  if (ended.code !== 0)
    throw new Error(`a hook ended with ${ended.code}: ${ended.stderr}`);
  if (!ended.stdout.includes(told)) {
    throw new Error(
      `a hook did not tell ${told}: ${ended.stdout} ${ended.stderr} ${logOf(box)}`,
    );
  }
  return ended;
}

export function logOf(box: Box): string {
  const path = join(box.root, 'untracked/workflow-state/holdfast.log');
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** The next compaction, a command, and everything as it should be. */
async function afterHook(box: Box, session = SESSION): Promise<Ended[]> {
  const saved = await hookWithinBound(box, 'precompact-auto', session);
  const restored = await hookWithinBound(box, 'sessionstart-compact', session);
  const updated = await box.must(
    command('update', 'user-auth', '--set', 'after=1'),
  );
  checkRun(box);
  checkTidy(box);
  return [saved, restored, updated];
}

async function afterCommand(box: Box): Promise<Ended[]> {
  const updated = await box.must(
    command('update', 'user-auth', '--set', 'after=1'),
  );
  const history = await box.must(command('history', 'user-auth', '--json'));
  if (!history.stdout.includes('"started"'))
    throw new Error('the journal lost its beginning');
  checkRun(box);
  checkTidy(box);
  return [updated];
}

/** The journal has no move that did not happen. */
async function afterAdvance(box: Box): Promise<Ended[]> {
  const ended = await afterCommand(box);
  const history = await box.must(command('history', 'user-auth', '--json'));
  checkEvents(history.stdout, 'advanced', onlyRun(box.root).phase.current - 1);
  return ended;
}

/** A writer that is killed right after it wrote the state leaves out the event, which comes last. */
function checkEvents(journal: string, name: string, expected: number): void {
  const { length } =
    journal.match(new RegExp(`"event": ?"${name}"`, 'g')) ?? [];
  if (length > expected || length < expected - 1)
    throw new Error(`"${name}" is in the journal ${length} times`);
}

async function afterComplete(box: Box): Promise<Ended[]> {
  // One that says it has ended is taken out by the next writer.
  const isActive = stateFiles(box.root).some(
    (path) => readRun(box.root, path).status !== 'completed',
  );
  const again = isActive
    ? [await box.must(command('complete', 'user-auth'))]
    : [];
  const started = await box.must(
    command('start', 'Another', '--phases', 'A,B'),
  );
  if (onlyRun(box.root).workflow !== 'Another')
    throw new Error('the completed run is still there');
  const names = archived(box.root).filter((name) => !name.startsWith('.'));
  const record = names.find((name) => name.endsWith('.json'));
  const journal = names.find((name) => name.endsWith('.jsonl'));
  if (names.length !== 2 || record === undefined || journal === undefined)
    throw new Error(`in the archive: ${names.join(', ')}`);
  const folder = join(box.root, 'untracked/workflow-archive');
  const run = JSON.parse(readFileSync(join(folder, record), 'utf8'));
  if (run.context?.keep !== 'yes' || run.status !== 'completed')
    throw new Error('a poor record');
  const text = readFileSync(join(folder, journal), 'utf8');
  if (!text.includes('"started"'))
    throw new Error('the journal lost its beginning');
  checkEvents(text, 'completed', 1);
  checkTidy(box);
  return [...again, started];
}

async function afterTodo(box: Box): Promise<Ended[]> {
  const added = await box.must(command('todo', 'add', 'one more'));
  const text = readFileSync(join(box.root, 'TODO.md'), 'utf8');
  if (
    !/^(?:- \[ \] old item\n|- \[ \] new item 1\n)/.test(text) ||
    !text.includes('one more')
  )
    throw new Error(`the list is neither old nor new: ${text.slice(0, 200)}`);
  return [added, ...(await afterCommand(box))];
}

async function aReview(box: Box): Promise<void> {
  await box.must(
    command('start', '--template', 'code-review-cycle', 'A change'),
  );
  await box.must(command('advance', '--output', 'the plan'));
}

/** Sent back with its feedback, or not at all. */
async function afterPivot(box: Box): Promise<Ended[]> {
  const { machine, feedback = [] } = onlyRun(box.root);
  const given = JSON.stringify(feedback);
  const isSentBack =
    machine?.['step'] === 'planning' && given.includes('Think again');
  const isAsBefore = machine?.['step'] === 'plan_review' && given === '[]';
  if (!isSentBack && !isAsBefore)
    throw new Error(`at ${String(machine?.['step'])} with ${given}`);
  const updated = await box.must(command('update', '--set', 'after=1'));
  const { machine: now } = onlyRun(box.root);
  if (now?.['step'] !== machine?.['step']) throw new Error('the step is lost');
  const history = await box.must(command('history', '--json'));
  checkEvents(history.stdout, 'pivoted', isSentBack ? 1 : 0);
  checkTidy(box);
  return [updated];
}

const untouched = new Map<Box, Files>();

async function beforeInit(box: Box): Promise<void> {
  box.write('.git/info/exclude', '# of the user\n*.swp\n');
  box.write('.claude/settings.local.json', SETTINGS);
  untouched.set(box, filesIn(box.tree));
}

/** Whatever was half done can be done, and all of it be taken out again, to the byte. */
async function afterInstall(box: Box): Promise<Ended[]> {
  const done = await box.must(command('init'));
  const settings = readFileSync(
    join(box.root, '.claude/settings.local.json'),
    'utf8',
  );
  if (!settings.includes('Bash(ls:*)') || !settings.includes('PreCompact'))
    throw new Error(`the settings: ${settings}`);
  return [done, ...(await afterUninstall(box))];
}

async function afterUninstall(box: Box): Promise<Ended[]> {
  const taken = await box.must(command('uninstall'));
  const now = filesIn(box.tree);
  const was = untouched.get(box) ?? new Map<string, string>();
  const wrong = [...new Set([...now.keys(), ...was.keys()])].filter(
    (path) => now.get(path) !== was.get(path),
  );
  if (wrong.length > 0)
    throw new Error(`not as before the installation: ${wrong.join(', ')}`);
  return [taken];
}

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'PreCompact, first time',
    prepare: async (box) => {
      box.write('docs/spec.md', 'What is wanted.\n');
      box.write('CLAUDE.local.md', localFile(1));
    },
    call: (box) => hookCall(box, 'precompact-auto', SESSION),
    after: async (box) => {
      const saved = await hookWithinBound(box, 'precompact-auto', SESSION);
      onlyRun(box.root);
      if (!existsSync(join(box.root, 'untracked/workflow-state/.gitignore')))
        throw new Error('git sees the state folder');
      checkTidy(box);
      return [saved];
    },
  },
  {
    name: 'PreCompact',
    prepare: aRunWithNews,
    call: (box) => hookCall(box, 'precompact-auto', SESSION),
    after: (box) => afterHook(box),
  },
  {
    name: 'SessionStart(compact)',
    prepare: aRunWithNews,
    call: (box) => hookCall(box, 'sessionstart-compact', SESSION),
    after: (box) => afterHook(box),
  },
  {
    name: 'SessionStart(clear)',
    prepare: aRun,
    before: async (box) =>
      void (await box.must(hookCall(box, 'sessionend-clear', SESSION))),
    call: (box) => hookCall(box, 'sessionstart-clear', 'session-b'),
    after: (box) => afterHook(box, 'session-b'),
  },
  {
    name: 'SessionEnd(clear)',
    prepare: aRun,
    call: (box) => hookCall(box, 'sessionend-clear', SESSION),
    after: (box) => afterHook(box),
  },
  {
    name: 'advance',
    prepare: aRun,
    call: () => command('advance', 'user-auth'),
    after: afterAdvance,
  },
  {
    name: 'pivot',
    prepare: aReview,
    call: () => command('pivot', 'planning', '--feedback', 'Think again'),
    after: afterPivot,
  },
  {
    name: 'complete',
    prepare: aRun,
    call: () => command('complete', 'user-auth'),
    after: afterComplete,
  },
  {
    name: 'todo set',
    prepare: async (box) => {
      await aRun(box);
      box.write('TODO.md', '- [ ] old item\n');
    },
    call: () => ({
      words: ['todo', 'set', '-', '--force'],
      input: Array.from(
        { length: 200 },
        (_, index) => `- [ ] new item ${index + 1}\n`,
      ).join(''),
    }),
    after: afterTodo,
  },
  {
    name: 'init',
    prepare: beforeInit,
    call: () => command('init'),
    after: afterInstall,
  },
  {
    name: 'uninstall',
    prepare: async (box) => {
      await beforeInit(box);
      await box.must(command('init'));
    },
    call: () => command('uninstall'),
    after: afterUninstall,
  },
];

/** What a killed hook left beside the records of sessions and projects is removed some time. */
function isRecord(path: string): boolean {
  return /\/\.claude\/holdfast\/(?:projects|sessions)\//.test(path);
}
