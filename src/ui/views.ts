import { basename } from 'node:path';
import { displayPath } from '../guidance/artifacts/load-plain.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { failureText, pivotWarning, sourceNote } from '../guidance/frame.ts';
import { withOpenFeedback } from '../guidance/step.ts';
import { previewSync } from '../sources/project-sources.ts';
import { explain, previewGuidance } from '../runs/preview-guidance.ts';
import {
  openProject,
  type OperationContext,
} from '../sessions/open-project.ts';
import { readingOf } from '../guidance/reading/required-reading.ts';
import { readTodoList, type TodoList } from '../guidance/todo/file.ts';
import { byRecency } from '../sessions/select-run.ts';
import { SessionRegistry } from '../sessions/session-registry.ts';
import { STATE_FOLDER } from '../state/paths.ts';
import { allNotes, authorText } from '../state/notes.ts';
import { phaseDurations } from '../state/phase-times.ts';
import { phaseWords } from '../state/phases.ts';
import {
  readJournalOf,
  listArchive,
  listUnused,
} from '../state/store/run-files.ts';
import { requireFolderOrNothing } from '../state/store/state-folder.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { humanizeStatus } from '../text/relative-time.ts';
import { feedbackOf } from '../state/preserved.ts';
import { type Run } from '../state/types.ts';
import {
  needOf,
  phasesIn,
  runCard,
  runsEverywhere,
  type ProjectRun,
  type RunCard,
} from './run-card.ts';
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
  acts: boolean;
}

/** For one request. It looks from outside: no session asks, also if an agent started the server, and nothing is marked as seen. */
function openForPage(
  { root, config, environment }: PageProject,
  now: Date,
): OperationContext {
  const { CLAUDE_CODE_SESSION_ID: _session, ...others } = environment;
  const registry = new SessionRegistry(config, now.getTime());
  // The page shows unreadable files itself; a terminal that serves a page for hours would fill with repetitions.
  const warn = (): void => undefined;
  return {
    ...openProject({ root, now, environment: others, registry, warn }),
    launchFolder: root,
    caller: { kind: 'person', at: 'page' },
    session: null,
  };
}

/** All runs of a project, or of all projects. */
export type Overview = Omit<ReturnType<typeof overview>, 'runs'> & {
  runs: ShownRun[];
};

/** `project` is there on a page of all projects. */
export type ShownRun = RunCard & Partial<ProjectRun>;

export function everywhere(project: PageProject, now: Date): Overview {
  const runs = runsEverywhere(openForPage(project, now));
  return {
    project: { name: 'All projects', root: '' },
    runs,
    detected: [],
    unusable: 0,
    acts: project.acts,
  };
}

export function overview(project: PageProject, now: Date) {
  const { root, acts } = project;
  requireFolderOrNothing(root, STATE_FOLDER);
  const context = openForPage(project, now);
  const stored = context.store.list();
  const archive = listArchive(root);
  const present = new Set(stored.runs.map(({ runId }) => runId));
  const archived = archive.runs.filter(({ runId }) => !present.has(runId));
  return {
    acts,
    project: { name: basename(root), root },
    runs: [...byRecency(stored.runs), ...byRecency(archived)].map((run) =>
      runCard(run, context),
    ),
    /** Workflows that a source declares and no state file has yet. */
    detected: previewSync(context, stored.runs).detected.map(({ state }) => ({
      workflow: state.workflow,
      phase: phaseWords(state.phase),
      source: state.source?.path ?? '',
    })),
    /** How many files are not usable as runs; `doctor` names them. */
    unusable:
      stored.unreadable.length +
      archive.unreadable.length +
      listUnused(root).setAside.length,
  };
}

function findRun({ store }: OperationContext, id: string) {
  const isNamed = ({ runId }: StoredRun): boolean => runId === id;
  const { runs } = store.list();
  const run = runs.find(isNamed) ?? listArchive(store.root).runs.find(isNamed);
  return run === undefined ? null : { run, runs };
}

