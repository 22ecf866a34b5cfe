import { phaseText, sourceNote } from '../frame.ts';
import { artifactsLost } from '../artifacts/declared.ts';
import { buildGuidance, type Guidance } from '../guidance.ts';
import {
  candidatesNotice,
  frameNotice,
  offerNotice,
  shortNotice,
  type LostContent,
} from '../notices.ts';
import { answerCommands } from '../sections.ts';
import { waitOf } from '../../templates/run-view.ts';
import { projectFiles, readingList, type ReadingEntry } from '../reading/reading-list.ts';
import type { StoredRun } from '../../state/types.ts';
import { sanitizeLine, truncate } from '../../text/sanitize.ts';
import type { EndedSource } from '../../sources/source-records.ts';
import { timeAgo } from '../../text/relative-time.ts';
import { shellQuote } from '../../text/shell-commands.ts';
import type { Offer, Restoration } from './choose-restoration.ts';
import {
  describeHolder,
  describeLastHolder,
  labelOf,
  stalePhase,
  guidanceInput,
  type RenderContext,
} from './guidance-input.ts';

/** What a session gets: the text for the model and a line for the user. `holdfast guidance` shows the same. */
export interface RenderedRestoration {
  choice: Restoration;
  text: string | null;
  /** What the run requires; empty if no run was chosen. */
  reading: readonly ReadingEntry[];
  /** The parts of a full guidance; null for the short forms. */
  guidance: Guidance | null;
  userLine: string;
}

export function renderRestoration(
  choice: Restoration,
  context: RenderContext,
): RenderedRestoration {
  const none = { choice, reading: [], guidance: null };
  if (choice.kind === 'nothing') return { ...none, text: null, userLine: '' };
  if (choice.kind === 'offer') {
    const { offers } = choice;
    const lines = offers.map((offer) => offerLine(offer, context));
    const runs = offers.flatMap((offer) =>
      offer.kind === 'run' || offer.kind === 'declared' ? [offer.run] : [],
    );
    const userLine =
      runs.length === 0 ? (lines[0] ?? '') : `in progress here: ${offeredRuns(runs)}`;
    return { ...none, text: offerNotice(lines), userLine: `holdfast: ${userLine}` };
  }
  if (choice.kind === 'candidates') {
    const text = candidatesNotice(choice.runs, (run) => describeLastHolder(run, context));
    const count = choice.runs.length;
    const userLine = `holdfast: ${count} workflow${count === 1 ? '' : 's'} in progress: ${offeredRuns(choice.runs)}`;
    return { ...none, text, userLine };
  }
  const { run } = choice;
  const reading = readingList(run.state, projectFiles(context.root, context.launchFolder));
  if (choice.kind === 'short') {
    const text = withNote(
      shortNotice(run, missingFromContext(run, reading, context)),
      run,
      context,
    );
    const userLine = `holdfast: this session works on ${userLabel(run)}; ${toGoOn(run)}`;
    return { ...none, text, reading, userLine };
  }
  if (choice.kind === 'frame') {
    const notice = frameNotice(run, reading, stalePhase(run.state, context.sources));
    const text = withNote(notice, run, context);
    const userLine = `holdfast: ${userLabel(run)} is still in progress; ${toGoOn(run)}`;
    return { ...none, text, reading, userLine };
  }
  const guidance = buildGuidance(guidanceInput(choice, reading, context));
  const userLine = `holdfast: restored ${userLabel(run)}; ${toGoOn(run)}`;
  return { choice, text: guidance.text, reading, guidance, userLine };
}

function offerLine(offer: Offer, context: RenderContext): string {
  if (offer.kind === 'ended') return endedLine(offer.source, context.now);
  const { run, kind } = offer;
  const where = `${truncate(sanitizeLine(run.state.workflow), 160)}, Phase ${phaseText(run.state)}`;
  const path = truncate(sanitizeLine(run.state.source?.path ?? ''), 200);
  const resume = `\`holdfast resume ${run.runId}\` continues it here.`;
  switch (kind) {
    case 'run':
      return `In progress here: ${where}, ${describeHolder(run, context)}; ${resume}`;
    case 'declared':
      return `In progress here: ${where}, declared in ${path}, held by nobody; ${resume}`;
    default:
      return `Paused, as ${path} says: ${where}; ${resume}`;
  }
}

function endedLine({ path, workflow, runId, at, as }: EndedSource, now: Date): string {
  const name = truncate(sanitizeLine(workflow), 80);
  const reopen = as === 'deleted' ? '' : `\`holdfast reopen ${runId}\` reopens it, `;
  return `${truncate(sanitizeLine(path), 200)} declares ${name}, whose run was ${as} ${timeAgo(at, now)}; ${reopen}\`holdfast start ${shellQuote(name)}\` starts a new one.`;
}

/** What the user types in a session that knows its run. */
function toGoOn(run: StoredRun): string {
  const wait = waitOf(run.state);
  switch (wait?.for) {
    case 'approval':
      return `it waits for your answer in a terminal: ${answerCommands(run)}`;
    case 'tasks':
      return 'type "continue" to go on, its step waits for tasks';
    case 'context':
      return `type ${wait.action.command}, with which its step begins, then "continue"`;
    default:
      return 'type "continue" to go on, /holdfast:advance once the phase is done';
  }
}

const MAX_OFFERED = 3;

/** The first runs with their phases, and what the user types to continue one. */
function offeredRuns(runs: readonly StoredRun[]): string {
  const [first, ...others] = runs;
  if (first === undefined) return '';
  const shown = runs.slice(0, MAX_OFFERED).map((run) => {
    const { workflow } = run.state;
    const isAlone = runs.every((other) => other === run || other.state.workflow !== workflow);
    const name = truncate(sanitizeLine(workflow), 60);
    const id = isAlone || others.length === 0 ? '' : ` ${run.runId}`;
    return `${name}${id} (phase ${phaseText(run.state)})`;
  });
  const more = runs.length > MAX_OFFERED ? ` and ${runs.length - MAX_OFFERED} more` : '';
  const listed = `${shown.join(', ')}${more}`;
  return others.length === 0
    ? `${listed}; type /holdfast:resume ${first.runId} to continue`
    : `${listed}; type /holdfast:resume <name> to continue one`;
}

function userLabel(run: StoredRun): string {
  return `${labelOf(run)}${run.state.phase.status === 'blocked' ? ' (blocked)' : ''}`;
}

/** Adds that the run's source no longer declares it. */
function withNote(text: string, run: StoredRun, { sources }: RenderContext): string {
  const note = sourceNote(run, sources);
  return note === null ? text : `${text}\n${note}`;
}

/** What the conversation does not have as it is now. */
function missingFromContext(
  run: StoredRun,
  reading: readonly ReadingEntry[],
  { root, settings, source, now }: RenderContext,
): LostContent {
  const files = reading.filter(({ state }) => state === 'changed').map(({ path }) => path);
  const required = reading.map(({ path }) => path);
  return { files, artifacts: artifactsLost(run, { root, now, source, settings, required }) };
}
