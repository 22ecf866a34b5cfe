import { describe, expect, it } from 'vitest';
import { NOTHING_SPENT } from '../../../../src/driver/limits/limits.ts';
import { StepTally } from '../../../../src/driver/step/step-tally.ts';
import { stepAt } from '../../../../src/driver/step/step-at.ts';
import { startedEvent, stoppedEvent } from '../../../../src/driver/stop/report-events.ts';
import type { Stop } from '../../../../src/driver/stop/stop.ts';
import type { StoredRun } from '../../../../src/state/types.ts';
import { startTemplateRun } from '../../../../src/workflow/template-run.ts';
import { aPhase, aRun, NOW } from '../../../support/runs.ts';
import { action, aTemplate } from '../../../support/templates.ts';

const LOG = { folder: 'untracked/workflow-logs/release-1' };

function aTemplateRun(): StoredRun {
  const steps = [
    action('plan', { title: 'Plan it' }),
    action('docs'),
    action('build'),
    action('ship'),
  ];
  return aRun(startTemplateRun(aTemplate(steps), undefined, NOW));
}

describe('the first event', () => {
  it('has the steps with what is done, skipped, current and open', () => {
    const run = aTemplateRun();
    const state = {
      ...run.state,
      phase: aPhase({ current: 3, total: 4, name: 'build' }),
      skipped: { '2': 'no docs' },
    };
    expect(startedEvent({ ...run, state }, '2.1.325', LOG)).toMatchObject({
      event: 'started',
      client: '2.1.325',
      log: LOG.folder,
      steps: [
        { id: 'plan', title: 'Plan it', state: 'done' },
        { id: 'docs', title: 'docs', state: 'skipped' },
        { id: 'build', state: 'current' },
        { id: 'ship', state: 'open' },
      ],
    });
  });

  it('has no steps for a run without a template', () => {
    expect(startedEvent(aRun(), null, LOG)).toMatchObject({
      steps: [],
      template: '',
      client: null,
    });
  });
});

describe('the last event', () => {
  const stopped = (stop: Stop, signalCode: number | null = null, spent = NOTHING_SPENT) => {
    const tally = new StepTally();
    tally.enter(stepAt(aTemplateRun()), 0);
    tally.add({ costUsd: 0.5, tokens: 100, turns: 2 });
    tally.close(null, 4_000);
    return stoppedEvent(
      { stop, spent, elapsedMs: 61_400, tally, states: ['done'] },
      { runId: 'release-1', next: 'NEXT', log: LOG, signalCode },
    );
  };

  it('has no error if the run is complete', () => {
    const event = stopped({ reason: 'done' });
    const usage = { turns: 2, seconds: 61 };
    expect(event).toMatchObject({ reason: 'done', exit_code: 0, usage, states: ['done'] });
    expect(event).not.toHaveProperty('error');
  });

  it('repeats the reason as an error, for programs that look for one', () => {
    const event = stopped({ reason: 'approval', canReject: true });
    expect(event).toMatchObject({ exit_code: 3, error: { code: 'approval' } });
    if (event.event !== 'stopped') throw new Error('another event');
    expect(event.error).toMatchObject({ message: event.message, hint: event.hint });
    expect(event.hint).toContain('holdfast approve release-1');
    expect(event.hint).toContain('`NEXT` continues the run');
  });

  it('has the exit code of the signal, but only if the signal was the reason', () => {
    expect(stopped({ reason: 'interrupted' }, 143)).toMatchObject({ exit_code: 143 });
    expect(stopped({ reason: 'interrupted' })).toMatchObject({ exit_code: 130 });
    expect(stopped({ reason: 'budget', costUsd: 1 }, 143)).toMatchObject({ exit_code: 4 });
  });

  it('does not call a cost complete of which a part is unknown', () => {
    const spent = { ...NOTHING_SPENT, costUsd: 1.5 };
    expect(stopped({ reason: 'done' }, null, spent)).toMatchObject({ usage: { cost_usd: 1.5 } });
    const unknown = { ...spent, isCostComplete: false };
    expect(stopped({ reason: 'done' }, null, unknown)).toMatchObject({ usage: { cost_usd: null } });
  });
});
