import { basename } from 'node:path';
import { displayPath } from '../guidance/artifacts/artifact-path.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { earlyWorkText } from '../guidance/restore/early-work.ts';
import { failureText, pivotWarning, sourceNote } from '../guidance/frame.ts';
import { instructionsForPerson } from '../guidance/step.ts';
import { previewSync } from '../sources/project-sources.ts';
import { explain, previewGuidance } from '../runs/preview-guidance.ts';
import {
  openProject,
  type OperationContext,
  type Project,
} from '../sessions/open-project.ts';
import { readingOf } from '../guidance/reading/required-reading.ts';
import { readTodoList, type TodoList } from '../guidance/todo/file.ts';
import { byRecency } from '../state/recency.ts';
import { SessionRegistry } from '../sessions/session-registry.ts';
import { isArchived, STATE_FOLDER } from '../state/paths.ts';
import { allNotes, authorText } from '../state/notes.ts';
import { phaseDurations } from '../state/phase-times.ts';
import { phaseWords } from '../state/phase-words.ts';
import { readJournalOf } from '../state/store/journal-files.ts';
import { listArchive } from '../state/store/run-files.ts';
import { listUnused } from '../state/store/unused-files.ts';
import { requireFolderOrNothing } from '../state/store/state-folder.ts';
import type { RunState, Run } from '../state/types.ts';
import { isWaitingPhase } from '../state/waiting-phase.ts';
import { humanizeStatus } from '../text/relative-time.ts';
import { feedbackOf } from '../state/feedback.ts';
import { needOf } from './need.ts';
import type {
  GuidancePreview,
  Overview,
  PageNote,
  RunCard,
  RunPage,
} from './page-data.ts';
import { phasesIn, runCard } from './run-card.ts';
import { runsEverywhere } from './runs-everywhere.ts';
import { stepDiagram } from './steps.ts';
import { timeline } from './timeline.ts';
import { asWord } from '../text/sanitize.ts';

export interface PageProject {
  /** Stands for it in addresses; `runs` on a page that shows only one. */
  key: string;
  /** Fixed when the server starts: a folder that is deleted must not turn into the project above it. */
  root: string;
  /** The user's configuration folder of Claude Code. */
  config: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** Whether the page may change runs. */
  mayChangeRuns: boolean;
}

/** The overview of a page of all projects. */
export function everywhere(project: PageProject, now: Date): Overview {
  return {
    project: { name: 'All projects', root: '' },
    runs: runsEverywhere(openForPage(project, now)),
    detected: [],
    unusable: 0,
    mayChangeRuns: project.mayChangeRuns,
  };
}

/** The overview of one project. */
export function overview(project: PageProject, now: Date): Overview {
  const { root, mayChangeRuns } = project;
  // With a file in its place, the project would look like one without runs.
  requireFolderOrNothing(root, STATE_FOLDER);
  const context = openForPage(project, now);
  const stored = context.store.list();
  const archive = listArchive(root);
  // A copy in the archive is not shown beside the run itself.
  const storedIds = new Set(stored.runs.map(({ runId }) => runId));
  const archived = archive.runs.filter(({ runId }) => !storedIds.has(runId));
  const shown = [...byRecency(stored.runs), ...byRecency(archived)];
  const { detected } = previewSync(context, stored.runs);

  return {
    mayChangeRuns,
    project: { name: basename(root), root },
    runs: shown.map((run) => runCard(run, context)),
    detected: detected.map(({ state }) => ({
      workflow: state.workflow,
      phase: phaseWords(state.phase),
      source: state.source?.path ?? '',
    })),
    unusable:
      stored.unreadable.length +
      archive.unreadable.length +
      listUnused(root).setAside.length,
  };
}

/** Null if there is no such run, also not in the archive. */
export function runPage(
  project: PageProject,
  id: string,
  now: Date,
): RunPage | null {
  const context = openForPage(project, now);
  const storedRuns = context.store.list().runs;
  const run = findRun(context, storedRuns, id);
  if (run === undefined) return null;

  const { state } = run;
  // The page of a run draws its phases also when it is archived; a list does not.
  const card = { ...runCard(run, context), phases: phasesIn(run) };
  const templateRun = run.kind === 'template' ? run : null;
  const journal = readJournalOf(context.store.root, run);
  const end = durationEnd(card, journal, now);
  const { steps, leftOut } = stepDiagram(run, phaseDurations(journal, end));
  const waiting = storedRuns.filter(
    (stored) => needOf(stored, context) !== null,
  );

  return {
    card,
    needs_you: waiting.length,
    mayChangeRuns: project.mayChangeRuns,
    project: { key: project.key, root: project.root },
    run: state,
    step: templateRun && {
      ...templateRun.status,
      instructions: instructionsForPerson(templateRun),
    },
    context_action: templateRun?.action ?? null,
    reading: readingOf(context, run),
    notes: notesOf(
      run,
      waitingNote(context, run),
      originNote(context, run, card, storedRuns),
    ),
    decisions: allNotes(state).map((note) => ({
      n: note.n,
      phase: note.phase,
      text: note.text,
      author: authorText(note),
    })),
    steps,
    stepsLeftOut: leftOut,
    todo: todoOf(context, state),
    artifacts: artifactPaths(context, run),
    outputs: templateRun?.machine.outputs ?? {},
    feedback: feedbackOf(state),
    timeline: timeline(state, journal),
    guidance: guidanceOf(context, id),
  };
}

