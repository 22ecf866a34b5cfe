import { describeBrokenRun } from '../errors/steps.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { openFeedback } from '../workflow/machine/feedback.ts';
import { identityOf, isLeftBehind, preservedItems } from '../workflow/machine/preserved.ts';
import { stepView, type StepView } from '../workflow/run-view.ts';
import { contextActionText } from '../workflow/machine/context-action-text.ts';
import { quoted, wrapped } from '../util/excerpt.ts';
import { feedbackWithin } from './feedback.ts';
import type { StepFrame } from './input.ts';
import { sanitizeLine, sanitizeLines, truncate } from '../util/sanitize.ts';
import { preservedLines, preservedWithin, withoutFiles } from './preserved.ts';

const MAX_LINE = 300;

/** What the template says about the run where it stands; null for a run without one. Required files are named elsewhere. */
export function stepFrame(
  { runId, state }: StoredRun,
  isRequired: (path: string) => boolean = () => false,
): StepFrame | null {
  const view = stepView(state);
  if (view === null) return null;
  if (view.kind === 'broken') return brokenFrame(describeBrokenRun(view.problem));
  const shownBy = `holdfast show ${runId}`;
  const { machine, carries } = view;
  const open = openFeedback(state, machine.step);
  const { items, unknown } = preservedItems(state, machine, machine.preserved ?? []);
  const preserved = items.filter((item) => item.kind !== 'feedback' || !open.includes(item.entry));
  const given = new Set(preserved.map(identityOf));
  const shown = withoutFiles(preserved, isRequired);
  const isListed = (kind: 'context' | 'artifact', key: string): boolean =>
    !given.has(`${kind} ${key}`) && (carries === 'all' || !isLeftBehind(state, machine, kind, key));
  const outputs = Object.entries(machine.outputs).filter(
    ([key]) => !given.has(`output ${key}`) && (carries === 'all' || view.isOfThisEntry(key)),
  );
  return {
    title: `Instructions for ${truncate(sanitizeLine(view.status.progress.text), MAX_LINE)}`,
    instructions: instructionLines(view, carries === 'all' && !given.has('summary')),
    preserved: preservedLines(shown, shownBy),
    feedback: feedbackWithin(open, Infinity, shownBy),
    shorter: {
      preserved: (room) => preservedWithin(shown, room, shownBy),
      feedback: (room) => feedbackWithin(open, room, shownBy),
    },
    outputs: outputs
      .toReversed()
      .map(([key, text]) => `output of ${sanitizeLine(key)}: ${sanitizeLine(text)}`),
    isListed,
    leftOut: [
      ...unknown.map(
        (key) => `"${sanitizeLine(key)}" is to be preserved, but there is no such thing yet`,
      ),
      ...(carries === 'all' ? [] : leftBehind(state, given, isListed)),
    ],
  };
}

function brokenFrame(why: string): StepFrame {
  return {
    title: 'Instructions',
    instructions: [`They cannot be read: ${sanitizeLine(why)}`],
    preserved: [],
    feedback: [],
    shorter: { preserved: () => [], feedback: () => [] },
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
      ? [`This run is about: ${truncate(sanitizeLine(summary), MAX_LINE)}`]
      : [];
  const before = action === null || action.state === 'performed' ? [] : [contextActionText(action)];
  if (action?.state === 'due') return [...about, ...before];
  const agent =
    status.agent === null
      ? []
      : [`This is a task for the agent "${sanitizeLine(status.agent)}": it is delegated.`];
  const asked = sanitizeLines(status.instructions).flatMap(wrapped).map(quoted);
  return [...about, ...before, ...agent, ...asked];
}

/** What a clear does not carry over is not lost, only not given. */
function leftBehind(
  { context, artifacts }: RunState,
  given: ReadonlySet<string>,
  isListed: StepFrame['isListed'],
): string[] {
  const isLeft = (kind: 'context' | 'artifact', key: string): boolean =>
    !given.has(`${kind} ${key}`) && !isListed(kind, key);
  const keys = [
    ...Object.keys(context ?? {}).filter((key) => isLeft('context', key)),
    ...Object.keys(artifacts ?? {}).filter((key) => isLeft('artifact', key)),
  ];
  return keys.map(
    (key) =>
      `${truncate(sanitizeLine(key), 100)}: the transition into this step does not preserve it`,
  );
}
