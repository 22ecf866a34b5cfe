import type { PlannedStep } from '../../driver/plan.ts';
import { sanitizeLine } from '../../util/sanitize.ts';

const MARKS: Record<PlannedStep['state'], string> = {
  done: '✓',
  current: '▸',
  open: '·',
  skipped: '↷',
  passed: '–',
};

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
    .flatMap((step) => (isLeftOut(step) ? leftOutText(step) : drivenTexts(step)))
    .join('\n');
}

function isLeftOut({ state }: PlannedStep): boolean {
  return state === 'skipped' || state === 'passed';
}

function leftOutText({ id, state, when }: PlannedStep): string {
  const why =
    state === 'skipped' ? 'skipped' : `passed by, because ${sanitizeLine(when ?? '')} is false`;
  return `${MARKS[state]} ${sanitizeLine(id)}: ${why}`;
}

function drivenTexts(step: PlannedStep): string[] {
  return [
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
  ];
}

function withAgent({ session, agent }: Pick<PlannedStep, 'session' | 'agent'>): string {
  return `${SESSIONS[session]}${agent === null ? '' : ` as ${sanitizeLine(agent)}`}`;
}
