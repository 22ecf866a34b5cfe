import { sanitizeLine } from '../../text/sanitize.ts';
import { contextBefore } from '../../templates/machine/context-action.ts';
import { loopsOf } from '../../templates/machine/loops.ts';
import { phaseStates, type TemplateRun } from '../../templates/run-view.ts';
import type { Step, SubStep, Template } from '../../templates/template-types.generated.ts';
import { MARKS } from '../../headless/screen.ts';

/** The conversation that a step is worked on in. */
const SESSIONS = {
  same: 'the conversation goes on',
  fresh: 'a fresh conversation',
  compacted: 'the conversation is compacted first',
  own: 'a conversation of its own',
  none: 'stops and waits for you',
} as const;

type Conversation = keyof typeof SESSIONS;

/** What `run` would do from here on. `hasConversation`: the conversation of an earlier driver goes on. */
export function planRun(
  { template, state }: Pick<TemplateRun, 'template' | 'state'>,
  hasConversation: boolean,
) {
  const stateOf = phaseStates(state);
  return template.steps.map((step, index) => {
    const stepState = stateOf(index + 1);
    const isFirst = stepState === 'current' ? !hasConversation : index === 0;
    const cameFrom = template.steps[index - 1]?.id;
    const subSteps = step.type === 'loop' ? (loopsOf(template).get(step.id)?.subSteps ?? []) : [];
    const session = sessionOf(template, step, undefined, cameFrom, isFirst);
    return {
      id: step.id,
      type: step.type,
      state: stepState,
      session: step.type === 'approval' ? ('none' as const) : session,
      agent: step.agent ?? null,
      /** How often it is repeated at most. */
      repeats: step.n ?? null,
      gate: step.gate ?? null,
      until: step.until ?? null,
      when: step.when ?? null,
      /** What each task of a loop goes through. */
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
): Conversation {
  if ((subStep?.agent ?? step.agent) !== undefined) return 'own';
  if (isFirst) return 'fresh';
  const action = contextBefore(template, step, subStep, cameFrom);
  if (action === undefined) return 'same';
  return action === 'clear' ? 'fresh' : 'compacted';
}

/** One line for each step and sub-step. */
export function planText(steps: ReturnType<typeof planRun>): string {
  const lines = steps.flatMap((step) => {
    const { id, type, state, when, repeats, until, gate, subSteps } = step;
    if (state === 'skipped') return [`${MARKS[state]} ${id}: skipped`];
    if (state === 'passed') return [`${MARKS[state]} ${id}: passed by, because ${when} is false`];
    const parts = [
      type === 'loop' ? 'for each task' : conversationText(step),
      repeats !== null && `up to ${repeats} times`,
      until !== null && `until \`${until}\` exits 0`,
      gate !== null && `gate \`${gate}\``,
      when !== null && `only when ${when}`,
    ];
    return [
      `${MARKS[state]} ${id}: ${parts.filter((part) => part !== false).join(', ')}`,
      ...subSteps.map((subStep) => {
        const after = subStep.gate === null ? '' : `, gate \`${subStep.gate}\``;
        return `    ${subStep.id}: ${conversationText(subStep)}${after}`;
      }),
    ];
  });
  return lines.map((line) => line.replace(/\S.*/s, sanitizeLine)).join('\n');
}

function conversationText(step: { session: Conversation; agent: string | null }): string {
  const { session, agent } = step;
  return `${SESSIONS[session]}${agent === null ? '' : ` as ${agent}`}`;
}
