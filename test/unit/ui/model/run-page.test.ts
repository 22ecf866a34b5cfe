import { describe, expect, it } from 'vitest';
import type { RunState, StoredRun } from '../../../../src/state/types.ts';
import { continueCommands } from '../../../../src/ui/model/commands.ts';
import { overview } from '../../../../src/ui/model/overview.ts';
import { runCard } from '../../../../src/ui/model/run-card.ts';
import { runPage, type RunPageInput } from '../../../../src/ui/model/run-page.ts';
import type { RunCard } from '../../../../src/ui/model/types/overview.ts';
import type { RunPage } from '../../../../src/ui/model/types/run.ts';
import { startTemplateRun } from '../../../../src/workflow/template-run.ts';
import { aPhase, aRecord, aRun, HERE, NOW } from '../../../support/runs.ts';
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
      ['holdfast release shop-1', 'holdfast status shop-1'],
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
});

it('a phase that a session finished again is named once', () => {
  const finished = ['Design', 'Build', 'Design'];
  const sessions = {
    current_session_id: 's1',
    session_history: [aRecord('s1', { phases_completed: finished })],
  };
  expect(page(aRun({ sessions })).sessions[0]?.finished).toEqual(['Design (2 times)', 'Build']);
});
