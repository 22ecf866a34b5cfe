import { failureOf } from '../../state/failure.ts';
import { DEFAULT_RETRIES } from '../../workflow/machine/machine-state.ts';
import type { NextAction } from '../../workflow/machine/next-action.ts';
import { isAtPivotLimit, maxPivots } from '../../workflow/machine/pivot.ts';
import { positionOf } from '../../workflow/machine/position.ts';
import type { StepAt } from '../step/step-at.ts';
import type { Stop } from './stop.ts';

/** Why a run goes no further by itself, with what is known about it. */
export function stopAt(
  reason: NonNullable<NextAction['stop']>,
  { run, templateRun, label: text }: StepAt,
): Stop {
  const { state } = run;
  switch (reason) {
    case 'failed':
      return { reason, why: state.status_reason ?? '' };
    case 'tasks': {
      const { template, machine } = templateRun;
      const place = positionOf(template, machine);
      return { reason, loop: place.kind === 'waiting' ? place.loop.key : machine.step };
    }
    case 'approval':
      return { reason, canReject: !isAtPivotLimit(templateRun.template, templateRun.machine) };
    case 'limit': {
      const { template, machine } = templateRun;
      const label = text.replace(/, failed$/, '');
      const why = failureOf(state)?.reason ?? state.status_reason ?? '';
      return machine.status === 'failed'
        ? { reason, limit: 'retries', allowed: template.max_retries ?? DEFAULT_RETRIES, label, why }
        : { reason, limit: 'pivots', allowed: maxPivots(template), label, why };
    }
    default:
      return { reason };
  }
}
