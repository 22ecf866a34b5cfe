import { truncate } from '../../text/sanitize.ts';
import { ownEntry, type MachineState, type Task } from './machine-state.ts';

/** Keys are made of step ids, task ids and numbers, joined by dots. */
const PLACEHOLDER = /\{(task|inputs|outputs)\.([^{}\s]{1,500})\}/g;

const MAX_OUTPUT = 2_000;

/** Replaces each placeholder once: what a value contains is never taken for a placeholder. */
export function fillPlaceholders(text: string, state: MachineState, task: Task | null): string {
  return text.replace(PLACEHOLDER, (all: string, kind: string, key: string) => {
    if (kind === 'task') return task === null ? all : (taskField(task, key) ?? all);
    return kind === 'inputs' ? inputText(state, key) : outputText(state, key);
  });
}

export interface Reference {
  kind: 'inputs' | 'outputs';
  key: string;
}

/** The inputs and outputs that a text refers to. */
export function referencesIn(text: string): Reference[] {
  return [...text.matchAll(PLACEHOLDER)].flatMap(([, kind, key = '']) =>
    kind === 'inputs' || kind === 'outputs' ? [{ kind, key }] : [],
  );
}

function taskField(task: Task, field: string): string | undefined {
  switch (field) {
    case 'id':
      return task.id;
    case 'title':
      return task.title;
    case 'description':
      return task.description ?? '';
    default:
      return undefined;
  }
}

function inputText({ inputs = {} }: MachineState, key: string): string {
  const value = ownEntry(inputs, key);
  return value === undefined ? `(no input "${key}")` : String(value);
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
  const numbers = Object.keys(outputs)
    .filter((key) => key.startsWith(`${step}.`))
    .map((key) => key.slice(step.length + 1))
    .filter((rest) => /^\d+$/.test(rest))
    .map(Number);
  return numbers.length === 0 ? undefined : ownEntry(outputs, `${step}.${Math.max(...numbers)}`);
}
