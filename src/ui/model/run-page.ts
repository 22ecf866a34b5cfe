import { isCounted, phaseLabel, phaseName } from '../../state/phases.ts';
import { failureText, pivotBlocker, pivotWarning } from '../../guidance/frame.ts';
import { withOpenFeedback } from '../../guidance/step-status.ts';
import type { PendingReading } from '../../reading/pending-reading.ts';
import type { ReadingEntry } from '../../reading/reading-list.ts';
import { holderOf, type LivenessContext } from '../../sessions/holder.ts';
import type { JournalEvent } from '../../state/journal.ts';
import type { RunState, StoredRun } from '../../state/types.ts';
import type { TodoItem } from '../../todo/list.ts';
import { isObject } from '../../util/json.ts';
import { stepView, type StepView } from '../../workflow/run-view.ts';
import { continueCommands } from './commands.ts';
import { runCard } from './run-card.ts';
import { stepDiagram } from './steps.ts';
import { manyLines, oneLine, orNull, valueText } from './text.ts';
import { timeline, totalCost } from './timeline.ts';
import type { Fact } from './types/fact.ts';
import type { RunCard } from './types/overview.ts';
import type {
  FeedbackEntry,
  Note,
  NowFacts,
  Output,
  RunPage,
  SessionEntry,
  TodoFacts,
} from './types/run.ts';

const MAX_FACTS = 200;
const MAX_TODO = 200;

export interface RunPageInput extends LivenessContext {
  run: StoredRun;
  journal: readonly (JournalEvent & { at: string })[];
  reading: readonly ReadingEntry[];
  pendingReads: PendingReading | null;
  /** The todo list of the project, if this run has written to it. */
  todo: { path: string; items: readonly TodoItem[] } | null;
  /** What has become of the source of the run, if it no longer declares it. */
  sourceNote: string | null;
  /** How many characters a restore may give at most. */
  budget: number;
  /** A path in the state file as the user would write it. */
  resolvePath: (path: string) => string;
}

/** Everything about one run. */
export function runPage(input: RunPageInput): RunPage {
  const { run, journal, reading, pendingReads } = input;
  const { state } = run;
  const card = runCard(run, input);
  const view = stepView(state);
  const { steps, leftOut } = stepDiagram(state);
  const events = timeline(state, journal);
  return {
    card,
    type: state.workflow_type === 'custom' ? null : orNull(state.workflow_type),
    createdAt: oneLine(state.created_at, 40),
    summary: summaryOf(state),
    statusReason: orNull(state.status_reason),
    notes: notesOf(input, card, view),
    steps,
    stepsLeftOut: leftOut,
    now: card.isArchived ? null : nowFacts(state, view),
    commands: continueCommands(card),
    reading: reading.map(({ path, state: readingState }) => ({
      path: oneLine(path.replace(/^@/, ''), 500),
      state: readingState,
    })),
    pendingReads: (pendingReads?.files ?? []).map((path) => oneLine(path.replace(/^@/, ''), 500)),
    todo: todoFacts(input.todo),
    reminders: (state.key_reminders ?? []).slice(0, MAX_FACTS).map((text) => oneLine(text, 1_000)),
    facts: facts(state.context ?? {}),
    artifacts: facts(
      Object.fromEntries(
        Object.entries(state.artifacts ?? {}).map(([key, path]) => [key, input.resolvePath(path)]),
      ),
    ),
    outputs: outputsOf(state, view),
    feedback: feedbackOf(state),
    sessions: sessionsOf(state),
    timeline: events.entries,
    timelineLeftOut: events.leftOut,
    budget: input.budget,
    totals: {
      compactions: state.context_metadata?.compaction_count ?? 0,
      restores: journal.filter(({ event }) => event === 'restored').length,
      pivots: journal.filter(({ event }) => event === 'pivoted' || event === 'rejected').length,
      sessions: state.sessions?.session_history?.length ?? 0,
      cost: totalCost(journal),
    },
  };
}

function summaryOf({ machine, workflow }: RunState): string | null {
  const summary = machine?.['summary'];
  return typeof summary === 'string' && summary !== workflow ? manyLines(summary, 2_000) : null;
}

function notesOf({ run, sourceNote }: RunPageInput, card: RunCard, view: StepView | null): Note[] {
  const { state } = run;
  const notes: (Note | null)[] = [
    view?.kind === 'broken'
      ? {
          tone: 'error',
          text: `The state of this run is broken: ${view.field} must be ${view.expected}. It is drawn by its phases.`,
        }
      : null,
    note('error', failureText(state)),
    note('error', pivotBlocker(state)),
    state.phase.status === 'blocked' && failureText(state) === null && pivotBlocker(state) === null
      ? note('error', state.status_reason ?? 'This phase is blocked.')
      : null,
    note('warning', pivotWarning(state)),
    note('info', sourceNote),
    card.isArchived ? { tone: 'info', text: ENDED[card.status] } : null,
  ];
  return notes.filter((entry) => entry !== null).map(cleanNote);
}