/** Everything about one run: as `status --json`, `history` and `guidance --json` tell it, and as the page draws it. */
export type RunPage = NonNullable<ReturnType<typeof runPage>>;

type Note = { tone: 'warning' | 'error' | 'info'; text: string };

export function runPage(project: PageProject, id: string, now: Date) {
  const context = openForPage(project, now);
  const found = findRun(context, id);
  if (found === null) return null;
  const { run, runs } = found;
  const { state } = run;
  const card = { ...runCard(run, context), phases: phasesIn(run) };
  const journal = readJournalOf(context.store.root, run);
  const isOngoing = !card.archived && card.status === 'in_progress';
  const end = isOngoing ? now.getTime() : Date.parse(journal.at(-1)?.at ?? '');
  const { steps, leftOut } = stepDiagram(run, phaseDurations(journal, end));
  const archived = `this run is in the archive, as ${humanizeStatus(card.status)}.`;
  const sources = card.archived ? [] : previewSync(context, runs).input.sources;
  return {
    card,
    needs_you: runs.filter((each) => needOf(each, context) !== null).length,
    acts: project.acts,
    project: { key: project.key, root: project.root },
    run: state,
    step: run.kind === 'template' ? withOpenFeedback(state, run.status) : null,
    context_action: run.kind === 'template' ? run.action : null,
    reading: readingOf(context, run),
    notes: notesOf(run, card.archived ? archived : sourceNote(run, sources)),
    /** What was decided and tried, the newest first. */
    decisions: allNotes(state).map((note) => ({
      n: note.n,
      phase: note.phase,
      text: note.text,
      author: authorText(note),
    })),
    steps,
    stepsLeftOut: leftOut,
    todo: todoOf(context, state),
    /** By name, as the user would write them. */
    artifacts: Object.fromEntries(
      Object.entries(state.artifacts ?? {}).map(([name, path]) => [
        name,
        displayPath(path, run, context.root),
      ]),
    ),
    /** What steps handed on, by step. */
    outputs: run.kind === 'template' ? run.machine.outputs : {},
    feedback: feedbackOf(state),
    timeline: timeline(state, journal),
    guidance: guidanceOf(context, id),
  };
}

const MAX_REASON = 300;

function notesOf(run: Run, info: string | null): Note[] {
  const { state } = run;
  const { status_reason: reason = '' } = state;
  const why = reason === '' ? '' : `: ${asWord(reason, MAX_REASON)}`;
  const blocked =
    state.phase.status === 'blocked' ? `this phase is blocked${why}` : null;
  const notes: [Note['tone'], string | null][] = [
    [
      'error',
      run.kind === 'broken'
        ? `${run.error.message}. It is drawn by its phases.`
        : null,
    ],
    ['error', failureText(run) ?? blocked],
    ['warning', pivotWarning(run)],
    ['info', info],
  ];
  return notes.flatMap(([tone, text]) =>
    text === null || text.trim() === ''
      ? []
      : [{ tone, text: text.charAt(0).toUpperCase() + text.slice(1) }],
  );
}

function todoOf(
  context: OperationContext,
  { todo }: RunState,
): TodoList | null {
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

/** What a session gets that continues the run after a compaction, as `guidance --json` tells it. */
function guidanceOf(context: OperationContext, id: string) {
  const restoration = previewGuidance(context, id, 'compact');
  const { text, guidance } = restoration;
  const explanation = explain(restoration);
  return {
    ...explanation,
    /** Null if the run is not restored; `why` then tells why. */
    text,
    budget: context.settings.restore.max_chars,
    sections: explanation.sections.map((section, index) => ({
      ...section,
      // The first section has no title of its own.
      name: section.name === 'head' ? 'Title and phase' : section.name,
      text: guidance?.sections[index]?.text ?? '',
    })),
  };
}
