import { ownSources, sourceStateOf } from '../sources/source-state.ts';
import type { SourceFile } from '../sources/types.ts';
import { isArchived } from '../state/paths.ts';
import {
  failureOf,
  isCounted,
  phaseWords,
  skippedPhases,
  uncountedText,
} from '../state/phases.ts';
import type { Run, RunState, StoredRun } from '../state/types.ts';
import { triesAllowed, pivotsOf } from '../state/progress.ts';
import { asWord, sanitizeLine, truncate } from '../text/sanitize.ts';
import { slugOf } from '../text/slug.ts';

const MAX_SKIPPED = 10;

/** Untrusted text as one line of at most this length. */
export const oneLine = (text: string, max = 160): string =>
  truncate(sanitizeLine(text), max);

/** The first of some names, and how many more there are. */
export function someOf(names: readonly string[], max: number): string {
  const left = names.length - max;
  return `${names.slice(0, max).join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}

/** The phase with what it failed with, if it did, the phases that were skipped, and those that nobody has passed. */
export function phaseLines(run: Run): string[] {
  const { state } = run;
  const { phase, phases = [], undone = [] } = state;
  const skipped = skippedText(state);
  const open = undone.map((n) => numbered(n, phases[n - 1] ?? ''));
  // A line as it stands has its own words for a status; only that it is blocked is said again.
  const status =
    isCounted(phase) || phase.status === 'blocked' ? ` (${phase.status})` : '';
  return [
    `Phase: ${phaseText(state)}${status}${afterStatus(run)}`,
    ...(skipped === '' ? [] : [`Skipped, not done: ${skipped}`]),
    ...(open.length === 0
      ? []
      : [`Still open before it: ${someOf(open, MAX_SKIPPED)}`]),
  ];
}

const numbered = (phase: number, name: string): string =>
  name === '' ? String(phase) : `${phase} - ${oneLine(name, 80)}`;

function phaseText({ phase }: RunState): string {
  if (!isCounted(phase)) return oneLine(uncountedText(phase)) || 'not known';
  return `${phase.current}/${phase.total}${phase.name === '' ? '' : ` - ${oneLine(phase.name)}`}`;
}

/** What the phase failed with, and why it is blocked, unless that is the same. */
function afterStatus(run: Run): string {
  const { state } = run;
  const { phase, status_reason: reason = '' } = state;
  const failure = failureText(run);
  if (
    phase.status === 'blocked' &&
    reason !== '' &&
    reason !== failureOf(state)?.reason
  )
    return `: ${asWord(reason, MAX_REASON)}${failure === null ? '' : `; it ${failure}`}`;
  return failure === null ? '' : `, ${failure}`;
}

const MAX_REASON = 300;

/** `failed 2 times, the last time: "no database" (try 3 of 4)`; null if nothing failed since the phase or step was entered. */
export function failureText(run: Run): string | null {
  const { state } = run;
  const failure = failureOf(state);
  if (failure === null) return null;
  const { tries, reason } = failure;
  const count =
    tries === 1 ? 'failed once' : `failed ${tries} times, the last time`;
  const allowed = state.phase.status === 'blocked' ? null : triesAllowed(run);
  const next =
    allowed === null
      ? ''
      : ` (try ${Math.min(tries + 1, allowed)} of ${allowed})`;
  return `${count}: ${asWord(reason, MAX_REASON)}${next}`;
}

/** `3 - Docs (no upgrade guide)`; empty if no phase was skipped. */
export function skippedText(state: RunState): string {
  const skipped = skippedPhases(state).map(
    ({ phase, name, reason }) =>
      `${numbered(phase, name)}${reason === '' ? '' : ` (${oneLine(reason, 80)})`}`,
  );
  return someOf(skipped, MAX_SKIPPED);
}

/** The host keeps CLAUDE.local.md in the context, so if the state is ahead of its Phase line, the text says which one counts. */
export function staleLines(
  { phase, workflow, run_id: runId = '' }: RunState,
  sources: readonly SourceFile[],
): string[] {
  for (const source of sources) {
    const { kind, path } = source;
    const said =
      source.state === 'active' || source.state === 'finished'
        ? source.said
        : undefined;
    if (kind !== 'local-file' || said === undefined) continue;
    if (slugOf(said.workflow) !== slugOf(workflow)) continue;
    const {
      current,
      total,
      name = phase.name,
      line = String(current),
    } = said.phase ?? {};
    if (current === undefined ? name === phase.name : current >= phase.current)
      continue;
    const written = total === undefined ? line : `${current}/${total}`;
    const command =
      current === undefined
        ? ''
        : ` \`holdfast update ${runId} --phase ${current}\` goes there.`;
    return [
      `This replaces the Phase line of ${asWord(path)}, which still says ${asWord(current === undefined ? name : written)}.${command}`,
    ];
  }
  return [];
}