const ENDED: Record<RunCard['status'], string> = {
  in_progress: 'This run is in the archive.',
  paused: 'This run was paused when it was archived.',
  failed: 'This run failed and is in the archive.',
  completed: 'This run is complete. Its record and journal are in the archive.',
  cancelled: 'This run was cancelled. Its record and journal are in the archive.',
};

function note(tone: Note['tone'], text: string | null | undefined): Note | null {
  return text === null || text === undefined || text.trim() === '' ? null : { tone, text };
}

function cleanNote({ tone, text }: Note): Note {
  const line = oneLine(text, 1_000);
  return { tone, text: `${line.charAt(0).toUpperCase()}${line.slice(1)}` };
}

function nowFacts(state: RunState, view: StepView | null): NowFacts | null {
  const { phase } = state;
  if (view?.kind !== 'step') {
    const title = oneLine(phaseName(phase));
    const progress = isCounted(phase)
      ? `phase ${phase.current} of ${phase.total}`
      : oneLine(`phase ${phaseLabel(phase)}`);
    return { title, progress, agent: null, contextAction: null, instructions: '' };
  }
  const { status, action } = view;
  const { instructions, agent } = withOpenFeedback(state, status);
  return {
    title: oneLine(phase.name) || oneLine(status.step),
    progress: oneLine(status.progress.text),
    agent: orNull(agent ?? undefined),
    contextAction: action,
    instructions: manyLines(instructions, 20_000),
  };
}

function todoFacts(todo: RunPageInput['todo']): TodoFacts | null {
  if (todo === null || todo.items.length === 0) return null;
  return {
    path: oneLine(todo.path),
    done: todo.items.filter(({ done }) => done).length,
    total: todo.items.length,
    items: todo.items
      .slice(0, MAX_TODO)
      .map(({ n, text, done }) => ({ n, text: oneLine(text), done })),
    itemsLeftOut: Math.max(0, todo.items.length - MAX_TODO),
  };
}

function facts(entries: object): Fact[] {
  return Object.entries(entries)
    .slice(0, MAX_FACTS)
    .map(([name, value]) => ({ name: oneLine(name, 100), value: valueText(value, 1_000) }));
}

function outputsOf(state: RunState, view: StepView | null): Output[] {
  const ofSteps =
    view?.kind === 'step'
      ? Object.entries(view.machine.outputs).map(([from, text]) => ({
          from: oneLine(from),
          text: manyLines(text, 4_000),
          files: [],
        }))
      : [];
  const ofPhases = Object.entries(state.outputs ?? {}).map(([n, output]) => ({
    from: oneLine(state.phases?.[Number(n) - 1] ?? `Phase ${n}`),
    text: manyLines(output.text ?? '', 4_000),
    files: (output.artefacts ?? []).map((path) => oneLine(path)),
  }));
  return [...ofPhases, ...ofSteps].slice(0, MAX_FACTS);
}

function feedbackOf({ feedback }: RunState): FeedbackEntry[] {
  return (feedback ?? []).flatMap((entry) => {
    if (!isObject(entry) || typeof entry['text'] !== 'string') return [];
    const text = (key: string): string => (typeof entry[key] === 'string' ? entry[key] : '');
    return [
      {
        from: oneLine(text('from')),
        to: oneLine(text('to')),
        text: manyLines(entry['text'], 4_000),
        at: oneLine(text('at'), 40),
        isOpen: entry['finished'] !== true,
      },
    ];
  });
}

function sessionsOf(state: RunState): SessionEntry[] {
  const holder = holderOf(state);
  return (state.sessions?.session_history ?? []).toReversed().map((record) => ({
    id: oneLine(record.session_id, 100),
    machine: orNull(record.environment?.hostname),
    startedAt: oneLine(record.started_at, 40),
    seenAt: orNull(record.last_seen_at),
    endedAt: orNull(record.ended_at),
    endReason: orNull(record.end_reason),
    handedTo: orNull(record.handed_to),
    heldBy: record.session_id === holder ? orNull(state.hold?.by) : null,
    finished: countedNames(record.phases_completed ?? []),
    isHolder: record.session_id === holder,
  }));
}

/** A phase that was sent back may be finished several times. */
function countedNames(names: readonly string[]): string[] {
  return [...new Set(names)].map((name) => {
    const count = names.filter((other) => other === name).length;
    return count === 1 ? oneLine(name) : `${oneLine(name)} (${count} times)`;
  });
}