/** For one request. It looks from outside: no session asks, also if an agent started the server, and nothing is marked as seen. */
function openForPage(project: PageProject, now: Date): OperationContext {
  const { root, config } = project;
  const { CLAUDE_CODE_SESSION_ID: _session, ...environment } =
    project.environment;
  const registry = new SessionRegistry(config, now.getTime());
  // The page shows unreadable files itself; a terminal that serves a page for hours would fill with repetitions.
  const warn = (): void => undefined;
  return {
    ...openProject({ root, now, environment, registry, warn }),
    launchFolder: root,
    caller: { kind: 'person', at: 'page' },
    session: null,
  };
}

function findRun(
  context: Project,
  storedRuns: readonly Run[],
  id: string,
): Run | undefined {
  const hasId = ({ runId }: Run): boolean => runId === id;
  const stored = storedRuns.find(hasId);
  return stored ?? listArchive(context.store.root).runs.find(hasId);
}

/** Until when the current phase counts: it goes on now, or ended with the last event. */
function durationEnd(
  card: RunCard,
  journal: readonly { at: string }[],
  now: Date,
): number {
  const isOngoing = !card.archived && card.status === 'in_progress';
  return isOngoing ? now.getTime() : Date.parse(journal.at(-1)?.at ?? '');
}

/** That the run is archived, or what has become of the source that declares it. */
function originNote(
  context: OperationContext,
  run: Run,
  card: RunCard,
  storedRuns: readonly Run[],
): string | null {
  if (card.archived)
    return `this run is in the archive, as ${humanizeStatus(card.status)}.`;
  const { sources } = previewSync(context, storedRuns).input;
  return sourceNote(run, sources);
}

const MAX_REASON_CHARS = 300;

/** How a phase begins that waits for the person's word, and what shows that it may have begun. */
function waitingNote(context: OperationContext, run: Run): string | null {
  if (!isWaitingPhase(run.state) || isArchived(run)) return null;
  const what = run.kind === 'template' ? 'step' : 'phase';
  const begins = `This ${what} waits for your word. Tell the session to begin it, or run holdfast resume ${run.runId}.`;
  const earlyWork = earlyWorkText(context, run);
  return earlyWork === null ? begins : `${begins} ${earlyWork}`;
}

function notesOf(
  run: Run,
  waiting: string | null,
  info: string | null,
): PageNote[] {
  const { state } = run;
  const broken =
    run.kind === 'broken'
      ? `${run.error.message}. It is drawn by its phases.`
      : null;
  const notes: [PageNote['tone'], string | null][] = [
    ['error', broken],
    ['error', failureText(run) ?? blockedText(state)],
    ['warning', pivotWarning(run, 'person')],
    ['warning', waiting],
    ['info', info],
  ];

  const shown: PageNote[] = [];
  for (const [tone, text] of notes) {
    if (text === null || text.trim() === '') continue;
    shown.push({ tone, text: text.charAt(0).toUpperCase() + text.slice(1) });
  }
  return shown;
}

function blockedText(state: RunState): string | null {
  if (state.phase.status !== 'blocked') return null;
  const reason = state.status_reason ?? '';
  const why = reason === '' ? '' : `: ${asWord(reason, MAX_REASON_CHARS)}`;
  return `this phase is blocked${why}`;
}

/** Null if the run has no todo file, or one that is not that of the project. */
function todoOf(context: Project, state: RunState): TodoList | null {
  const { todo } = state;
  if (todo === undefined) return null;
  try {
    const list = readTodoList(context);
    return todo['path'] === list.path && list.total > 0 ? list : null;
  } catch (error) {
    // A todo file that is refused, such as one that leads out of the project, is no reason to show nothing of the run.
    if (error instanceof HoldfastError) return null;
    throw error;
  }
}

function artifactPaths(context: Project, run: Run): Record<string, string> {
  const paths = Object.entries(run.state.artifacts ?? {}).map(
    ([name, path]): [string, string] => [
      name,
      displayPath(path, run, context.root),
    ],
  );
  return Object.fromEntries(paths);
}

/** What a session that continues the run gets after a compaction: the page shows this kind of start alone. */
function guidanceOf(context: OperationContext, id: string): GuidancePreview {
  const restoration = previewGuidance(context, id, 'compact');
  const { text, guidance } = restoration;
  const explanation = explain(restoration);
  return {
    ...explanation,
    text,
    budget: context.settings.restore.max_chars,
    sections: explanation.sections.map((section, index) => ({
      ...section,
      // The first section has no title of its own.
      name: section.name === 'head' ? 'Title and phase' : section.name,
      // `explain` lists the same sections in the same order.
      text: guidance?.sections[index]?.text ?? '',
    })),
  };
}
