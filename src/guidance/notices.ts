import type { RunState, StoredRun } from '../state/types.ts';
import { afterStatus, phaseLines, phaseText, skippedText, staleLines } from './frame.ts';
import type { StalePhase } from './input.ts';
import { sanitizeLine, truncate } from '../text/sanitize.ts';
import type { ReadingEntry } from './reading/reading-list.ts';
import { waitOf } from '../templates/run-view.ts';
import { contextActionText } from './context-action-text.ts';
import { finishLine, readingLine } from './sections.ts';

const MAX_PATHS = 10;
const MAX_OFFERED = 3;
const MAX_SKIPPED = 5;

/** What the conversation of a session no longer has as it is now. */
export interface LostContent {
  /** Required files that changed. */
  files: readonly string[];
  /** Critical artifacts, which `holdfast prime` loads. */
  artifacts: readonly string[];
}

/** For a session that still has its conversation: only where its run stands. */
export function shortNotice(run: StoredRun, { files, artifacts }: LostContent): string {
  const { runId, state } = run;
  const wait = waitOf(state);
  const lost = [...files, ...artifacts];
  const named = lost.slice(0, MAX_PATHS).map((path) => truncate(sanitizeLine(path), 200));
  const left = lost.length - named.length;
  const how = artifacts.length === 0 ? 'the Read tool' : 'the Read tool or `holdfast prime`';
  const skipped = skippedText(state, MAX_SKIPPED);
  return [
    `This session works on ${title(state)}, Phase ${phaseText(state)} (${state.phase.status})${afterStatus(state)}.`,
    ...(skipped === null ? [] : [`Skipped, not done: ${skipped}.`]),
    ...(named.length === 0
      ? []
      : [
          `Changed, or no longer in this conversation: ${named.join(', ')}${left > 0 ? ` and ${left} more` : ''}. Load them again with ${how}.`,
        ]),
    ...(wait?.for === 'context' ? [contextActionText(wait.action)] : []),
    `\`holdfast status ${runId}\` shows ${whatStatusShows(state)}. ${finishLine(run)}`,
  ].join('\n');
}

function whatStatusShows({
  required_reading: reading,
  key_reminders: reminders = [],
}: RunState): string {
  const parts = [
    ...(reading.length > 0 ? ['required reading'] : []),
    ...(reminders.length > 0 ? ['reminders'] : []),
  ];
  return parts.length === 0 ? 'where it stands' : `its ${parts.join(' and ')}`;
}

/** For a session whose context was cleared although the run did not ask for it. */
export function frameNotice(
  { runId, state }: StoredRun,
  reading: readonly ReadingEntry[],
  stalePhase: StalePhase | null,
): string {
  const paths = reading.slice(0, MAX_PATHS).map((entry) => readingLine(entry, new Set()));
  const left = reading.length - paths.length;
  return [
    'A WORKFLOW WAS IN PROGRESS BEFORE THE CONTEXT WAS CLEARED',
    '',
    `Workflow: ${title(state)}`,
    ...phaseLines(state),
    ...staleLines(stalePhase),
    ...(paths.length === 0 ? [] : ['', 'Required reading', ...paths]),
    ...more(left, 'status'),
    '',
    `This session still holds the run: continue with it if the user wants to (\`holdfast guidance ${runId}\` shows everything about it). If this conversation is about something else, run \`holdfast release\`.`,
  ].join('\n');
}

/** At most three lines for a session that holds no run: what is in progress, who held it, since when. */
export function offerNotice(offers: readonly string[]): string {
  const shown = offers.slice(0, offers.length > MAX_OFFERED ? MAX_OFFERED - 1 : MAX_OFFERED);
  return [...shown, ...more(offers.length - shown.length, 'list')].join('\n');
}

const MAX_CANDIDATES = 10;

/** After a compaction that left open which run the conversation works on: a line for each, none of them in full. */
export function candidatesNotice(
  runs: readonly StoredRun[],
  describe: (run: StoredRun) => string,
): string {
  const shown = runs.slice(0, MAX_CANDIDATES);
  const left = runs.length - shown.length;
  return [
    'WORKFLOWS IN PROGRESS',
    '',
    runs.length === 1
      ? 'Nothing shows whether this conversation works on this one, so it was not restored. If it does, the command in its line restores it:'
      : 'Nothing shows which of these this conversation works on, so none was restored. If it works on one of them, the command in its line restores it:',
    ...shown.map(
      (run) =>
        `- ${title(run.state)}, Phase ${phaseText(run.state)} (${run.state.phase.status}), ${describe(run)}: \`holdfast resume ${run.runId}\``,
    ),
    ...more(left, 'list'),
  ].join('\n');
}

function more(left: number, command: string): string[] {
  return left > 0 ? [`… ${left} more: \`holdfast ${command}\``] : [];
}

function title(state: RunState): string {
  return truncate(sanitizeLine(state.workflow), 160);
}
