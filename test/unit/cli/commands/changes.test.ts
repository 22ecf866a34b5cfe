import { afterEach, describe, expect, it, vi } from 'vitest';
import { advance } from '../../../../src/cli/commands/advance.ts';
import { approve } from '../../../../src/cli/commands/approve.ts';
import { cancel } from '../../../../src/cli/commands/cancel.ts';
import { complete } from '../../../../src/cli/commands/complete.ts';
import { contextAction } from '../../../../src/cli/commands/context.ts';
import { fail } from '../../../../src/cli/commands/fail.ts';
import { guidance } from '../../../../src/cli/commands/guidance.ts';
import { pause } from '../../../../src/cli/commands/pause.ts';
import { pivot } from '../../../../src/cli/commands/pivot.ts';
import { reject } from '../../../../src/cli/commands/reject.ts';
import { release } from '../../../../src/cli/commands/release.ts';
import { reopen } from '../../../../src/cli/commands/reopen.ts';
import { resume } from '../../../../src/cli/commands/resume.ts';
import { skip } from '../../../../src/cli/commands/skip.ts';
import { start } from '../../../../src/cli/commands/start.ts';
import { status } from '../../../../src/cli/commands/status.ts';
import { tasks } from '../../../../src/cli/commands/tasks.ts';
import { update } from '../../../../src/cli/commands/update.ts';
import type { CommandContext } from '../../../../src/cli/context.ts';
import { saying } from '../../../support/failures.ts';
import { screen, type Screen } from './support.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const TEMPLATE = `name: Release
description: Ships a release.
steps:
  - id: plan
    type: action
    instructions: Write the plan.
  - id: build
    type: loop
    instructions: Build it.
  - id: check
    type: approval
    instructions: Look at it.
  - id: ship
    type: action
    context: compact
    instructions: |
      Tag the release.
      Publish the package.
loops:
  build:
    - id: code
      instructions: Write {task.title}.
