import { expect, it } from 'vitest';
import type { RunState } from '../../../src/state/types.ts';
import type { RunCard } from '../../../src/ui/page-data.ts';
import { runCard } from '../../../src/ui/run-card.ts';
import { startTemplateRun } from '../../../src/state/template-run.ts';
import { aPhase, aRun, HERE, NOW } from '../../support/runs.ts';
import {
  action,
  approval,
  aTemplate,
  loop,
  sub,
} from '../../support/templates.ts';

const card = (fields: Partial<RunState> = {}): RunCard =>
  runCard(aRun(fields), { now: NOW, hostname: HERE });
const started = (...[steps, options]: Parameters<typeof aTemplate>): RunState =>
  startTemplateRun(aTemplate(steps, options), undefined, NOW);

it.each<[Partial<RunState>, wait: string | undefined, needs: string | null]>([
  [{ phase: aPhase({ status: 'blocked' }) }, undefined, 'blocked'],
  [started([approval('ok')]), 'approval', 'approval'],
  [started([loop('build')], { loops: { build: [sub('a')] } }), 'tasks', null],
  [started([action('a', { context: 'clear' })]), 'context', null],
  [started([action('a')]), undefined, null],
  [{ status: 'failed' }, undefined, 'failed'],
  [{ status: 'paused', phase: aPhase({ status: 'blocked' }) }, undefined, null],
])(
  'a run in a list waits for what it waits for (%#)',
  (fields, wait, needs) => {
    expect(card(fields)).toMatchObject({
      needs,
      ...(wait ? { wait: { for: wait } } : { wait: null }),
    });
  },
);

it('a skipped phase is neither done nor to do', () => {
  const phase = aPhase({ current: 3, total: 5 });
  const skipped = { '2': 'known', '5': 'no guide' };
  const phases = card({ phase, skipped }).phases.join(' ');
  expect(phases).toBe('done skipped current open skipped');
  expect(
    card({ phase: aPhase({ current: 1, total: 1_000_000 }) }).phases,
  ).toEqual([]);
});

it('the name of a file cannot make a command run something else', () => {
  const run = { ...aRun({ status: 'paused' }), runId: "x; rm -rf ~ $(id) 'y" };
  const [, terminal] = runCard(run, { now: NOW, hostname: HERE }).commands;
  expect(terminal?.command).toBe(`holdfast resume 'x; rm -rf ~ $(id) '\\''y'`);
});
