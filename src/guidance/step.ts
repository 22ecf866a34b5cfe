import type { StepView } from '../workflow/run-view.ts';
import { actionWords } from '../workflow/words.ts';
import { oneLine, plainLines, shortened } from './plain.ts';

const MAX_LINE = 300;

export function stepTitle(step: StepView | null): string {
  return step?.kind === 'step'
    ? `Instructions for ${shortened(oneLine(step.status.progress.text), MAX_LINE)}`
    : 'Instructions';
}

/**
 * What the step asks for; quoted, so that no line of a template passes for one of ours. An action that nobody was
 * told of yet comes first: then the instructions wait for it.
 */
export function stepLines(step: StepView | null): string[] {
  if (step === null) return [];
  if (step.kind === 'broken') return [`They cannot be read: ${oneLine(step.why)}`];
  const { action, status } = step;
  const about =
    step.summary === undefined || step.summary === ''
      ? []
      : [`This run is about: ${shortened(oneLine(step.summary), MAX_LINE)}`];
  const before = action === null || action.state === 'performed' ? [] : [actionWords(action)];
  if (action?.state === 'due') return [...about, ...before];
  const agent =
    status.agent === null
      ? []
      : [`This is a task for the agent "${oneLine(status.agent)}": it is delegated.`];
  return [...about, ...before, ...agent, ...plainLines(status.instructions).flatMap(quoted)];
}

/** What earlier steps handed on, the latest first. */
export function outputLines(step: StepView | null): string[] {
  if (step?.kind !== 'step') return [];
  return Object.entries(step.outputs)
    .toReversed()
    .map(([key, text]) => `output of ${oneLine(key)}: ${oneLine(text)}`);
}

function quoted(line: string): string[] {
  return wrapped(line).map((piece) => (piece === '' ? '>' : `> ${piece}`));
}

/** Long lines in pieces: the budget keeps or drops whole ones. */
function wrapped(line: string): string[] {
  if (line.length <= MAX_LINE) return [line];
  const space = line.lastIndexOf(' ', MAX_LINE);
  const at = space > MAX_LINE / 2 ? space : MAX_LINE;
  const isHalf = /[\uD800-\uDBFF]/.test(line.charAt(at - 1));
  const end = isHalf ? at - 1 : at;
  return [line.slice(0, end), ...wrapped(line.slice(end).trimStart())];
}