/** Work that is sent back again and again is a question for the user; null before the third time. */
export function pivotWarning(run: Run): string | null {
  const pivots = pivotsOf(run);
  if (pivots === null || pivots.made < 3) return null;
  const { made, max } = pivots;
  return made < max
    ? `This run went back ${made} times, of ${max} that its template allows: tell the user what keeps sending it back.`
    : `This run went back ${made} times, which is all that its template allows: the next pivot is refused, and the user decides.`;
}

/** A note for the session that continues a run which its source no longer declares; an archived run has ended. */
export function sourceNote(
  run: StoredRun,
  sources: readonly SourceFile[],
): string | null {
  if (isArchived(run)) return null;
  const { runId, state } = run;
  const [source] = ownSources(state, sources);
  const path = asWord(source?.movedTo ?? state.source?.path ?? '');
  const end = `If the work is done, run \`holdfast complete ${runId}\`.`;
  const sourceState = sourceStateOf(state, sources);
  if (sourceState === 'none' || sourceState === 'unreadable') return null;
  if (sourceState === 'gone')
    return `${path} no longer declares this workflow. ${end}`;
  if (sourceState !== 'active') {
    const isOver = sourceState === 'finished' || sourceState === 'cancelled';
    const words = sourceState.replace('_', ' ');
    return `${path} says that this workflow is ${words}.${isOver ? ` ${end}` : ''}`;
  }
  const said = source && 'said' in source ? source.said : undefined;
  const { current, name = '' } = said?.phase ?? {};
  const reached = state.phase.current;
  // The guidance says that it replaces a Phase line of the local file that is behind.
  const isTold =
    state.source?.kind === 'plan'
      ? current !== reached
      : (current ?? 0) > reached;
  if (state.machine !== undefined || current === undefined || !isTold)
    return null;
  // Phases of the run's own are not those of the file.
  const own = state.phases?.[current - 1];
  if (state.source?.['written'] === true && own !== undefined && own !== name)
    return null;
  const total = said?.phase?.total;
  const number = total === undefined ? String(current) : `${current}/${total}`;
  const label = name === '' ? number : `${number} - ${asWord(name)}`;
  return `${path} says phase ${label}; \`holdfast update ${runId} --phase ${current}\` goes there.`;
}

/** A run within a sentence: its name, and where it stands. */
export const runWords = ({ workflow, phase }: RunState, max?: number): string =>
  `${asWord(workflow, max)}, phase ${phaseWords(phase, ' - ')}`;

/** One rendered part of a text; `cut` says what was left out of it. */
export type Section = { name: string; text: string; cut: string | null };

export interface LineList {
  title: string;
  /** An entry may have several lines. */
  entries: readonly string[];
  /** Whether the longest entries are shortened before any is left out. */
  shortens?: boolean;
  /** What those are that are left out, if not just more. */
  others?: string;
  /** The characters that it is guaranteed. */
  share: number;
  shownBy: string;
}

/** A section shorter than this is left out. */
const MIN_SECTION = 60;
const MAX_ENTRY = 8_000;
const MIN_ENTRY = 160;
const GAP = 2;

