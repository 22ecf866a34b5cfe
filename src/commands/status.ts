import { pendingReadingText } from '../guidance/reading-messages.ts';
import { sourceNote } from '../guidance/frame.ts';
import {
  detectedRuns,
  pointedFirst,
  previewSync,
  type DetectedRun,
} from '../operations/detected-run.ts';
import { viewRun } from '../operations/move-run.ts';
import { isOtherSession, pendingReads } from '../operations/left-to-do.ts';
import { ambiguousRunError, findNamedRun } from '../operations/named-run.ts';
import { nextStep, type NextStep } from '../operations/next-action.ts';
import { isRunByAgent, type OperationContext } from '../operations/open-project.ts';
import { callerSession, findRunAnywhere, runToRead } from '../operations/target-run.ts';
import type { PendingReading } from '../guidance/reading/pending-reading.ts';
import { holderOf } from '../sessions/holder.ts';
import { recordModule } from '../sessions/session-registry.ts';
import { selectRun } from '../sessions/choose-run.ts';
import { phaseLabel } from '../state/phases.ts';
import type { StoredRun, RunState } from '../state/types.ts';
import type { SyncChange } from '../sources/types.ts';
import { describeUnclear, unclearSources, type UnclearSource } from '../sources/unclear-sources.ts';
import { sameJson, isObject, ownMember } from '../text/json.ts';
import { describeUnreadable } from '../state/store/list-runs.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import type { ContextCommand } from '../templates/machine/machine-state.ts';
import type { NextAction } from '../templates/next.ts';
import { parseRun } from '../templates/run-view.ts';
import { command, type Shown, RUN, tool } from './command.ts';
import { flag, textOption } from './options.ts';
import {
  detectedReport,
  detectedText,
  nameOfDetected,
  sourceNames,
  type Detected,
} from './view/detected.ts';
import { paragraphs, section } from './view/layout.ts';
import type { CommandContext } from './view/output.ts';
import { statusReply } from './view/replies.ts';
import {
  conflictTexts,
  setAsideText,
  statusReport,
  summaryTable,
  type StatusReport,
} from './view/status-report.ts';
import { statusText } from './view/status-text.ts';
import { readJournalOf } from '../state/store/state-writer.ts';
import type { JournalEvent } from '../state/journal.ts';

export const status = command({
  usage: 'status [run]',
  about: 'show where the run stands, and which required files are unread',
  examples: ['holdfast status', 'holdfast status user-auth --json'],
  agent: 'may',
  options: {
    look: flag('change nothing: request no context action, do not mark the session as seen'),
    // The module asks with the position that it has last prompted for, and its version.
    prompted: { ...textOption('', 'position'), isHidden: true },
    module: { ...textOption('', 'version'), isHidden: true },
  },
  isLook: ({ look }) => look,
  run: (context, { run: name, look, prompted = null, module }) => {
    if (module !== undefined && context.session !== null)
      recordModule(context, context.session, { version: module, project: context.root });
    const view = getStatus(context, name, { isLook: look, lastPrompted: prompted });
    if (!look && view.run !== null) forgetConflicts(context, view.run);
    return view;
  },
  show: showStatus,
  tool: tool({
    name: 'workflow_status',
    about:
      'Shows where the workflow of this session stands and what to do now: the instructions of the current step, or a ' +
      'context action that the user has to type first. Call it after a compaction or /clear.',
    takes: { run: RUN },
    reply: (context, { run: name }) => {
      const { run, others, runs } = runToRead(context, name);
      return statusReply(context, viewRun(context, run, runs), others);
    },
  }),
});

interface StatusView {
  /** Null if there is no active run that this session may be working on. */
  run: StoredRun | null;
  /** The context action that this call has requested. */
  action: ContextCommand | null;
  next: NextStep | null;
  others: StoredRun[];
  inactive: StoredRun[];
  /** What the next compaction would change because of what sources declare. */
  changes: SyncChange[];
  /** The workflows among them that have no state file yet; if one was named, only that one. */
  detected: DetectedRun[];
  /** Files that look like a workflow and are not understood. */
  unclear: UnclearSource[];
  /** What has become of the source of the run, if it no longer declares it. */
  note: string | null;
  pendingReads: PendingReading | null;
  /** When the run entered its current phase, as far as its journal tells. */
  since: string | null;
}

interface StatusOptions {
  /** Nothing is changed: no context action is requested, and the session is not marked as seen. */
  isLook: boolean;
  /** The position that this session was last prompted for. */
  lastPrompted: string | null;
}

