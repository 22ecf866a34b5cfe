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

function outputText(state: MachineState, key: string): string {
  const output = ownEntry(state.outputs, key) ?? lastIteration(state, key);
  if (output === undefined) return `(no output of "${key}")`;
  const text = output.trim();
  if (text.length <= MAX_OUTPUT) return text;
  return `${truncate(text, MAX_OUTPUT)} (cut: ${text.length} characters in all; \`holdfast status --json\` has them under run.machine.outputs)`;
}

/** A ralph step has one output for each iteration; its id alone means the last one. */
function lastIteration({ outputs }: MachineState, step: string): string | undefined {
  const iterations = Object.keys(outputs)
    .filter((key) => key.startsWith(`${step}.`))
    .map((key) => Number(key.slice(step.length + 1)))
    .filter((iteration) => Number.isSafeInteger(iteration));
  return ownEntry(outputs, `${step}.${Math.max(...iterations)}`);
}
