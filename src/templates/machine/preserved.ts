import type { RunState } from '../../state/types.ts';
import { feedbackOf, type Feedback } from './feedback.ts';
import { sameJson } from '../../text/json.ts';
import { ownEntry, type MachineState } from './machine-state.ts';

/** Something that a transition carries over. */
export type PreservedItem =
  | { kind: 'summary'; text: string }
  | { kind: 'feedback'; entry: Feedback }
  | { kind: 'output' | 'context' | 'artifact'; key: string; text: string }
  | { kind: 'made'; key: string; paths: string[] };

export interface Preserved {
  items: PreservedItem[];
  /** Keys that stand for nothing yet. */
  unknown: string[];
}

/** What the keys of a transition stand for now; each thing once, in the order of the keys. */
export function preservedItems(
  state: RunState,
  machine: MachineState,
  keys: readonly string[],
): Preserved {
  const items = new Map<string, PreservedItem>();
  const unknown: string[] = [];
  for (const key of keys) {
    const found = meantBy(state, machine, key);
    if (found.length === 0) unknown.push(key);
    for (const item of found) items.set(identityOf(item), item);
  }
  return { items: [...items.values()], unknown };
}

function meantBy(state: RunState, machine: MachineState, key: string): PreservedItem[] {
  const items: PreservedItem[] = [];
  if (key === 'summary') {
    const { summary: text = '' } = machine;
    if (text !== '') items.push({ kind: 'summary', text });
    return items;
  }
  if (key === 'feedback') {
    const entry = feedbackOf(state).at(-1);
    if (entry !== undefined) items.push({ kind: 'feedback', entry });
    return items;
  }
  for (const [name, text] of Object.entries({ ...machine.sentBack, ...machine.outputs }))
    if (name === key || name.startsWith(`${key}.`)) items.push({ kind: 'output', key: name, text });
  const { context = {}, artifacts = {} } = state;
  const paths = ownEntry(machine.artefacts, key) ?? [];
  const path = ownEntry(artifacts, key);
  if (paths.length > 0) items.push({ kind: 'made', key, paths });
  if (Object.hasOwn(context, key)) {
    const value = context[key];
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    items.push({ kind: 'context', key, text });
  }
  if (path !== undefined) items.push({ kind: 'artifact', key, text: path });
  return items;
}

/** Whether the clear that led to the current step left this behind, and it is as it was then. */
export function isLeftBehind(
  { context = {}, artifacts = {} }: RunState,
  { leftBehind }: MachineState,
  kind: 'output' | 'context' | 'artifact',
  key: string,
): boolean {
  if (leftBehind === undefined) return false;
  if (kind === 'output') return leftBehind.outputs.includes(key);
  const [now, then] =
    kind === 'context' ? [context, leftBehind.context] : [artifacts, leftBehind.artifacts];
  return Object.hasOwn(then, key) && sameJson(now[key], then[key]);
}

export function identityOf(item: PreservedItem): string {
  return 'key' in item ? `${item.kind} ${item.key}` : item.kind;
}