/** Where the named run stands, or the one that is meant. */
export function getStatus(
  context: OperationContext,
  name: string | undefined,
  { isLook, lastPrompted }: StatusOptions,
): StatusView {
  const { runs, unreadable } = context.store.list();
  for (const file of unreadable) context.warn(describeUnreadable(file));
  const { changes, sources } = previewSync(context, runs);
  const unclear = unclearSources(context.root, sources);
  const all = detectedRuns(context, changes);
  const named = name === undefined ? null : detectedNamed(context, runs, all, name);
  const detected = named === null ? all : [named];
  const selected =
    named === null ? select(context, runs, name, isLook) : { run: null, others: [], inactive: [] };
  if (selected.run === null) {
    return {
      ...selected,
      run: null,
      action: null,
      next: null,
      note: null,
      changes,
      detected,
      unclear,
      pendingReads: null,
      since: null,
    };
  }
  // Throws for a run whose step cannot be determined: such a run has no status.
  parseRun(selected.run.state);
  const { run, action } = isLook
    ? { run: selected.run, action: null }
    : viewRun(context, selected.run, runs);
  const next = nextStep(context, run, runs, lastPrompted);
  const note = sourceNote(run, sources);
  return {
    ...selected,
    run,
    action,
    next,
    note,
    changes,
    detected,
    unclear,
    // They are owed by the session that holds the run, and only its prompts are followed by a reminder.
    pendingReads: isOtherSession(context, run) ? null : pendingReads(context, run),
    since: phaseSince(run.state, readJournalOf(context.store.root, run)),
  };
}

/** The declared workflow of that name; null if a stored run has it, or none. */
function detectedNamed(
  context: OperationContext,
  runs: readonly StoredRun[],
  detected: readonly DetectedRun[],
  name: string,
): DetectedRun | null {
  const found = findNamedRun(context, runs, name, detected);
  if (found.kind === 'ambiguous') throw ambiguousRunError(name, found.runs);
  return found.kind === 'run' ? (detected.find(({ run }) => run === found.run) ?? null) : null;
}

function select(
  context: OperationContext,
  runs: readonly StoredRun[],
  name: string | undefined,
  isLook: boolean,
): Pick<StatusView, 'run' | 'others' | 'inactive'> {
  if (name !== undefined)
    return { run: findRunAnywhere(context, name, runs), others: [], inactive: [] };
  const selection = selectRun(runs, {
    ...context,
    isAgent: isRunByAgent(context),
    purpose: 'read',
  });
  switch (selection.kind) {
    case 'run':
      return { run: selection.run, others: selection.others, inactive: [] };
    case 'none':
      return isLook
        ? lookAtStopped(context, runs, selection.inactive)
        : { run: null, others: [], inactive: selection.inactive };
    default:
      return { run: null, others: selection.runs, inactive: [] };
  }
}

/** Who watches a run also wants to know that it was paused or has failed. */
function lookAtStopped(
  context: OperationContext,
  runs: readonly StoredRun[],
  inactive: StoredRun[],
): Pick<StatusView, 'run' | 'others' | 'inactive'> {
  const session = callerSession(context, runs);
  const own = inactive.find(({ state }) => session !== null && holderOf(state) === session);
  return { run: own ?? null, others: [], inactive };
}

/** They are shown now, and not again. */
function forgetConflicts({ store }: OperationContext, listed: StoredRun): void {
  if (listed.state.conflicts === undefined) return;
  store.transaction((tx) => {
    const run = tx.reread(listed);
    if (run === undefined) return;
    const { conflicts: _told, ...state } = run.state;
    tx.write(run, state);
  });
}

/** Adds detected workflows without a state file, and the required files that are still to be opened. */
interface FullReport extends StatusReport {
  next: NextAction | null;
  position: string | null;
  warn_at: number[];
  detected: Detected[];
  /** Files that look like a workflow and are not understood, with what is missing. */
  not_understood: UnclearSource[];
  pending_reading: PendingReading | null;
  /** What has become of the source of the run, if it no longer declares it. */
  note: string | null;
  /** When the run entered its current phase, as far as its journal tells. */
  phase_since: string | null;
}

