import { isObject } from '../text/json.ts';
import type { RunState } from './types.ts';

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
  // A step that is called only `review` keeps its name.
  const subject = name.replace(/(?<=.)_REVIEW$/, '');
  return `${subject}_PIVOT_FEEDBACK`;
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
  const isSettledNow = (entry: unknown): entry is Feedback =>
    isFeedback(entry) && entry.finished !== true && steps.includes(entry.to);
  const entries = entriesOf(state);
  if (!entries.some(isSettledNow)) return state;
  const feedback = entries.map((entry) =>
    isSettledNow(entry) ? { ...entry, finished: true } : entry,
  );
  return { ...state, feedback };
}

/** The file may have been written by hand. */
function entriesOf(state: RunState): unknown[] {
  const feedback: unknown = state.feedback;
  if (feedback === undefined || feedback === null) return [];
  return Array.isArray(feedback) ? feedback : [feedback];
}

const REQUIRED_TEXTS = ['from', 'to', 'text', 'at', 'tag'];

/** Guidance prints the tag as that of an element, so nothing else may be in it. */
const TAG = /^[A-Z0-9_]{1,200}_PIVOT_FEEDBACK$/;

function isFeedback(entry: unknown): entry is Feedback {
  if (!isObject(entry)) return false;
  const hasTexts = REQUIRED_TEXTS.every(
    (key) => typeof entry[key] === 'string',
  );
  return hasTexts && TAG.test(String(entry['tag']));
}
