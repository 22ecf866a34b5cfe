import { describe, expect, it } from 'vitest';
import type { RunState, StoredRun } from '../../../../src/state/types.ts';
import { continueCommands } from '../../../../src/ui/model/commands.ts';
import { overview } from '../../../../src/ui/model/overview.ts';
import { runCard } from '../../../../src/ui/model/run-card.ts';
import { runPage, type RunPageInput } from '../../../../src/ui/model/run-page.ts';
import type { RunCard } from '../../../../src/ui/model/types/overview.ts';
import type { RunPage } from '../../../../src/ui/model/types/run.ts';
import { startTemplateRun } from '../../../../src/workflow/template-run.ts';
import { aPhase, aRecord, aRun, HERE, heldBy, minutesBefore, NOW } from '../../../support/runs.ts';
import { action, approval, aTemplate, loop, sub } from '../../../support/templates.ts';

const moment = { now: NOW, hostname: HERE };
const card = (fields: Partial<RunState> = {}, file: Partial<StoredRun> = {}): RunCard =>
  runCard(aRun(fields, file), moment);
const page = (run: StoredRun, fields: Partial<RunPageInput> = {}): RunPage =>
  runPage({
    ...moment,
    run,
    journal: [],
    reading: [],
    pendingReads: null,
    todo: null,
    sourceNote: null,
    budget: 8_000,
    resolvePath: (path) => path,
    ...fields,
  });

describe('a run in a list', () => {
  it('tells who holds it, and whether that session is live', () => {
    expect(card(heldBy('s1')).holder).toEqual({
      session: 's1',
      isLive: true,
      seenAt: minutesBefore(1),
    });
    expect(card(heldBy('s1', { last_seen_at: minutesBefore(6_000) })).holder).toMatchObject({
      isLive: false,
    });
    expect(card().holder).toBeNull();
  });

  it.each([
    [{ phase: aPhase({ status: 'blocked' }) }, 'unblocking'],
    [startTemplateRun(aTemplate([approval('ok')]), undefined, NOW), 'approval'],
    [
      startTemplateRun(
        aTemplate([loop('build')], { loops: { build: [sub('a')] } }),
        undefined,
        NOW,
      ),
      'tasks',
    ],
    [startTemplateRun(aTemplate([action('a', { context: 'clear' })]), undefined, NOW), '/clear'],
    [startTemplateRun(aTemplate([action('a')]), undefined, NOW), null],
    [{}, null],
    [{ status: 'paused', phase: aPhase({ status: 'blocked' }) }, null],
  ] as const)('waits for what it waits for (%#)', (fields, waitsFor) => {
    expect(card(fields as Partial<RunState>).waitsFor).toBe(waitsFor);
  });

  it('keeps hostile names as text in one line', () => {
    const { workflow } = card({ workflow: '<script>alert(1)</script>\n\u202Eevil' });
    expect(workflow).toBe('<script>alert(1)</script> evil');
  });
});

describe('the command that continues a run', () => {
  const commands = (fields: Partial<RunCard>): string[] =>
    continueCommands({ ...card(), id: 'shop-1', ...fields }).map(({ command }) => command);

  it.each<[Partial<RunCard>, string[]]>([
    [{}, ['/holdfast:resume shop-1', 'holdfast status shop-1']],
    [
      { holder: { session: 's1', isLive: true, seenAt: null } },
      ['/holdfast:resume shop-1 --force', 'holdfast status shop-1'],
    ],
    [
      { holder: { session: 's1', isLive: false, seenAt: null } },
      ['/holdfast:resume shop-1', 'holdfast status shop-1'],
    ],
    [{ status: 'paused' }, ['/holdfast:resume shop-1', 'holdfast resume shop-1']],
    [{ status: 'failed' }, ['/holdfast:resume shop-1', 'holdfast resume shop-1']],
    [{ status: 'completed' }, ['holdfast complete shop-1']],
    [{ status: 'cancelled' }, ['holdfast cancel shop-1 --reason "…"']],
    [{ status: 'completed', isArchived: true }, ['holdfast reopen shop-1']],
    [
      { waitsFor: 'approval' },
      ['holdfast approve shop-1', 'holdfast reject shop-1 --feedback "…"'],
    ],
    [{ waitsFor: 'unblocking' }, ['/holdfast:resume shop-1', 'holdfast status shop-1']],
  ])('%j', (fields, expected) => {
    expect(commands(fields)).toEqual(expected);
  });

  it('cannot be made to run something else by the name of a file', () => {
    expect(commands({ id: "x; rm -rf ~ $(id) 'y" })[1]).toBe(
      `holdfast status 'x; rm -rf ~ $(id) '\\''y'`,
    );
  });
});