/** The full view of a run, as data and as text. */
export function showStatus(cli: CommandContext, view: StatusView): Shown & { data: FullReport } {
  const { run, action, changes } = view;
  const basic = statusReport(cli, run, view.others, action);
  const report: FullReport = {
    ...basic,
    // Only here, because every other command that reports a run would repeat them.
    warnings: [...basic.warnings, ...(run === null ? [] : conflictTexts(cli, run))],
    next: view.next?.next ?? null,
    position: view.next?.position ?? null,
    warn_at: cli.settings.context.warn,
    detected: view.detected.map(detectedReport),
    not_understood: view.unclear,
    pending_reading: view.pendingReads,
    note: view.note,
    phase_since: view.since,
  };
  const text = paragraphs([
    run === null
      ? emptyText(cli, report, view)
      : statusText(cli, run, report, { action, since: view.since }),
    view.note ?? '',
    report.pending_reading === null ? '' : pendingReadingText(report.pending_reading),
    detectedText(cli, report.detected),
    section(
      cli.output.colors.bold('Not understood'),
      view.unclear.map((each) => sanitizeLine(describeUnclear(each))),
    ),
    ...changes.flatMap((change) =>
      change.kind === 'update' && change.run.runId === run?.runId ? pendingLines(change) : [],
    ),
    run === null ? nextWithoutRun(cli, view) : '',
  ]);
  return { data: report, text };
}

function emptyText(cli: CommandContext, report: FullReport, { inactive }: StatusView): string {
  const { bold } = cli.output.colors;
  const lead =
    report.others.length > 0
      ? 'This session holds no workflow; other sessions work on those below.'
      : report.detected.length > 0
        ? ''
        : 'No active workflow.';
  return paragraphs([
    lead,
    section(
      bold('Active runs'),
      report.others.length === 0 ? [] : summaryTable(cli, report.others, 2).split('\n'),
    ),
    setAsideText(cli, report.set_aside),
    section(
      bold('Not active'),
      inactive.map(
        ({ runId, state }) =>
          `${runId}: ${state.status}${state.status_reason === undefined ? '' : `, ${sanitizeLine(state.status_reason)}`}`,
      ),
    ),
  ]);
}

/** What to type where no run is shown. */
function nextWithoutRun(cli: CommandContext, { inactive, detected }: StatusView): string {
  const [declared] = pointedFirst(cli, detected);
  if (declared !== undefined) {
    const name = nameOfDetected(cli, declared.run);
    return `Next: holdfast advance ${name}, or in a Claude Code session holdfast resume ${name}`;
  }
  const start = 'holdfast start <name> --phases "A,B,C"';
  const stopped = inactive.find(
    ({ state }) => state.status === 'paused' || state.status === 'failed',
  );
  return `Next: ${stopped === undefined ? '' : `holdfast resume ${stopped.runId}, or `}${start}`;
}

/** None if the merge changes nothing that a line could name: it may only record what the source declares. */
function pendingLines(change: Extract<SyncChange, { kind: 'update' }>): string[] {
  const { state } = change;
  const before = change.run.state;
  const source = sanitizeLine(sourceNames(change));
  const phase = phaseLabel(state.phase);
  if (phase !== phaseLabel(before.phase))
    return [
      `${source} has changed: at the next compaction this run becomes phase ${sanitizeLine(phase)}.`,
    ];
  const changed = [
    ...(sameJson(state.required_reading, before.required_reading) ? [] : ['reading']),
    ...(sameJson(state.key_reminders ?? [], before.key_reminders ?? []) ? [] : ['reminders']),
    ...(sameJson(state.context ?? {}, before.context ?? {}) ? [] : ['context']),
  ];
  const decides = state.machine === undefined ? '' : '; its template decides the phase';
  return changed.length === 0
    ? []
    : [
        `At the next compaction this run takes over ${changed.join(' and ')} from ${source}${decides}.`,
      ];
}

/** When the run entered its current phase, as far as its journal tells; null for a run written by hand. */
export function phaseSince(
  { phase }: Pick<RunState, 'phase'>,
  events: readonly (JournalEvent & { at: string })[],
): string | null {
  let current: number | null = null;
  let since: string | null = null;
  for (const event of events) {
    const entered = phaseAfter(event);
    if (entered === null || entered === current) continue;
    current = entered;
    since = event.at;
  }
  if (current === phase.current) return since;
  // A step that failed and was skipped is recorded with the phase it left.
  return events.findLast(({ event }) => MOVES.has(event))?.at ?? null;
}

const MOVES: ReadonlySet<string> = new Set(['failed', 'tasks', 'updated', 'merged']);

function phaseAfter({ phase, changes }: JournalEvent): number | null {
  const given = isObject(phase) ? phase['current'] : ownMember(changes, 'phase');
  const n = typeof given === 'string' ? Number.parseInt(given, 10) : given;
  return typeof n === 'number' && Number.isSafeInteger(n) ? n : null;
}