/** What is left out is what stands at the end; a cut says how much is missing and which command shows it. */
export function fitLines(list: LineList, cap: number): Section {
  const { title, entries, shortens, others = 'more', shownBy } = list;
  const section = (kept: readonly string[], cut: string | null): Section => ({
    name: title,
    text: [title, ...kept].join('\n'),
    cut,
  });
  const whole = section(entries, null);
  if (whole.text.length <= cap) return whole;
  const cut = `shortened; \`${shownBy}\` shows all of it`;
  const shrunk = (max: number): string[] =>
    entries.map((entry) => cutEntry(entry, max, shownBy));
  const shorter = shortens
    ? shrinkToFit(shrunk, MAX_ENTRY, cap - title.length - 1)
    : entries;
  const shortened = section(shorter, cut);
  if (shortened.text.length <= cap) return shortened;
  const notice = (left: number): string =>
    `… ${left} ${others}: \`${shownBy}\``;
  let space = cap - section([notice(shorter.length)], cut).text.length;
  const end = shorter.findIndex((entry) => (space -= entry.length + 1) < 0);
  const edge = shorter[end] ?? '';
  space += edge.length;
  // Of a short entry, such as a path, a part says nothing.
  const isCut = edge.length > (end === 0 ? MIN_ENTRY : 2 * MIN_ENTRY);
  const part = isCut ? cutEntry(edge, space, shownBy) : edge;
  const kept = [
    ...shorter.slice(0, end),
    ...(part.length <= space ? [part] : []),
  ];
  const left = shorter.length - kept.length;
  return section([...kept, ...(left > 0 ? [notice(left)] : [])], cut);
}

/** At most `max` characters of an entry, but not less than a line; a cut says how much is missing. */
export function cutEntry(entry: string, max: number, shownBy: string): string {
  const most = Math.max(max, MIN_ENTRY);
  if (entry.length <= most) return entry;
  const notice = (left: number): string =>
    `… (${left} more characters: \`${shownBy}\`)`;
  const kept = truncate(entry, Math.max(most - notice(entry.length).length, 2))
    .slice(0, -1)
    .trimEnd();
  return kept + notice(entry.length - kept.length);
}

export interface FittedLists {
  /** In the order of the lists; null for one that is empty or found no space. */
  fitted: (Section | null)[];
  omitted: LineList[];
  /** Whether the lists got less than they are guaranteed. */
  isShort: boolean;
}

/** Each list gets its share, so that no list starves the next; the rest goes to the lists that were cut, in order. */
export function fitLists(
  lists: readonly LineList[],
  space: number,
): FittedLists {
  const sizes = lists.map((list) => {
    const { title, entries } = list;
    const full =
      entries.length === 0 ? 0 : [title, ...entries].join('\n').length + GAP;
    return {
      list,
      full,
      guaranteed: Math.min(full, Math.floor(list.share) + GAP),
    };
  });
  const reserved = sizes.reduce((sum, { guaranteed }) => sum + guaranteed, 0);
  const scale = Math.min(1, Math.max(space, 0) / Math.max(reserved, 1));
  const shares = sizes.map(({ guaranteed }) => Math.floor(guaranteed * scale));
  let left = space - shares.reduce((sum, share) => sum + share, 0);
  const omitted: LineList[] = [];
  const fitted = sizes.map(({ list, full }, index) => {
    if (full === 0) return null;
    const share = shares[index] ?? 0;
    const extra = Math.min(Math.max(left, 0), full - share);
    const cap = share + extra - GAP;
    if (cap >= Math.min(MIN_SECTION, full - GAP)) {
      const section = fitLines(list, cap);
      left += share - GAP - section.text.length;
      return section;
    }
    left += share;
    omitted.push(list);
    return null;
  });
  return { fitted, omitted, isShort: space < reserved };
}

export const joined = (sections: readonly Pick<Section, 'text'>[]): string =>
  sections.map(({ text }) => text).join('\n\n');

/** Calls `make` with a shrinking limit until the result fits, else returns the shortest attempt. */
export function shrinkToFit(
  make: (max: number) => string[],
  max: number,
  budget: number,
): string[] {
  let lines = make(max);
  for (let size = max; size > 20 && lines.join('\n').length > budget;) {
    size = Math.floor(size * 0.8);
    lines = make(size);
  }
  return lines;
}
