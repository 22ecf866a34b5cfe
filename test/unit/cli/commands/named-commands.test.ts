import { readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { advance } from '../../../../src/cli/commands/advance.ts';
import { cancel } from '../../../../src/cli/commands/cancel.ts';
import { complete } from '../../../../src/cli/commands/complete.ts';
import { fail } from '../../../../src/cli/commands/fail.ts';
import { guidance } from '../../../../src/cli/commands/guidance.ts';
import { history } from '../../../../src/cli/commands/history.ts';
import { list } from '../../../../src/cli/commands/list.ts';
import { pause } from '../../../../src/cli/commands/pause.ts';
import { pivot } from '../../../../src/cli/commands/pivot.ts';
import { release } from '../../../../src/cli/commands/release.ts';
import { reopen } from '../../../../src/cli/commands/reopen.ts';
import { resume } from '../../../../src/cli/commands/resume.ts';
import { skip } from '../../../../src/cli/commands/skip.ts';
import { start } from '../../../../src/cli/commands/start.ts';
import { status } from '../../../../src/cli/commands/status.ts';
import { tasks } from '../../../../src/cli/commands/tasks.ts';
import { trust } from '../../../../src/cli/commands/trust.ts';
import { update } from '../../../../src/cli/commands/update.ts';
import { endSession } from '../../../../src/sessions/holder.ts';
import { saying } from '../../../support/failures.ts';
import { screen, type Screen } from './support.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const S1 = { session: 's1' };
const S2 = { session: 's2' };
const S3 = { session: 's3' };

/** A run that session s1 holds. */
function held(files: Record<string, string> = {}): Screen {
  const opened = screen(files);
  start(opened.cli(S1), 'Auth', { phases: 'A,B,C,D,E' });
  return opened;
}

const nextLine = ({ printed }: Screen): string =>
  printed()
    .split('\n')
    .find((line) => line.startsWith('Next: ')) ?? '';

describe('the next command of a session that changed the run of another one', () => {
  it.each<[string, (opened: Screen) => unknown]>([
    ['advance', ({ cli }) => advance(cli(S2), 'auth', {})],
    ['update', ({ cli }) => update(cli(S2), 'auth', { remind: ['x'] })],
    ['fail', ({ cli }) => fail(cli(S2), 'auth', { reason: 'x' })],
    ['skip', ({ cli }) => skip(cli(S2), 'auth', { reason: 'x' })],
  ])('takes the run after %s, because advance would be refused', async (_name, change) => {
    const opened = held();
    await change(opened);
    expect(nextLine(opened)).toMatch(/^Next: holdfast resume auth-\S+ --force$/);
    await expect(advance(opened.cli(S2), undefined, {})).rejects.toThrow(
      saying('every active run'),
    );
  });

  it('takes the run instead of showing longer instructions', async () => {
    const text = `name: c
description: c
steps:
  - {id: one, type: action, instructions: Do it.}
  - {id: two, type: action, instructions: "Do this.\\nThen that."}
`;
    const opened = screen({ '.claude/holdfast/workflows/c.yaml': text });
    start(opened.cli(S1), 't', { template: 'c' });
    start(opened.cli(S3), 'Shop', { phases: 'A,B' });
    await advance(opened.cli(S2), 't', {});
    expect(nextLine(opened)).toMatch(/^Next: holdfast resume t-\S+ --force$/);
    await advance(opened.cli(S1), 't', {});
    start(opened.cli(S1), 't', { template: 'c' });
    await advance(opened.cli(S1), 't', {});
    expect(nextLine(opened)).toMatch(
      /^Next: holdfast status t-\S+ prints the instructions; when they are done, holdfast advance t-\S+ --output /,
    );
  });

  it('is short for the session that holds the run and for a terminal', () => {
    const opened = held();
    update(opened.cli(S1), undefined, { remind: ['x'] });
    expect(nextLine(opened)).toMatch(/^Next: holdfast advance \(/);
    update(opened.cli(), undefined, { remind: ['y'] });
    expect(nextLine(opened)).toMatch(/^Next: holdfast advance \(/);
  });

  it('takes a reopened run without --force: the session that ended it holds it no longer', () => {
    const opened = held();
    complete(opened.cli(S2), 'auth', {});
    reopen(opened.cli(S2), 'auth');
    expect(nextLine(opened)).toMatch(/^Next: holdfast resume auth-[^ ]+$/);
    complete(opened.cli(S2), 'auth', {});
    reopen(opened.cli(S1), 'auth');
    expect(nextLine(opened)).toMatch(/^Next: holdfast advance \(/);
  });
});

it('a session that has ended another run goes on with its own', () => {
  const opened = held();
  start(opened.cli(S2), 'Shop', { phases: 'A,B' });
  cancel(opened.cli(S1), 'shop', { reason: 'no' });
  expect(nextLine(opened)).toMatch(
    /^Next: holdfast status auth-\S+, which this session works on; or holdfast reopen shop-\S+$/,
  );
  complete(opened.cli(S1), undefined, {});
  expect(nextLine(opened)).toMatch(/^Next: holdfast start "<name>"/);
});

describe('a session that released the run it held last', () => {
  it('may change it without a name; others may not', () => {
    const opened = held();
    const { store } = opened.cli();
    store.transaction((tx) => {
      const [run] = tx.runs;
      if (run === undefined) throw new Error('no run');
      const end = { reason: 'other', client: null, now: new Date() };
      return tx.write(run, endSession(run.state, 's1', end));
    });
    resume(opened.cli(S2), 'auth', { force: true });
    release(opened.cli(S2), undefined);
    update(opened.cli(S2), undefined, { remind: ['x'] });
    expect(opened.printed()).toContain('1 reminder added');
    expect(() => update(opened.cli(S3), undefined, { remind: ['y'] })).toThrow(
      saying('every active run here belongs to another session'),
    );
  });
});

describe('a template that runs commands', () => {
  it('is trusted by the name or path that was given', () => {
    const { cli, warned } = screen({
      'my x/t.yaml': `name: T
description: t
steps:
  - {id: one, type: action, instructions: x, gate: 'true'}
`,
    });
    start(cli(), 'Auth', { template: 'my x/t.yaml' });
    expect(warned).toEqual([expect.stringMatching(/: holdfast trust 'my x\/t\.yaml'$/)]);
  });
});

describe('a refused start', () => {
  it('repeats no text of the user as a command', () => {
    const { cli } = held();
    expect(() => start(cli(S1), 'run `id` now', { phases: 'x,y' })).toThrow(
      saying(
        /; finish it with `holdfast complete`, or release it: the same command with --switch$/,
      ),
    );
  });
});

describe('slash commands', () => {
  const HOOKS = JSON.stringify({
    hooks: { PreCompact: [{ hooks: [{ type: 'command', command: 'holdfast hook PreCompact' }] }] },
  });

  it('are named after `holdfast init` where nothing is installed', () => {
    const opened = screen();
    start(opened.cli(), 'Auth', { phases: 'A,B' });
    expect(opened.printed()).toMatch(
      /holdfast init, then in Claude Code type \/holdfast:resume auth-/,
    );
    expect(() => resume(opened.cli(), 'auth', {})).toThrow(
      saying(/run `holdfast init`, then in Claude Code type `\/holdfast:resume auth-/),
    );
  });

  it('are named alone where the hooks are registered', () => {
    const opened = screen({ '.claude/settings.json': HOOKS });
    start(opened.cli(), 'Auth', { phases: 'A,B' });
    expect(opened.printed()).toMatch(/To work on it: in Claude Code, type \/holdfast:resume auth-/);
    expect(() => resume(opened.cli(), 'auth', {})).toThrow(
      saying(/; in Claude Code, type `\/holdfast:resume auth-/),
    );
  });

  it('are not named for a workflow that is only declared', () => {
    const opened = screen({
      'CLAUDE.local.md': '# Workflow State\nWorkflow: Auth\nPhase: 1/2 - A\n',
    });
    status(opened.cli(), undefined, {});
    expect(nextLine(opened)).toBe(
      'Next: holdfast advance auth, or in a Claude Code session holdfast resume auth',
    );
  });
});

describe('a context action in a terminal', () => {
  const TEMPLATE = `name: c
description: c
steps:
  - {id: one, type: action, instructions: Do it., context: compact}
  - {id: two, type: action, instructions: Do it., context: clear}
`;
  const files = { '.claude/holdfast/workflows/c.yaml': TEMPLATE };

  it('is for the session that works on the run', async () => {
    const opened = screen(files);
    start(opened.cli(), 't', { template: 'c' });
    expect(opened.printed()).not.toContain('Please run');
    expect(nextLine(opened)).toMatch(
      /^Next: in a Claude Code session, holdfast resume t-\S+, then type \/compact$/,
    );
    resume(opened.cli(S1), 't', {});
    await advance(opened.cli(), undefined, {});
    expect(nextLine(opened)).toBe('Next: type /clear in the Claude Code session that works on it');
  });

  it('is for the user of a session', () => {
    const opened = screen(files);
    start(opened.cli(S1), 't', { template: 'c' });
    expect(opened.printed()).toContain('Please run `/compact` first');
    expect(nextLine(opened)).toBe('Next: /compact, then holdfast status');
  });
});

describe('a phase that was put before the current one', () => {
  const phases = (names: string): string => {
    const opened = screen();
    start(opened.cli(S1), 'Auth', { phases: 'A,B,C' });
    update(opened.cli(S1), undefined, { phase: '2' });
    update(opened.cli(S1), undefined, { phases: names });
    status(opened.cli(S1), undefined, {});
    return /^Phases +(.*)$/m.exec(opened.printed())?.[1] ?? '';
  };

  it.each([
    ['A,Audit,B,C', '✓ A  ↷ Audit (skipped)  ▸ B  · C'],
    ['A,C,B', '✓ A  ↷ C (skipped)  ▸ B'],
    ['Alpha,B,C', '✓ Alpha  ▸ B  · C'],
    ['Alpha,Audit,B,C', '✓ Alpha  ↷ Audit (skipped)  ▸ B  · C'],
    ['A,B,Audit,C', '✓ A  ▸ B  · Audit  · C'],
    ['B,C', '▸ B  · C'],
  ])('is not done: %s', (names, shown) => {
    expect(phases(names)).toBe(shown);
  });
});

describe('a file that advance names and that does not exist', () => {
  it('is warned about, and shown as missing until it exists', async () => {
    const opened = held({ 'docs/made.md': 'x' });
    await advance(opened.cli(S1), undefined, { artifact: ['docs/gone.md', 'docs/made.md'] });
    expect(opened.warned).toEqual(['docs/gone.md does not exist yet']);
    status(opened.cli(S1), undefined, {});
    expect(opened.printed()).toContain('A: docs/gone.md (missing), docs/made.md\n');
    guidance(opened.cli(S1), undefined, { source: 'compact' });
    expect(opened.printed()).toContain('- files of phase 1: docs/gone.md (missing), docs/made.md');
    renameSync(
      join(opened.project.root, 'docs/made.md'),
      join(opened.project.root, 'docs/gone.md'),
    );
    guidance(opened.cli(S1), undefined, { source: 'compact' });
    expect(opened.printed()).toContain('- files of phase 1: docs/gone.md, docs/made.md (missing)');
  });
});

describe('update', () => {
  it.each([
    [{ remind: ['r'] }, /^Nothing changed in auth-\S+: it has all of this already\.$/],
    [{ remind: ['r', 's'] }, /: 1 reminder added\.$/],
    [{ read: ['x.md', 'x.md'] }, /: 1 required file added\.$/],
    [{ set: ['k=1', 'l=2'] }, /: 1 fact set\.$/],
    [{ setLocal: ['m=2'] }, /: 1 fact set\.$/],
    [{ artifact: ['spec=a.md'] }, /: 1 file named\.$/],
    [{ unset: ['k'], forget: ['r'] }, /: 1 reminder removed, 1 fact removed\.$/],
  ])('reports what changed for %j', (options, sentence) => {
    const opened = held();
    update(opened.cli(S1), undefined, { remind: ['r'], set: ['k=1'] });
    update(opened.cli(S1), undefined, options);
    expect(opened.printed().split('\n')[0]).toMatch(sentence);
  });

  it('refuses a folder as required reading, and names its files', () => {
    const { cli } = held({ 'docs/a b.md': '', 'docs/b.md': '', 'docs/c.md': '', 'docs/d.md': '' });
    expect(() => update(cli(S1), undefined, { read: ['docs/'] })).toThrow(
      saying(
        "this is a folder: name its files, such as --read 'docs/a b.md' --read docs/b.md --read docs/c.md and 1 more",
      ),
    );
  });
});

describe('a refusal names what is the case', () => {
  it('the template to trust', async () => {
    await expect(trust(held().cli(S1), 'qa-loop', { yes: true })).rejects.toThrow(
      saying('`holdfast trust qa-loop`'),
    );
  });

  it('several paused runs', () => {
    const { cli } = held();
    pause(cli(S1), undefined, { reason: 'x' });
    start(cli(S2), 'Shop', { phases: 'A,B' });
    pause(cli(S2), undefined, { reason: 'x' });
    expect(() => resume(cli(S3), undefined, {})).toThrow(
      saying('several runs are paused or failed'),
    );
  });

  it('an empty archive', () => {
    expect(() => reopen(held().cli(), 'nope')).toThrow(saying('no run is archived here'));
  });

  it('the run that has no loops', () => {
    const { cli } = held();
    start(cli(S2), 'Shop', { phases: 'A,B' });
    expect(() => tasks(cli(), 'x', { run: 'auth', file: 'none' })).toThrow(
      saying(/continue with `holdfast advance auth-\d+_\d+`/),
    );
  });

  it('the run that is meant where it has no steps to go back to', () => {
    const { cli } = held();
    start(cli(S2), 'Shop', { phases: 'A,B' });
    expect(() => pivot(cli(S2), 'x', { run: 'auth', feedback: 'no' })).toThrow(
      saying(/`holdfast update auth-\S+ --phase <n>`.*`holdfast update auth-\S+ --remind "…"`/),
    );
  });

  it('the options that a move of a template run needs', () => {
    const { cli } = screen();
    start(cli(), 'x', { template: 'default' });
    expect(() => update(cli(), undefined, { phase: '2' })).toThrow(
      saying(
        /`holdfast pivot <step> --feedback "…" --run x-\S+` or `holdfast fail x-\S+ --reason "…"`/,
      ),
    );
  });

  it('the session of --session', () => {
    expect(() => resume(held().cli(S2), 'auth', {})).toThrow(
      saying(/`holdfast resume auth-\S+ --force --session s2`/),
    );
    const { cli } = held();
    vi.stubEnv('CLAUDE_CODE_SESSION_ID', 's2');
    expect(() => resume(cli(S2), 'auth', {})).toThrow(saying(/ --force`$/));
  });

  it('a blank value', () => {
    const { cli } = screen();
    expect(() => start(cli(), 'x', { phases: '' })).toThrow(saying('--phases is blank'));
    expect(() => start(cli(), 'x', { artifact: ['k='] })).toThrow(saying('--artifact k= is blank'));
  });

  it('the run of this session that somebody ended', async () => {
    const { cli } = held();
    complete(cli(), 'auth', {});
    await expect(advance(cli(S1), undefined, {})).rejects.toThrow(
      saying(
        /auth-\S+, the run of this session, is completed; bring it back with `holdfast reopen auth-/,
      ),
    );
    await expect(advance(cli(S2), undefined, {})).rejects.toThrow(
      saying('no active workflow here; start one'),
    );
    expect(() => resume(cli(), undefined, {})).toThrow(saying('`holdfast list --all`'));
  });
});

describe('a look at runs', () => {
  it('shows nobody as the holder of an archived run', () => {
    const opened = held();
    complete(opened.cli(), 'auth', {});
    status(opened.cli(), 'auth', {});
    expect(opened.printed()).toMatch(/^Held by +nobody$/m);
  });

  it('shows a state that an imported one replaced as replaced', () => {
    const opened = held();
    const { store } = opened.cli();
    const [run] = store.list().runs;
    complete(opened.cli(), 'auth', {});
    const archive = join(opened.project.root, 'untracked/workflow-archive');
    const file = readdirSync(archive).find((name) => name.endsWith('.json')) ?? '';
    renameSync(join(archive, file), join(archive, `${run?.runId}.replaced-20250101_000000.json`));
    list(opened.cli(), { all: true });
    expect(opened.data()).toMatchObject({ runs: [{ status: 'replaced', held_by: null }] });
  });

  it('names no machine for a session that never held the run', async () => {
    const opened = held();
    await advance(opened.cli(S2), 'auth', {});
    history(opened.cli(), 'auth');
    expect(opened.printed()).toMatch(/^ {2}s1 on \S+, since .*\n {2}s2, since .*; finished A$/m);
  });
});
