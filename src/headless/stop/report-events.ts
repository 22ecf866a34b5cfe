import type { StoredRun } from '../../state/types.ts';
import { parseRun } from '../../workflow/run.ts';
import { phaseStates } from '../../workflow/run-view.ts';
import type { DriveResult } from '../drive.ts';
import type { DriverEvent } from '../events.ts';
import { describeStop, exitCodeOf, stopReason } from './stop.ts';

/** The first event of a driver. */
export function startedEvent(
  run: StoredRun,
  client: string | null,
  log: { folder: string },
): DriverEvent {
  const parsed = parseRun(run.state);
  const stateOf = phaseStates(run.state);
  const steps = parsed.kind === 'template' ? parsed.template.steps : [];
  return {
    event: 'started',
    workflow: run.state.workflow,
    template: parsed.kind === 'template' ? parsed.template.name : '',
    client,
    steps: steps.map(({ id, title = id }, index) => ({
      id,
      title,
      state: stateOf(index + 1),
    })),
    log: log.folder,
  };
}

/** The last event of a driver. `signalCode` is the exit code of the signal that ended it. */
export function stoppedEvent(
  { stop, spent, elapsedMs, tally, states }: DriveResult,
  {
    runId,
    next,
    log,
    signalCode,
  }: {
    runId: string;
    next: string;
    log: { folder: string };
    signalCode: number | null;
  },
): DriverEvent {
  const { message, hint } = describeStop(stop, runId, next);
  const reason = stopReason(stop);
  const exit_code = (reason === 'interrupted' ? signalCode : null) ?? exitCodeOf(stop);
  return {
    event: 'stopped',
    reason,
    exit_code,
    message,
    hint,
    usage: {
      turns: tally.summaries.reduce((sum, { turns }) => sum + turns, 0),
      tokens: spent.tokens,
      cost_usd: spent.isCostComplete ? spent.costUsd : null,
      seconds: Math.round(elapsedMs / 1000),
    },
    steps: tally.summaries,
    states,
    log: log.folder,
    ...(exit_code === 0 ? {} : { error: { code: reason, message, hint } }),
  };
}
