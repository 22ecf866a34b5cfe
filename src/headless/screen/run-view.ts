import type { PhaseState } from '../../workflow/run-view.ts';
import type { StampedEvent } from '../events.ts';
import { sanitizeLine } from '../../util/sanitize.ts';

/** What a terminal shows of a driven run. */
export interface RunView {
  run: string;
  workflow: string;
  steps: StepView[];
  /** Where inside the current step: a task, a sub-step, an iteration, a try. */
  detail: string;
  activity: string;
  /** What is being waited for, if anything. */
  notice: string;
  tokens: number;
  costUsd: number;
  isCostComplete: boolean;
  turns: number;
  fill: number | null;
  /** Of the turn that is under way. */
  turnTokens: number;
  /** Of the step that is under way, until it ends. */
  open: { tokens: number; costUsd: number | null; turns: number };
  isOver: boolean;
  startedAt: number;
  stepStartedAt: number;
}

export interface StepView {
  id: string;
  title: string;
  state: PhaseState | 'failed';
  seconds: number;
  costUsd: number | null;
  turns: number;
}

export const NO_VIEW: RunView = {
  run: '',
  workflow: '',
  steps: [],
  detail: '',
  activity: '',
  notice: '',
  tokens: 0,
  costUsd: 0,
  isCostComplete: true,
  turns: 0,
  fill: null,
  turnTokens: 0,
  open: { tokens: 0, costUsd: 0, turns: 0 },
  isOver: false,
  startedAt: 0,
  stepStartedAt: 0,
};

/** The view after one more event. */
export function withEvent(view: RunView, event: StampedEvent): RunView {
  const at = Date.parse(event.at);
  switch (event.event) {
    case 'started':
      return {
        ...NO_VIEW,
        run: event.run,
        workflow: event.workflow,
        startedAt: at,
        stepStartedAt: at,
        steps: event.steps.map(({ id, title, state }) => ({
          id,
          title,
          state,
          seconds: 0,
          costUsd: 0,
          turns: 0,
        })),
      };
    case 'step': {
      const [, detail = ''] = /\), (.*)$/.exec(event.label) ?? [];
      const again = event.attempt > 1 ? `try ${event.attempt}` : '';
      return {
        ...view,
        steps: withStates(view, event),
        detail: [detail, again].filter((part) => part !== '').join(', '),
        activity: '',
        notice: '',
        stepStartedAt: at,
      };
    }
    case 'activity': {
      const target = event.target === '' ? '' : ` ${event.target}`;
      return { ...view, activity: `${event.tool}${target}`, notice: '' };
    }
    case 'compacted':
      return { ...view, activity: 'the conversation was compacted', fill: null };
    case 'session':
      return {
        ...view,
        activity: `${event.kind} session${event.agent === null ? '' : ` as ${sanitizeLine(event.agent)}`}`,
        notice: '',
        fill: event.kind === 'fresh' ? null : view.fill,
      };
    case 'tokens':
      return { ...view, turnTokens: event.tokens, fill: event.context_percent ?? view.fill };
    case 'turn': {
      const { tokens, cost_usd: costUsd, turns } = event.usage;
      return {
        ...view,
        turnTokens: 0,
        open: { tokens, costUsd, turns },
        fill: event.context_percent ?? view.fill,
      };
    }
    case 'gate':
      return {
        ...view,
        activity: `gate ${sanitizeLine(event.command)}: ${event.result.replace('_', ' ')}`,
      };
    case 'until':
      return {
        ...view,
        activity: `${sanitizeLine(event.command)}: ${event.met ? 'met' : 'not met'}`,
      };
    case 'step_ended': {
      const { step: id, outcome, tokens, cost_usd: costUsd, turns, seconds } = event.summary;
      return {
        ...view,
        open: NO_VIEW.open,
        tokens: view.tokens + tokens,
        costUsd: view.costUsd + (costUsd ?? 0),
        isCostComplete: view.isCostComplete && costUsd !== null,
        turns: view.turns + turns,
        steps: view.steps.map((step) =>
          step.id === id
            ? {
                ...step,
                state: outcome === 'failed' ? 'failed' : step.state,
                seconds: step.seconds + seconds,
                costUsd: sum(step.costUsd, costUsd),
                turns: step.turns + turns,
              }
            : step,
        ),
      };
    }
    case 'waiting_for_client':
      return {
        ...view,
        notice: `waiting for process ${event.pid}, which still works on this step`,
      };
    case 'retry':
      return { ...view, notice: `${sanitizeLine(event.message)}; trying again` };
    case 'waiting_for_reset':
      return { ...view, notice: 'waiting for the usage limit to be reset' };
    case 'warning':
      return { ...view, notice: sanitizeLine(event.message) };
    case 'stopped': {
      const steps = withStates(view, event);
      const isElsewhere = currentIndex(steps) !== currentIndex(view.steps);
      return {
        ...view,
        ...(isElsewhere ? { detail: '', activity: '', stepStartedAt: at } : {}),
        steps,
        isOver: true,
      };
    }
    default:
      return view;
  }
}

function currentIndex(steps: readonly StepView[]): number {
  return steps.findIndex(({ state }) => state === 'current');
}

/** A step that has failed stays the current one of its run. */
function withStates({ steps }: RunView, { states }: { states: PhaseState[] }): StepView[] {
  return steps.map((step, index) => {
    const state = states[index] ?? step.state;
    return state === 'current' && step.state === 'failed' ? step : { ...step, state };
  });
}

function sum(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}
