import { isObject } from '../../text/json.ts';
import type { RunState } from '../../state/types.ts';

/** Why a run went back to an earlier step. It is open until that step is finished. */
export interface Feedback {
  from: string;
  to: string;
  tag: string;
  text: string;
  at: string;
  session_id?: string;
  finished?: true;
}

/** Named after the step that was left: what `budget_review` says is BUDGET_PIVOT_FEEDBACK. */
export function feedbackTag(from: string): string {
  const name = from.toUpperCase().replace(/[^A-Z0-9]/g, '_');
  return `${name.replace(/(?<=.)_REVIEW$/, '')}_PIVOT_FEEDBACK`;
}

/** The entry kept with the run; what others wrote there stays beside it. */
export function withFeedback(state: RunState, entry: Feedback): RunState {
  return { ...state, feedback: [...entriesOf(state), entry] };
}

/** For this step, the latest first. */
export function openFeedback(state: RunState, step: string): Feedback[] {
  return feedbackOf(state)
    .filter(({ to, finished }) => to === step && finished !== true)
    .toReversed();
}

export function feedbackOf(state: RunState): Feedback[] {
  return entriesOf(state).filter(isFeedback);
}

/** What these steps were told is done with: they were left forwards. */
export function settled(state: RunState, steps: readonly string[]): RunState {
  const isDone = (entry: unknown): entry is Feedback =>
    isFeedback(entry) && entry.finished !== true && steps.includes(entry.to);
  const entries = entriesOf(state);
  if (!entries.some(isDone)) return state;
  const feedback = entries.map((entry) => (isDone(entry) ? { ...entry, finished: true } : entry));
  return { ...state, feedback };
}

/** The file may have been written by hand. */
function entriesOf({ feedback }: RunState): unknown[] {
  const found: unknown = feedback;
  if (found === undefined || found === null) return [];
  return Array.isArray(found) ? found : [found];
}

function isFeedback(entry: unknown): entry is Feedback {
  return (
    isObject(entry) &&
    ['from', 'to', 'text', 'at', 'tag'].every((key) => typeof entry[key] === 'string') &&
    /^[A-Z0-9_]{1,200}_PIVOT_FEEDBACK$/.test(String(entry['tag']))
  );
}