`;
const FILES = {
  'docs/spec.md': 'spec',
  'tasks.txt': 'Login\nLogout\n',
  '.claude/holdfast/workflows/release.yaml': TEMPLATE,
};

function withPhases(): Screen {
  const opened = screen(FILES);
  start(opened.cli(), 'User Auth', { phases: 'Design,Build,Review', read: ['docs/spec.md'] });
  return opened;
}

/** A template run at its approval step. */
async function withTemplate(): Promise<Screen> {
  const opened = screen(FILES);
  start(opened.cli(), 'magic links', { template: 'release' });
  await advance(opened.cli(), undefined, { output: 'the plan' });
  tasks(opened.cli(), 'build', { file: 'tasks.txt' });
  await advance(opened.cli(), undefined, {});
  await advance(opened.cli(), undefined, {});
  return opened;
}

const linesOf = (text: string): string[] => text.split('\n');

/** Everything that changes a run, and what the first line of its reply says. */
const changes: [
  name: string,
  first: RegExp,
  call: (cli: CommandContext) => void | Promise<void>,
][] = [
  ['advance', /^Finished phase 1\/3 Design\.$/, (cli) => advance(cli, undefined, {})],
  [
    'skip',
    /^Skipped phase 1\/3 Design: not needed\.$/,
    (cli) => skip(cli, undefined, { reason: 'not needed' }),
  ],
  [
    'skip --phase',
    /^Skipped phase 3\/3 Review: later\.$/,
    (cli) => skip(cli, undefined, { phase: '3', reason: 'later' }),
  ],
  [
    'fail',
    /^Phase 1\/3 Design is blocked\.$/,
    (cli) => fail(cli, undefined, { reason: 'no database' }),
  ],
  [
    'update',
    /^Updated user-auth-\S+: phase 2\/3 Build \(in progress\), 1 reminder added\.$/,
    (cli) => update(cli, undefined, { phase: '2', remind: ['x'] }),
  ],
  ['release', /^Released user-auth-\S+: it stays active/, (cli) => release(cli, undefined)],
  ['pause', /^Paused user-auth-\S+: lunch\.$/, (cli) => pause(cli, undefined, { reason: 'lunch' })],
  ['complete', /^Completed User Auth \(user-auth-\S+\)\.$/, (cli) => complete(cli, undefined, {})],
  ['complete --purge', /^Completed User Auth/, (cli) => complete(cli, undefined, { purge: true })],
  [
    'cancel',
    /^Cancelled User Auth \(user-auth-\S+\): not wanted$/,
    (cli) => cancel(cli, undefined, { reason: 'not wanted' }),
  ],
];

describe('every change says what changed and what to type next, in two to four lines', () => {
  it.each(changes)('%s', async (_name, first, call) => {
    const { cli, printed } = withPhases();
    await call(cli());
    const lines = linesOf(printed());
    expect(lines[0]).toMatch(first);
    expect(lines.length).toBeGreaterThanOrEqual(2);
    expect(lines.length).toBeLessThanOrEqual(4);
    expect(lines.at(-1)).toMatch(/^Next: .*\bholdfast\b/);
  });

  it('release of a run that is paused', () => {
    const { cli, printed } = withPhases();
    pause(cli(), undefined, {});
    release(cli(), 'user-auth');
    expect(printed()).toMatch(
      /^Released user-auth-\S+: it stays paused, and no session holds it\.$/m,
    );
  });

  it('reopen and resume in a terminal', () => {
    const { cli, printed } = withPhases();
    complete(cli(), undefined, {});
    reopen(cli(), 'user-auth');
    expect(printed()).toMatch(
      /^Reopened user-auth-\S+, at phase 1\/3 Design\.\nNext: holdfast init, then in Claude Code type \/holdfast:resume user-auth-\S+$/,
    );
    pause(cli(), undefined, {});
    resume(cli(), 'user-auth', {});
    expect(linesOf(printed())).toEqual([
      expect.stringMatching(/^Resumed user-auth-\S+, at phase 1\/3 Design\.$/),
      'No session holds it: this terminal is not a Claude Code session.',
      expect.stringMatching(
        /^Next: holdfast init, then in Claude Code type \/holdfast:resume user-auth-\S+$/,
      ),
    ]);
  });

  it('resume in a terminal names the session that has the run again', () => {
    const { cli, printed } = screen(FILES);
    start(cli({ session: 's1' }), 'magic links', { template: 'release' });
    const next =
      'Next: tell the session that works on the run to continue; it runs holdfast status';
    fail(cli(), undefined, { reason: 'broken' });
    resume(cli(), 'magic-links', {});
    expect(linesOf(printed())).toEqual([expect.stringMatching(/^Resumed magic-links-\S+, /), next]);
  });

  it('the short instructions of a step come along', () => {
    const { cli, printed } = screen(FILES);
    start(cli({ session: 's1' }), 'magic links', { template: 'release' });
    expect(linesOf(printed())).toEqual([
      expect.stringMatching(/^Started magic-links-\S+\.$/),
      'Now: step 1 of 4 (plan).',
      'Instructions: Write the plan.',
      'Next: holdfast advance --output "<what the next steps need to know>"',
    ]);
  });

  it('longer instructions are for status, as what the user has to decide', async () => {
    const { cli, printed } = await withTemplate();
    expect(linesOf(printed())).toEqual([
      'Finished step 2 of 4 (build), task 2 of 2 (Logout), sub-step code.',
      "Now: step 3 of 4 (check), waiting for the user's approval.",
      'Next: holdfast status prints what is to be decided; then the user decides: holdfast approve, or holdfast reject --feedback "<what has to change>"',
    ]);
    reject(cli(), undefined, { feedback: 'the tests are missing' });
    expect(linesOf(printed())).toHaveLength(2);
    expect(printed()).toMatch(
      /^Rejected check: the work goes back to build[^]*\nNext: .*in Claude Code type \/holdfast:resume magic-links-/,
    );
  });

  it('an approval, the context action it leads to, and a pivot', async () => {
    const { cli, printed } = await withTemplate();
    await approve(cli(), undefined, { note: 'ship it' });
    expect(linesOf(printed())).toEqual([
      'Approved step 3 of 4 (check).',
      'Now: step 4 of 4 (ship).',
      expect.stringMatching(/^Next: .*in Claude Code type \/holdfast:resume magic-links-\S+$/),
    ]);
    contextAction(cli(), undefined, { done: true });
    expect(linesOf(printed())).toEqual([
      expect.stringMatching(/^\/compact is recorded as performed for \S+\.$/),
      'Next: holdfast status prints the instructions of the step',
    ]);
    pivot(cli(), 'plan', { feedback: 'too big' });
    expect(linesOf(printed())).toEqual([
      expect.stringMatching(/^Went back from step 4 of 4 \(ship\) to plan\. The feedback is kept/),
      'Now: step 1 of 4 (plan).',
      expect.stringMatching(/^Next: holdfast status prints the instructions; .* holdfast advance/),
    ]);
  });

  it('a step that begins with a context action asks for it first', async () => {
    const steps = TEMPLATE.replace(
      / {2}- id: build[^]*type: approval\n {4}instructions: Look at it.\n/,
      '',
    ).replace(/loops:[^]*/, '');
    const { cli, printed } = screen({ '.claude/holdfast/workflows/release.yaml': steps });
    start(cli({ session: 's1' }), 'magic links', { template: 'release' });
    await advance(cli({ session: 's1' }), undefined, {});
    expect(linesOf(printed())).toEqual([
      'Finished step 1 of 2 (plan).',
      'Now: step 2 of 2 (ship).',
      expect.stringMatching(/^Please run `\/compact` first/),
      'Next: /compact, then holdfast status',
    ]);
  });

  it('the last phase ends the run, and says where its record is', async () => {
    const { cli, printed } = withPhases();
    update(cli(), undefined, { phase: '3' });
    await advance(cli(), undefined, {});
    expect(linesOf(printed())).toEqual([
      'Finished phase 3/3 Review, the last one.',
      expect.stringMatching(/^Completed User Auth/),
      expect.stringMatching(
        /^Its record is in untracked\/workflow-archive\/user-auth-\S+\.json\.$/,
      ),
      expect.stringMatching(/^Next: holdfast start .*; or holdfast reopen user-auth-\S+$/),
    ]);
  });
});

describe('what people stumble over', () => {
  it('a run started in a terminal is held by nobody, and the reply says how a session takes it', () => {
    const { printed } = withPhases();
    expect(linesOf(printed()).slice(0, 2)).toEqual([
      expect.stringMatching(/^Started user-auth-\S+\.$/),
      expect.stringMatching(
        /^No session holds it: this terminal is not .* To work on it: .* \/holdfast:resume user-auth-\S+\.$/,
      ),
    ]);
    expect(printed()).toMatch(/Required reading\n {2}unread {5}@docs\/spec\.md/);
  });

  it('a session that starts a run holds it', () => {
    const { cli, printed } = screen(FILES);
    start(cli({ session: 's1' }), 'User Auth', { phases: 'A,B' });
    expect(printed()).not.toContain('No session');
  });

  it('an active run cannot be resumed in a terminal, which says what to do instead', () => {
    const { cli } = withPhases();
    expect(() => resume(cli(), 'user-auth', {})).toThrow(
      saying(/this terminal is not a Claude Code session .* `\/holdfast:resume user-auth-\S+`/),
    );
  });

  it('advancing a blocked phase says that it was blocked, and why', async () => {
    const { cli, printed } = withPhases();
    fail(cli(), undefined, { reason: 'no database' });
    fail(cli(), undefined, { reason: 'no network' });
    expect(printed()).toContain('Phase 1/3 Design is blocked; it has failed 2 times.');
    expect(printed()).toContain('Next: resolve the blocker, then holdfast advance');
    await advance(cli(), undefined, {});
    expect(linesOf(printed())[0]).toBe('Finished phase 1/3 Design (it was blocked: no network).');
  });

  it('a failure is told once in status, without stutter', () => {
    const { cli, printed } = withPhases();
    fail(cli(), undefined, { reason: 'no database' });
    fail(cli(), undefined, { reason: 'no network' });
    status(cli(), undefined, {});
    expect(printed()).toContain('\nFailed   2 times, the last time: no network\n');
    expect(printed().match(/no network/g)).toHaveLength(1);
  });
});

describe('a run that cannot be sent back any more', () => {
  const flow = (last: string): Record<string, string> => ({
    '.claude/holdfast/workflows/flow.yaml': `name: Flow
