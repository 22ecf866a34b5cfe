import { holderOf } from '../sessions/holder.ts';
import type { SessionRegistry } from '../sessions/session-registry.ts';
import { isArchived } from '../state/paths.ts';
import { phaseLabel } from '../state/phase-words.ts';
import type { Run } from '../state/types.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { pluralize } from '../text/relative-time.ts';
import {
  asWord,
  escapeInvisible,
  escapeInvisibleLines,
  sanitizeLine,
  truncate,
} from '../text/sanitize.ts';
import type { Answer } from '../machine/machine-state.ts';
import { ownInstructions } from '../machine/status.ts';
import { stepLabel, waitOf } from '../state/progress.ts';

/** The id of what waits for a person's answer; null if nothing does, or if the run takes none because it is paused or over. */
export function waitIdOf(run: Run): string | null {
  const { status = 'in_progress' } = run.state;
  if (status !== 'in_progress' || isArchived(run)) return null;
  const wait = waitOf(run);
  return wait?.for === 'approval' ? wait.id : null;
}

/** How this was answered, if it was one of the last things that were; else null. */
export function answerGiven(run: Run, wait: string): Answer['as'] | null {
  if (run.kind !== 'template') return null;
  const { answered = [] } = run.machine;
  return answered.find((answer) => answer.wait === wait)?.as ?? null;
}

const MAX_PLACE_CHARS = 100;

/** Where the run stands, without the words that it waits there: `step 3 of 4 (check)`. */
export function placeOfWait(run: Run): string {
  const label = stepLabel(run) ?? `phase ${phaseLabel(run.state.phase)}`;
  return truncate(
    sanitizeLine(label).replace(/, waiting for .*$/, ''),
    MAX_PLACE_CHARS,
  );
}

/** Refuses an answer to what does not wait any more, and says what waits now. */
export function waitChanged(run: Run, answered: string): HoldfastError {
  const wait = sanitizeLine(answered);
  const as = answerGiven(run, answered);
  const before = as === null ? `${wait} does not wait` : `${wait} was ${as}`;
  const now = waitIdOf(run);
  const message =
    now === null
      ? `${before}, and nothing waits for an answer: ${run.runId} is at ${placeOfWait(run)}`
      : `${before}, and by now ${placeOfWait(run)} waits, as ${sanitizeLine(now)}`;
  return new HoldfastError('wait_changed', message, {
    hint:
      now === null
        ? `nothing was changed; \`holdfast status ${run.runId}\` shows where the run stands`
        : 'nothing was changed; look at what waits now, then answer that',
    details: now === null ? '' : waitLines(run).join('\n'),
    data: { wait: now },
  });
}

const MAX_OUTPUTS = 5;
const MAX_OUTPUT_CHARS = 2_000;
const MAX_FILES = 20;
const MARGIN = '  ';

/** What a person answers: the step, what its template says, and the outputs and files that the run has so far. */
export function waitLines(run: Run): string[] {
  const wait = waitIdOf(run);
  if (run.kind !== 'template' || run.place === null || wait === null) return [];
  const { machine, place } = run;
  const instructions = ownInstructions(place.step, machine);
  const outputs = Object.entries(machine.outputs);
  const shown = outputs.slice(-MAX_OUTPUTS);
  const earlier = outputs.length - shown.length;
  const files = Object.values(machine.artefacts).flat();
  return [
    `${run.runId} waits at ${placeOfWait(run)}, as ${asWord(escapeInvisible(wait))}`,
    ...(instructions === '' ? [] : indented(instructions)),
    ...(earlier === 0
      ? []
      : [
          `${pluralize(earlier, 'earlier output')}: \`holdfast show ${run.runId}\``,
        ]),
    ...shown.flatMap(([key, text]) => [
      `Output of ${asWord(escapeInvisible(key))}:`,
      ...indented(text),
    ]),
    ...(files.length === 0 ? [] : [filesLine(files)]),
  ];
}

function filesLine(files: readonly string[]): string {
  const names = files
    .slice(0, MAX_FILES)
    .map((file) => asWord(escapeInvisible(file)))
    .join(', ');
  const more = files.length - MAX_FILES;
  return more > 0 ? `Files: ${names} and ${more} more` : `Files: ${names}`;
}

/** Somebody approves by what is shown here, so nothing in it is hidden or passes for words of holdfast. */
const indented = (text: string): string[] =>
  escapeInvisibleLines(truncate(text.trim(), MAX_OUTPUT_CHARS), MARGIN);

/**
 * Remembers what waited when a session was told where its run stands. What its person answers in the client counts for
 * that, and not for what waits by then: others may have moved the run in between. It is kept with the session, outside the
 * project: a file of the project could claim to have been shown, and a look must not write to the run.
 */
export function recordToldWait(
  registry: SessionRegistry,
  session: string | null,
  run: Run,
): void {
  if (session === null || holderOf(run.state) !== session) return;
  const wait = waitIdOf(run);
  if (wait !== null && registry.entry(session)?.toldWait !== wait)
    registry.update(session, { toldWait: wait });
}
