import type { RunState } from '../../state/types.ts';
import { feedbackOf, type Feedback } from './feedback.ts';
import { sameJson } from '../../text/json.ts';
import { ownEntry, type MachineState } from './machine-state.ts';

/** Something that a transition carries over. */
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

function meantBy(state: RunState, machine: MachineState, key: string): PreservedItem[] {
  const { summary = '', artefacts } = machine;
  if (key === 'summary')
    return summary === '' ? [] : [{ id: key, name: 'this run is about', text: summary }];
  if (key === 'feedback')
    return feedbackOf(state)
      .slice(-1)
      .map((feedback) => ({ id: key, name: key, text: feedback.text, feedback }));
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
    items.push({ id: `made ${key}`, name: `files of ${key}`, text: '', files: made });
  if (value !== undefined) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    items.push({ id: `context ${key}`, name: key, text });
  }
  if (path !== undefined) items.push({ id: `artifact ${key}`, name: key, text: '', files: [path] });
  return items;
}

/** Whether the clear that led to the current step left this behind, and it is as it was then. */
export function isLeftBehind(
  { context = {}, artifacts = {} }: RunState,
  { leftBehind, outputs, sentBack = {} }: MachineState,
  kind: 'output' | 'context' | 'artifact',
  key: string,
): boolean {
  if (leftBehind === undefined) return false;
  // One that was sent back may have been made again since.
  const isNew = Object.hasOwn(outputs, key) && Object.hasOwn(sentBack, key);
  if (kind === 'output') return leftBehind.outputs?.includes(key) === true && !isNew;
  const [now, then] =
    kind === 'context' ? [context, leftBehind.context] : [artifacts, leftBehind.artifacts];
  return Object.hasOwn(then, key) && sameJson(now[key], then[key]);
}
