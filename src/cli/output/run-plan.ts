import type { PlannedStep } from '../../driver/plan.ts';
import { sanitizeLine } from '../../util/sanitize.ts';

const MARKS: Record<PlannedStep['state'], string> = { done: '✓', current: '▸', open: '·' };

const SESSIONS: Record<PlannedStep['session'], string> = {
  same: 'the conversation goes on',
  fresh: 'a fresh conversation',
  compacted: 'the conversation is compacted first',
  own: 'a conversation of its own',
  none: 'stops and waits for you',
};

/** What a driver would do, one line for each step. */
export function planText(steps: readonly PlannedStep[]): string {
  return steps
    .flatMap((step) => [
      `${MARKS[step.state]} ${sanitizeLine(step.id)}: ${[
        ...(step.type === 'loop' ? ['for each task'] : [withAgent(step)]),
        ...(step.repeats === null ? [] : [`up to ${step.repeats} times`]),
        ...(step.until === null ? [] : [`until \`${sanitizeLine(step.until)}\` exits 0`]),
        ...(step.gate === null ? [] : [`gate \`${sanitizeLine(step.gate)}\``]),
        ...(step.when === null ? [] : [`only when ${sanitizeLine(step.when)}`]),
      ].join(', ')}`,
      ...step.subSteps.map(
        (subStep) =>
          `    ${sanitizeLine(subStep.id)}: ${[
            withAgent(subStep),
            ...(subStep.gate === null ? [] : [`gate \`${sanitizeLine(subStep.gate)}\``]),
          ].join(', ')}`,
      ),
    ])
    .join('\n');
}

function withAgent({ session, agent }: Pick<PlannedStep, 'session' | 'agent'>): string {
  return `${SESSIONS[session]}${agent === null ? '' : ` as ${sanitizeLine(agent)}`}`;
}
