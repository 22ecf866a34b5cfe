import type { RunState } from './types.ts';
import { isObject, ownEntry } from '../text/json.ts';
import { digestOf } from '../text/slug.ts';
import type { MachineState } from '../machine/machine-state.ts';

export interface PreservedItem {
  /** Each thing is given once: `output plan`, `context port`, `artifact spec`, `made plan`, `summary`, `feedback`. */
  id: string;
  name: string;
  text: string;
  files?: string[];
  feedback?: Feedback;
}

/** What the keys of a transition stand for now, in the order of the keys; `unknown` are those that stand for nothing yet. */
export function preservedItems(
  state: RunState,
  machine: MachineState,
): { items: PreservedItem[]; unknown: string[] } {
  const items = new Map<string, PreservedItem>();
  const unknown: string[] = [];
  for (const key of machine.preserved ?? []) {
    const found = meantBy(state, machine, key);
    if (found.length === 0) unknown.push(key);
    for (const item of found) items.set(item.id, item);
  }
  return { items: [...items.values()], unknown };
}

function meantBy(
  state: RunState,
  machine: MachineState,
  key: string,
): PreservedItem[] {
  const { summary = '', artefacts } = machine;
  if (key === 'summary')
    return summary === ''
      ? []
      : [{ id: key, name: 'this run is about', text: summary }];
  if (key === 'feedback')
    return feedbackOf(state)
      .slice(-1)
      .map((feedback) => ({
        id: key,
        name: key,
        text: feedback.text,
        feedback,
      }));
  const items = Object.entries({ ...machine.sentBack, ...machine.outputs })
    .filter(([name]) => name === key || name.startsWith(`${key}.`))
    .map(([name, text]): PreservedItem => ({
      id: `output ${name}`,
      name: `output of ${name}`,
      text,
    }));
  const { context = {}, artifacts = {} } = state;
  const made = ownEntry(artefacts, key) ?? [];
  const path = ownEntry(artifacts, key);
  const value = ownEntry(context, key);
  if (made.length > 0)
    items.push({
      id: `made ${key}`,
      name: `files of ${key}`,
      text: '',
      files: made,
    });
  if (value !== undefined) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    items.push({ id: `context ${key}`, name: key, text });
  }
  if (path !== undefined)
    items.push({ id: `artifact ${key}`, name: key, text: '', files: [path] });
  return items;
}

/** A digest of each thing that a clear may leave behind, by its id: what changes later counts again. */
export function digestsOf(
  { context, artifacts }: RunState,
  machine: MachineState,
) {
  const digests = new Map<string, string>();
  const output = { ...machine.sentBack, ...machine.outputs };
  for (const [kind, entries = {}] of Object.entries({
    output,
    context,
    artifact: artifacts,
  }))
    for (const [key, value] of Object.entries(entries))
      digests.set(
        `${kind} ${key}`,
        digestOf(JSON.stringify([kind, key, value])),
      );
  return digests;
}

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
export const openFeedback = (state: RunState, step: string): Feedback[] =>
  feedbackOf(state)
    .filter(({ to, finished }) => to === step && finished !== true)
    .toReversed();

export const feedbackOf = (state: RunState): Feedback[] =>
  entriesOf(state).filter(isFeedback);

/** What these steps were told is done with: they were left forwards. */
export function settled(state: RunState, steps: readonly string[]): RunState {
  const isDone = (entry: unknown): entry is Feedback =>
    isFeedback(entry) && entry.finished !== true && steps.includes(entry.to);
  const entries = entriesOf(state);
  if (!entries.some(isDone)) return state;
  const feedback = entries.map((entry) =>
    isDone(entry) ? { ...entry, finished: true } : entry,
  );
  return { ...state, feedback };
}

/** The file may have been written by hand. */
function entriesOf({ feedback }: RunState): unknown[] {
  const found: unknown = feedback;
  if (found === undefined || found === null) return [];
  return Array.isArray(found) ? found : [found];
}

const isFeedback = (entry: unknown): entry is Feedback =>
  isObject(entry) &&
  ['from', 'to', 'text', 'at', 'tag'].every(
    (key) => typeof entry[key] === 'string',
  ) &&
  /^[A-Z0-9_]{1,200}_PIVOT_FEEDBACK$/.test(String(entry['tag']));