description: x
max_pivots: 1
steps:
  - { id: a, type: action, instructions: x }
  - { id: b, ${last} }
`,
  });
  const REASON = 'the work was sent back once, which is all that its template allows';

  it('at an approval step is only offered what the user can still do there, with the reason', async () => {
    const { cli, printed } = screen(flow('type: approval, instructions: Look at it.'));
    start(cli(), undefined, { template: 'flow' });
    await advance(cli(), undefined, {});
    reject(cli(), undefined, { feedback: '1' });
    await advance(cli(), undefined, {});
    const ways = /Next: .*the user decides: holdfast approve, or end the run: holdfast complete$/m;
    expect(printed()).toMatch(ways);
    expect(() => reject(cli(), undefined, { feedback: '2' })).toThrow(saying('holdfast complete'));
    status(cli(), undefined, {});
    expect(printed()).toMatch(ways);
    expect(printed()).toMatch(new RegExp(`^Reason +${REASON}$`, 'm'));
    guidance(cli(), 'flow', { source: 'compact' });
    expect(printed()).toContain(`Phase: 2/2 - b (blocked): ${REASON}`);
    expect(printed()).toMatch(/holdfast approve flow-\S+, or holdfast complete flow-\S+/);
    expect(printed()).not.toContain('holdfast reject');
    await approve(cli(), undefined, {});
    expect(printed()).toContain('Completed Flow');
  });

  it.each([
    ['with a gate is not offered to be skipped', 'gate: "true", ', 'fail'],
    ['without a gate can be skipped', '', 'skip'],
  ])('at a step %s', async (_what, gate, command) => {
    const { cli, printed } = screen(flow(`type: action, ${gate}instructions: Do it.`));
    start(cli(), undefined, { template: 'flow' });
    await advance(cli(), undefined, {});
    pivot(cli(), 'a', { feedback: '1' });
    await advance(cli(), undefined, {});
    expect(() => pivot(cli(), 'a', { feedback: '2' })).toThrow(
      saying(/`holdfast advance flow-\S+`/),
    );
    status(cli(), undefined, {});
    expect(printed()).toMatch(
      new RegExp(`Next: resolve the blocker, then holdfast advance; or .*: holdfast ${command} `),
    );
  });
});
