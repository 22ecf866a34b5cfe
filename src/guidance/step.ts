import type { RunState, StoredRun } from '../state/types.ts';
import { declaredArtefacts } from '../templates/machine/artefacts.ts';
import { openFeedback } from '../templates/machine/feedback.ts';
import { identityOf, isLeftBehind, preservedItems } from '../templates/machine/preserved.ts';
import type { MachineState } from '../templates/machine/machine-state.ts';
import { stepView, type StepView } from '../templates/run-view.ts';
import { contextActionText } from './context-action-text.ts';
import { quoted, wrapped } from '../text/excerpt.ts';
import { feedbackWithin } from './feedback.ts';
import { displayName } from './frame.ts';
import type { StepFrame } from './input.ts';
import { sanitizeLine, sanitizeLines, truncate } from '../text/sanitize.ts';
import { preservedLines, preservedWithin, withoutFiles } from './preserved.ts';

const MAX_LINE = 300;

/** What the template says about the current step; null for a run without a template. Required files are listed elsewhere. */
export function stepFrame(
  { runId, state }: StoredRun,
  isRequired: (path: string) => boolean = () => false,
  resolvePath: (path: string) => string = (path) => path,
  /** The agent that the session itself is. */
  ownAgent: string | null = null,
  showFile: (path: string) => string = (path) => path,
): StepFrame | null {
  const view = stepView(state);
  if (view === null) return null;
  if (view.kind === 'broken') return brokenFrame(view.field);
  const shownBy = `holdfast show ${runId}`;
  const { machine, carries } = view;
  const open = openFeedback(state, machine.step);
  const { items, unknown } = preservedItems(state, machine, machine.preserved ?? []);
  const preserved = items.filter((item) => item.kind !== 'feedback' || !open.includes(item.entry));
  const given = new Set(preserved.map(identityOf));
  const shown = withoutFiles(preserved, isRequired)
    .filter((item) => item.kind !== 'summary' || !isWorkflowName(state, item.text))
    .map((item) => (item.kind === 'artifact' ? { ...item, path: resolvePath(item.path) } : item))
    .map((item) => (item.kind === 'made' ? { ...item, paths: item.paths.map(showFile) } : item));
  const isListed = (kind: 'context' | 'artifact', key: string): boolean =>
    !given.has(`${kind} ${key}`) && (carries === 'all' || !isLeftBehind(state, machine, kind, key));
  const outputs = Object.entries(machine.outputs).filter(
    ([key]) => !given.has(`output ${key}`) && (carries === 'all' || view.isOfThisEntry(key)),
  );
  return {
    title: `Instructions for ${truncate(sanitizeLine(view.status.progress.text), MAX_LINE)}`,
    instructions: instructionLines(
      view,
      carries === 'all' && !given.has('summary') && !isWorkflowName(state, machine.summary ?? ''),
      ownAgent,
    ),
    preserved: preservedLines(shown, shownBy),
    feedback: feedbackWithin(open, Infinity, shownBy),
    shorter: {
      preserved: (space) => preservedWithin(shown, space, shownBy),
      feedback: (space) => feedbackWithin(open, space, shownBy),
    },
    outputs: [
      ...outputs
        .toReversed()
        .map(([key, text]) => `output of ${sanitizeLine(key)}: ${sanitizeLine(text)}`),
      ...madeLines(
        machine,
        (step, path) => given.has(`made ${step}`) || isRequired(path),
        showFile,
      ),
    ],
    isListed,
    given,
    unknown,
  };
}

/** A run is named by its summary; the Workflow line shows that many characters of it. */
function isWorkflowName({ workflow }: RunState, summary: string): boolean {
  return summary === workflow && displayName(summary) === summary;
}

/** Files stay where they are across a clear, so later steps always list them. */
function madeLines(
  { artefacts }: MachineState,
  isShown: (step: string, path: string) => boolean,
  showFile: (path: string) => string,
): string[] {
  return Object.entries(artefacts)
    .toReversed()
    .map(([step, paths]) => ({ step, paths: paths.filter((path) => !isShown(step, path)) }))
    .filter(({ paths }) => paths.length > 0)
    .map(
      ({ step, paths }) =>
        `files of ${sanitizeLine(step)}: ${paths.map((path) => sanitizeLine(showFile(path))).join(', ')}`,
    );
}

function brokenFrame(field: string): StepFrame {
  return {
    title: 'Instructions',
    instructions: [
      `The instructions cannot be read: ${sanitizeLine(field)} of this run is broken; \`holdfast status\` says how.`,
    ],
    preserved: [],
    feedback: [],
    shorter: { preserved: () => [], feedback: () => [] },
    outputs: [],
    isListed: () => true,
    given: new Set(),
    unknown: [],
  };
}

/**
 * The instructions are quoted, so that no line of a template can pass for one of holdfast. While a context action is
 * due, only the action is given, and the instructions follow once it was delivered.
 */
function instructionLines(
  { action, status, machine, template }: Extract<StepView, { kind: 'step' }>,
  includesSummary: boolean,
  ownAgent: string | null,
): string[] {
  const { summary = '' } = machine;
  const about =
    includesSummary && summary !== ''
      ? [`This run is about: ${truncate(sanitizeLine(summary), MAX_LINE)}`]
      : [];
  const before = action === null || action.state === 'performed' ? [] : [contextActionText(action)];
  if (action?.state === 'due') return [...about, ...before];
  const agent =
    status.agent === null || status.agent === ownAgent
      ? []
      : [`Delegate this step to the agent "${sanitizeLine(status.agent)}".`];
  const current = template.steps.find(({ id }) => id === machine.step);
  const declared = current === undefined ? [] : declaredArtefacts(current).map(sanitizeLine);
  const toLeave =
    declared.length === 0
      ? []
      : [truncate(`This step must leave: ${declared.join(', ')}`, MAX_LINE)];
  const asked = sanitizeLines(status.instructions).flatMap(wrapped).map(quoted);
  return [...about, ...before, ...agent, ...asked, ...toLeave];
}
