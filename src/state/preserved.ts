import type { MachineState } from '../machine/machine-state.ts';
import { ownEntry } from '../text/json.ts';
import { digestOf } from '../text/slug.ts';
import { feedbackOf, type Feedback } from './feedback.ts';
import type { RunState } from './types.ts';

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
    const meant = meantBy(key, state, machine);
    if (meant.length === 0) unknown.push(key);
    for (const item of meant) items.set(item.id, item);
  }
  return { items: [...items.values()], unknown };
}

/** `summary` and `feedback` have a meaning of their own; any other key may name several things at once. */
function meantBy(
  key: string,
  state: RunState,
  machine: MachineState,
): PreservedItem[] {
  if (key === 'summary') {
    const { summary: text = '' } = machine;
    return text === '' ? [] : [{ id: key, name: 'this run is about', text }];
  }
  if (key === 'feedback') {
    const latest = feedbackOf(state).at(-1);
    if (latest === undefined) return [];
    return [{ id: key, name: key, text: latest.text, feedback: latest }];
  }

  const items: PreservedItem[] = [];
  for (const [name, text] of Object.entries(outputsOf(machine))) {
    // A loop has an output for each of its tasks: `build.task-1`.
    const isMeant = name === key || name.startsWith(`${key}.`);
    if (isMeant)
      items.push({ id: `output ${name}`, name: `output of ${name}`, text });
  }
  const files = ownEntry(machine.artefacts, key) ?? [];
  if (files.length > 0)
    items.push({ id: `made ${key}`, name: `files of ${key}`, text: '', files });
  const value = ownEntry(state.context ?? {}, key);
  if (value !== undefined) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    items.push({ id: `context ${key}`, name: key, text });
  }
  const path = ownEntry(state.artifacts ?? {}, key);
  if (path !== undefined)
    items.push({ id: `artifact ${key}`, name: key, text: '', files: [path] });
  return items;
}

/** What steps have handed on. Those that the run was sent back over keep theirs, marked as such, until they have another. */
function outputsOf(machine: MachineState): Record<string, string> {
  return { ...machine.sentBack, ...machine.outputs };
}

/** A digest of each thing that a clear may leave behind, by its id: what changes later counts again. */
export function digestsOf(
  { context, artifacts }: RunState,
  machine: MachineState,
): Map<string, string> {
  const digests = new Map<string, string>();
  const kinds = {
    output: outputsOf(machine),
    context,
    artifact: artifacts,
  };
  for (const [kind, entries = {}] of Object.entries(kinds)) {
    for (const [key, value] of Object.entries(entries)) {
      const content = JSON.stringify([kind, key, value]);
      digests.set(`${kind} ${key}`, digestOf(content));
    }
  }
  return digests;
}
