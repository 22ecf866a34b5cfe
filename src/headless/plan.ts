import { loopsOf } from '../workflow/machine/loops.ts';
import { contextBefore } from '../workflow/machine/context-action.ts';
import type { TemplateRun } from '../workflow/run.ts';
import { phaseStates, type PhaseState } from '../workflow/run-view.ts';
import type { Step, SubStep, Template } from '../workflow/template/template-types.generated.ts';

/** A step as it would be driven. */
export interface PlannedStep {
  id: string;
  type: Step['type'];
  state: PhaseState;
  /** The conversation that it is worked on in. */
  session: 'same' | 'fresh' | 'compacted' | 'own' | 'none';
  agent: string | null;
  /** How often it is repeated at most. */
  repeats: number | null;
  gate: string | null;
  until: string | null;
  when: string | null;
  /** What each task of a loop goes through. */
  subSteps: {
    id: string;
    session: PlannedStep['session'];
    agent: string | null;
    gate: string | null;
  }[];
}

/**
 * What `run` would do from here on, as far as the template says. `hasConversation`: a driver has worked on the run
 * before, and its conversation goes on.
 */
export function planRun(
  { template, state }: Pick<TemplateRun, 'template' | 'state'>,
  hasConversation: boolean,
): PlannedStep[] {
  const stateOf = phaseStates(state);
  return template.steps.map((step, index) => {
    const stepState = stateOf(index + 1);
    const isFirst = stepState === 'current' ? !hasConversation : index === 0;
    const cameFrom = index === 0 ? undefined : template.steps[index - 1]?.id;
    const subSteps = step.type === 'loop' ? (loopsOf(template).get(step.id)?.subSteps ?? []) : [];
    return {
      id: step.id,
      type: step.type,
      state: stepState,
      session:
        step.type === 'approval' ? 'none' : sessionOf(template, step, undefined, cameFrom, isFirst),
      agent: step.agent ?? null,
      repeats: step.n ?? null,
      gate: step.gate ?? null,
      until: step.until ?? null,
      when: step.when ?? null,
      subSteps: subSteps.map((subStep) => ({
        id: subStep.id,
        session: sessionOf(template, step, subStep, undefined, false),
        agent: subStep.agent ?? step.agent ?? null,
        gate: subStep.gate ?? null,
      })),
    };
  });
}

function sessionOf(
  template: Template,
  step: Step,
  subStep: SubStep | undefined,
  cameFrom: string | undefined,
  isFirst: boolean,
): PlannedStep['session'] {
  if ((subStep?.agent ?? step.agent) !== undefined) return 'own';
  if (isFirst) return 'fresh';
  const action = contextBefore(template, step, subStep, cameFrom);
  if (action === undefined) return 'same';
  return action === 'clear' ? 'fresh' : 'compacted';
}
