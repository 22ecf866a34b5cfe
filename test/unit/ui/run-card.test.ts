import { expect, it } from 'vitest';
import type { RunState } from '../../../src/state/types.ts';
import { continueCommands, runCard, type RunCard } from '../../../src/ui/run-card.ts';
import { startTemplateRun } from '../../../src/workflow/template-run.ts';
import { aPhase, aRun, HERE, NOW } from '../../support/runs.ts';
import { action, approval, aTemplate, loop, sub } from '../../support/templates.ts';

const card = (fields: Partial<RunState> = {}): RunCard =>
  runCard(aRun(fields), { now: NOW, hostname: HERE });
const started = (...[steps, options]: Parameters<typeof aTemplate>): RunState =>
  startTemplateRun(aTemplate(steps, options), undefined, NOW);

it.each<[Partial<RunState>, string | undefined]>([
  [{ phase: aPhase({ status: 'blocked' }) }, 'unblocking'],
  [started([approval('ok')]), 'approval'],
  [started([loop('build')], { loops: { build: [sub('a')] } }), 'tasks'],
  [started([action('a', { context: 'clear' })]), 'context'],
  [started([action('a')]), undefined],
  [{}, undefined],
  [{ status: 'paused', phase: aPhase({ status: 'blocked' }) }, undefined],
])('a run in a list waits for what it waits for (%#)', (fields, wait) => {
  expect(card(fields).wait?.for).toBe(wait);
});

it('a skipped phase is neither done nor to do', () => {
  const phase = aPhase({ current: 3, total: 5 });
  const skipped = { '2': 'known', '5': 'no guide' };
  expect(card({ phase, skipped }).phases).toEqual([
    'done',
    'skipped',
    'current',
    'open',
    'skipped',
  ]);
  expect(card({ phase: aPhase({ current: 1, total: 1_000_000 }) }).phases).toEqual([]);
});

const holder = { session: 's1', isLive: true, seenAt: '' };

it.each<[Partial<RunCard>, string[]]>([
  [{}, ['/holdfast:resume shop-1', 'holdfast status shop-1']],
  [{ holder }, ['holdfast release shop-1', 'holdfast status shop-1']],
  [{ holder: { ...holder, isLive: false } }, ['/holdfast:resume shop-1', 'holdfast status shop-1']],
  [{ status: 'paused' }, ['/holdfast:resume shop-1', 'holdfast resume shop-1']],
  [{ status: 'failed' }, ['/holdfast:resume shop-1', 'holdfast resume shop-1']],
  [{ status: 'completed' }, ['holdfast complete shop-1']],
  [{ status: 'cancelled' }, ['holdfast cancel shop-1 --reason "…"']],
  [{ status: 'completed', archived: true }, ['holdfast reopen shop-1']],
  [
    { wait: { for: 'approval' } },
    ['holdfast approve shop-1', 'holdfast reject shop-1 --feedback "…"'],
  ],
  [{ wait: { for: 'unblocking' } }, ['/holdfast:resume shop-1', 'holdfast status shop-1']],
  // The name of a file cannot make it run something else.
  [
    { status: 'completed', run_id: "x; rm -rf ~ $(id) 'y" },
    [`holdfast complete 'x; rm -rf ~ $(id) '\\''y'`],
  ],
])('what continues a run of %j', (fields, expected) => {
  const commands = continueCommands({ ...card(), run_id: 'shop-1', ...fields });
  expect(commands.map(({ command }) => command)).toEqual(expected);
});
