import type { RunState, StoredRun } from '../state/types.ts';
import { openFeedback } from '../workflow/feedback.ts';
import { identityOf, preservedItems } from '../workflow/preserved.ts';
import { stepView, type StepView } from '../workflow/run-view.ts';
import { actionWords } from '../workflow/words.ts';
import { quoted, wrapped } from './excerpt.ts';
import { feedbackLines } from './feedback.ts';
import type { StepFrame } from './input.ts';
import { oneLine, plainLines, shortened } from './plain.ts';
import { preservedLines } from './preserved.ts';

const MAX_LINE = 300;
const MAX_FEEDBACK = 3_000;

/** What the template says about the run where it stands; null for a run without one. */
export function stepFrame({ runId, state }: StoredRun): StepFrame | null {
  const view = stepView(state);
  if (view === null) return null;
  if (view.kind === 'broken') return brokenFrame(view.why);
  const shownBy = `holdfast show ${runId}`;
  const { machine, carries } = view;
  const open = openFeedback(state, machine.step);
  const { items, unknown } = preservedItems(state, machine, machine.preserved ?? []);
  const preserved = items.filter((item) => item.kind !== 'feedback' || !open.includes(item.entry));
  const given = new Set(preserved.map(identityOf));
  const isListed = (kind: string, key: string): boolean =>
    carries === 'all' && !given.has(`${kind} ${key}`);
  const outputs = Object.entries(machine.outputs).filter(
    ([key]) => !given.has(`output ${key}`) && (carries === 'all' || view.isOfThisEntry(key)),
  );
  return {
    title: `Instructions for ${shortened(oneLine(view.status.progress.text), MAX_LINE)}`,
    instructions: instructionLines(view, carries === 'all' && !given.has('summary')),
    preserved: preservedLines(preserved, shownBy),
    feedback: open.flatMap((entry) =>
      feedbackLines(entry, Math.floor(MAX_FEEDBACK / open.length), shownBy),
    ),
    outputs: outputs
      .toReversed()
      .map(([key, text]) => `output of ${oneLine(key)}: ${oneLine(text)}`),
    isListed,
    leftOut: [
      ...unknown.map(
        (key) => `"${oneLine(key)}" is to be preserved, but there is no such thing yet`,
      ),
      ...(carries === 'all' ? [] : leftBehind(state, given)),
    ],
  };
}

function brokenFrame(why: string): StepFrame {
  return {
    title: 'Instructions',
    instructions: [`They cannot be read: ${oneLine(why)}`],
    preserved: [],
    feedback: [],
    outputs: [],
    isListed: () => true,
    leftOut: [],
  };
}

/**
 * What the step asks for; quoted, so that no line of a template passes for one of ours. An action that nobody was
 * told of yet comes first: then the instructions wait for it.
 */
function instructionLines(
  { action, status, machine }: Extract<StepView, { kind: 'step' }>,
  saysWhatAbout: boolean,
): string[] {
  const { summary = '' } = machine;
  const about =
    saysWhatAbout && summary !== ''
      ? [`This run is about: ${shortened(oneLine(summary), MAX_LINE)}`]
      : [];
  const before = action === null || action.state === 'performed' ? [] : [actionWords(action)];
  if (action?.state === 'due') return [...about, ...before];
  const agent =
    status.agent === null
      ? []
      : [`This is a task for the agent "${oneLine(status.agent)}": it is delegated.`];
  const asked = plainLines(status.instructions).flatMap(wrapped).map(quoted);
  return [...about, ...before, ...agent, ...asked];
}

/** What a clear does not carry over is not lost, only not given. */
function leftBehind({ context, artifacts }: RunState, given: ReadonlySet<string>): string[] {
  const keys = [
    ...Object.keys(context ?? {}).filter((key) => !given.has(`context ${key}`)),
    ...Object.keys(artifacts ?? {}).filter((key) => !given.has(`artifact ${key}`)),
  ];
  return keys.map(
    (key) => `${shortened(oneLine(key), 100)}: the transition into this step does not preserve it`,
  );
}