describe('the page of a run', () => {
  it('shows what is stored, with paths resolved', () => {
    const run = aRun({
      key_reminders: ['never on Friday'],
      context: { ticket: 7, nested: { a: 1 } },
      artifacts: { spec: '{project_root}/spec.md' },
      feedback: [{ from: 'a', to: 'b', text: 'no', at: minutesBefore(1), tag: 'A' }, 'noise'],
      outputs: { '1': { text: 'done', artefacts: ['x.md'] } },
      phases: ['Design'],
    });
    expect(page(run, { resolvePath: (path) => path.replace('{project_root}/', '') })).toMatchObject(
      {
        reminders: ['never on Friday'],
        facts: [
          { name: 'ticket', value: '7' },
          { name: 'nested', value: '{"a":1}' },
        ],
        artifacts: [{ name: 'spec', value: 'spec.md' }],
        feedback: [{ from: 'a', to: 'b', text: 'no', isOpen: true }],
        outputs: [{ from: 'Design', text: 'done', files: ['x.md'] }],
      },
    );
  });

  it('shows the instructions of the step and the context action before it', () => {
    const state = startTemplateRun(
      aTemplate([action('plan', { instructions: 'Write it.\nThen stop.', context: 'compact' })]),
      undefined,
      NOW,
    );
    expect(page(aRun(state)).now).toMatchObject({
      title: 'plan',
      instructions: 'Write it.\nThen stop.',
      contextAction: { command: '/compact', state: 'due' },
    });
  });

  it('says what is wrong: a broken state, a blocked phase, a source that is gone', () => {
    const broken = {
      ...startTemplateRun(aTemplate([action('a')]), undefined, NOW),
      machine: { step: 'gone' },
    };
    expect(page(aRun(broken)).notes).toMatchObject([
      { tone: 'error', text: expect.stringMatching(/^The state of this run is broken: /) },
    ]);
    const blocked = { phase: aPhase({ status: 'blocked' as const }), status_reason: 'no disk' };
    expect(page(aRun(blocked)).notes).toEqual([{ tone: 'error', text: 'No disk' }]);
    expect(page(aRun(), { sourceNote: 'the plan is gone' }).notes).toEqual([
      { tone: 'info', text: 'The plan is gone' },
    ]);
  });

  it('of an archived run says so and offers nothing to do now', () => {
    const run = aRun({ status: 'completed' }, { path: 'untracked/workflow-archive/feature.json' });
    expect(page(run)).toMatchObject({
      now: null,
      notes: [{ tone: 'info', text: expect.stringContaining('complete') }],
      commands: [{ command: expect.stringContaining('holdfast reopen') }],
    });
  });

  it('counts compactions, restores and pivots', () => {
    const at = minutesBefore(1);
    const journal = ['restored', 'restored', 'pivoted', 'rejected'].map((event) => ({ event, at }));
    const run = aRun({ context_metadata: { compaction_count: 2 }, ...heldBy('s1') });
    expect(page(run, { journal }).totals).toEqual({
      compactions: 2,
      restores: 2,
      pivots: 2,
      sessions: 1,
      cost: null,
    });
  });

  it('shows a todo list in portions', () => {
    const items = Array.from({ length: 300 }, (_, index) => ({
      n: index + 1,
      text: `item ${index}`,
      done: index < 2,
    }));
    expect(page(aRun(), { todo: { path: 'TODO.md', items } }).todo).toMatchObject({
      done: 2,
      total: 300,
      itemsLeftOut: 100,
    });
    expect(page(aRun(), { todo: { path: 'TODO.md', items: [] } }).todo).toBeNull();
  });
});

describe('the overview', () => {
  const none = { runs: [], unreadable: [] };
  const input = {
    ...moment,
    root: '/home/dev/shop',
    home: '/home/dev',
    changes: [],
    setAside: [],
    hooks: [],
  };

  it('sorts runs into active, stopped and archived, each once', () => {
    const archivedRun = (id: string): StoredRun =>
      aRun({ status: 'completed' }, { runId: id, path: `untracked/workflow-archive/${id}.json` });
    const stored = {
      runs: [aRun({}, { runId: 'a' }), aRun({ status: 'paused' }, { runId: 'b' })],
      unreadable: [],
    };
    const view = overview({
      ...input,
      stored,
      archive: { runs: [archivedRun('c'), archivedRun('a')], unreadable: [] },
    });
    expect(view).toMatchObject({
      project: { name: 'shop', root: '~/shop' },
      active: [{ id: 'a' }],
      stopped: [{ id: 'b' }],
      archived: [{ id: 'c' }],
      archivedLeftOut: 0,
    });
    expect(view.archived).toHaveLength(1);
  });

  it.each([
    ['/home/dev', '/home/dev', '~'],
    ['/home/dev/a', '/home/dev', '~/a'],
    ['/home/developer/a', '/home/dev', '/home/developer/a'],
    ['/srv/a', '/home/dev', '/srv/a'],
    ['/srv/a', '', '/srv/a'],
  ])('shows the path %s of a user at home in "%s" as %s', (root, home, shown) => {
    const view = overview({ ...input, root, home, stored: none, archive: none });
    expect(view.project.root).toBe(shown);
  });

  it('names unreadable files with what to do, and loses no other run', () => {
    const stored = {
      runs: [aRun()],
      unreadable: [
        {
          path: 'untracked/x.json',
          why: { kind: 'not_json', parser: 'bad' } as const,
          corrupt: true,
        },
      ],
    };
    const view = overview({ ...input, stored, archive: none, setAside: ['untracked/y.corrupt-1'] });
    expect(view.active).toHaveLength(1);
    expect(view.problems).toMatchObject([
      { path: 'untracked/x.json', why: 'bad', fix: expect.stringContaining('Repair') },
      { path: 'untracked/y.corrupt-1', fix: expect.stringContaining('.corrupt-') },
    ]);
  });
});

it('a phase that a session finished again is named once', () => {
  const finished = ['Design', 'Build', 'Design'];
  const sessions = {
    current_session_id: 's1',
    session_history: [aRecord('s1', { phases_completed: finished })],
  };
  expect(page(aRun({ sessions })).sessions[0]?.finished).toEqual(['Design (2 times)', 'Build']);
});
