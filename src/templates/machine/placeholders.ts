import { truncate } from '../../text/sanitize.ts';
import { ownEntry, type MachineState, type Task } from './machine-state.ts';

/** Keys are made of step ids, task ids and numbers, joined by dots. */
const PLACEHOLDER = /\{(task|inputs|outputs)\.([^{}\s]{1,500})\}/g;

const MAX_OUTPUT = 2_000;

/** Replaces each placeholder once: what a value contains is never taken for a placeholder. */
export function fillPlaceholders(text: string, state: MachineState, task: Task | null): string {
  return text.replace(PLACEHOLDER, (all: string, kind: string, key: string) => {
    if (kind === 'outputs') return outputText(state, key);
    if (kind === 'inputs')
      return String(ownEntry(state.inputs ?? {}, key) ?? `(no input "${key}")`);
    if (task === null) return all;
    const { id, title, description = '' } = task;
    return ownEntry({ id, title, description }, key) ?? all;
  });
}

/** The inputs and outputs that a text refers to. */
export function referencesIn(text: string): { kind: string; key: string }[] {
  return [...text.matchAll(PLACEHOLDER)].map(([, kind = '', key = '']) => ({ kind, key }));
}

/** The outputs that a text embeds, by the keys they are stored under. */
export function outputsIn(text: string, state: MachineState): string[] {
  return referencesIn(text).flatMap(({ kind, key }) =>
    kind === 'outputs' ? outputKey(state, key) : [],
  );
}

function outputText(state: MachineState, key: string): string {
  const output = ownEntry(state.outputs, outputKey(state, key));
  if (output === undefined) return `(no output of "${key}")`;
  const text = output.trim();
  if (text.length <= MAX_OUTPUT) return text;
  return `${truncate(text, MAX_OUTPUT)} (cut: ${text.length} characters in all; \`holdfast show\` has them)`;
}

/** A ralph step has one output for each iteration; its id alone means the last one. */
function outputKey({ outputs }: MachineState, key: string): string {
  if (Object.hasOwn(outputs, key)) return key;
  const iterations = Object.keys(outputs)
    .filter((name) => name.startsWith(`${key}.`))
    .map((name) => Number(name.slice(key.length + 1)))
    .filter((iteration) => Number.isSafeInteger(iteration));
  return `${key}.${Math.max(...iterations)}`;
}
