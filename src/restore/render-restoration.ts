import { phaseText } from '../guidance/frame.ts';
import { artifactsLost } from '../artifacts/for-session.ts';
import { buildGuidance, type Guidance } from '../guidance/guidance.ts';
import {
  candidatesNotice,
  frameNotice,
  offerNotice,
  shortNotice,
  type LostContent,
} from '../guidance/notices.ts';
import { projectFiles } from '../reading/project-files.ts';
import { readingList, type ReadingEntry } from '../reading/reading-list.ts';
import { isHeldByLiveSession } from '../sessions/holder.ts';
import type { StoredRun } from '../state/types.ts';
import { sourceNote } from '../guidance/source-note.ts';
import { sanitizeLine, truncate } from '../util/sanitize.ts';
import type { Restoration } from './choose-restoration.ts';
import { describeHolder, describeLastHolder, labelOf } from './describe-run.ts';
import { guidanceInput, type RenderContext } from './guidance-input.ts';
import { stalePhase } from './stale-phase.ts';

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
  if (choice.kind === 'nothing')
    return { choice, text: null, reading: [], guidance: null, userLine: '' };
  if (choice.kind === 'offer') {
    const text = offerNotice(
      choice.runs,
      (run) => describeHolder(run, context),
      (run) => isHeldByLiveSession(run, context),
    );
    const userLine = `holdfast: in progress here: ${offeredRuns(choice.runs)}`;
    return { choice, text, reading: [], guidance: null, userLine };
  }
  if (choice.kind === 'candidates') {
    const text = candidatesNotice(choice.runs, (run) => describeLastHolder(run, context));
    const count = choice.runs.length;
    const userLine = `holdfast: ${count} workflow${count === 1 ? '' : 's'} in progress: ${offeredRuns(choice.runs)}`;
    return { choice, text, reading: [], guidance: null, userLine };
  }
  const { run } = choice;
  const reading = readingList(run.state, projectFiles(context.root, context.launchFolder));
  if (choice.kind === 'short') {
    const text = withNote(
      shortNotice(run, missingFromContext(run, reading, context)),
      run,
      context,
    );
    const userLine = `holdfast: this session works on ${labelOf(run)}; ${TO_GO_ON}`;
    return { choice, text, reading, guidance: null, userLine };
  }
  if (choice.kind === 'frame') {
    const notice = frameNotice(run, reading, stalePhase(run.state, context.sources));
    const text = withNote(notice, run, context);
    const userLine = `holdfast: ${labelOf(run)} is still in progress; ${TO_GO_ON}`;
    return { choice, text, reading, guidance: null, userLine };
  }
  const guidance = buildGuidance(guidanceInput(choice, reading, context));
  const userLine = `holdfast: restored ${labelOf(run)}; ${TO_GO_ON}`;
  return { choice, text: guidance.text, reading, guidance, userLine };
}

/** What the user types in a session that knows its run. */
const TO_GO_ON = 'type "continue" to go on, /holdfast:advance once the phase is done';

const MAX_OFFERED = 3;

/** The first runs with their phases, and what the user types to continue one. */
function offeredRuns(runs: readonly StoredRun[]): string {
  const [first, ...others] = runs;
  const named = runs
    .slice(0, MAX_OFFERED)
    .map(
      ({ state }) => `${truncate(sanitizeLine(state.workflow), 60)} (phase ${phaseText(state)})`,
    );
  const more = runs.length > MAX_OFFERED ? ` and ${runs.length - MAX_OFFERED} more` : '';
  const which = first !== undefined && others.length === 0 ? first.runId : '<name>';
  return `${named.join(', ')}${more}; type /holdfast:resume ${which} to continue${others.length === 0 ? '' : ' one'}`;
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
