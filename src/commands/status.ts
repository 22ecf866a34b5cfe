import { isNewerFormat, readJournalOf } from '../state/store/state-writer.ts';
import { sourceNote } from '../guidance/frame.ts';
import { detectedRuns, previewSync, type DetectedRun } from '../sources/project-sources.ts';
import { viewRun } from '../runs/move-run.ts';
import { isOtherSession } from '../guidance/reading/reading-list.ts';
import { findNamedRun, findRunAnywhere, runToRead } from '../runs/which-run.ts';
import { nextStep } from '../templates/next.ts';
import { isRunByAgent, type OperationContext } from '../sessions/open-project.ts';
import { holderOf } from '../sessions/holder.ts';
import { recordModule } from '../sessions/session-registry.ts';
import { selectRun } from '../sessions/choose-run.ts';
import { phaseSince } from '../state/phase-times.ts';
import { phaseLabel } from '../state/phases.ts';
import type { StoredRun } from '../state/types.ts';
import type { SyncChange } from '../sources/types.ts';
import { describeUnclear, unclearSources } from '../sources/unclear-sources.ts';
import { sameJson } from '../text/json.ts';
import { describeUnreadable, listRuns } from '../state/store/list-runs.ts';
import { otherCheckouts } from '../files/git.ts';
import { checkoutOf } from '../sessions/client-process.ts';
import { summaryOf } from '../sessions/run-summary.ts';
import { byRecency, isActive } from '../sessions/select-run.ts';
import { shellQuote } from '../text/shell-commands.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { parseRun, stepLabel } from '../templates/run-view.ts';
import { summaryInstructions } from '../guidance/summary-instructions.ts';
import { command, RUN, tool } from './command.ts';
import { flag, textOption } from './options.ts';
import { paragraphs, section, type CommandContext } from './view/output.ts';
import { statusReply } from './view/replies.ts';
import {
  conflictTexts,
  detectedReport,
  detectedText,
  nameOfDetected,
  runsSection,
  setAsideText,
  sourceNames,
  statusReport,
} from './view/status-report.ts';
import { artifactReports, statusText } from './view/status-text.ts';

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
  show: (cli, view, { module }) => {
    const shown = showStatus(cli, view);
    const state = module === undefined ? undefined : view.run?.state;
    if (state === undefined) return shown;
    // The module gives it to the summariser, and then a typed /compact prints nothing of it.
    const summary = summaryInstructions(state, stepLabel(state), view.note);
    const { record } = cli.settings.context;
    return { ...shown, data: { ...shown.data, summary, record } };
  },
  tool: tool({
    name: 'workflow_status',
    about:
      'Shows where the workflow stands and what to do now. Call it after a compaction or /clear.',
    takes: { run: RUN },
    reply: (context, { run: name }) => {
      const { run, others } = runToRead(context, name);
      return statusReply(context, viewRun(context, run), others);
    },
  }),
});

type StatusView = ReturnType<typeof getStatus>;

/**
 * Where the named run stands, or the one that is meant. A look changes nothing: it requests no context action.
 * `lastPrompted` is the position that this session was last prompted for.
 */
export function getStatus(
  context: OperationContext,
  name: string | undefined,
  { isLook, lastPrompted }: { isLook: boolean; lastPrompted: string | null },
) {
  const { runs, unreadable } = context.store.list();
  for (const file of unreadable) context.warn(describeUnreadable(file));
  const { changes, sources } = previewSync(context, runs);
  const all = detectedRuns(context, changes);
  const named = name === undefined ? null : detectedNamed(context, runs, all, name);
  const selected = named === null ? select(context, runs, name, isLook) : NOTHING_SELECTED;
  const view = {
    ...selected,
    /** What the next compaction would change because of what sources declare. */
    changes,
    /** The workflows among them that have no state file yet; if one was named, only that one. */
    detected: named === null ? all : [named],
    /** Files that look like a workflow and are not understood. */
    unclear: unclearSources(context.root, sources),
  };
  const nothing = { action: null, next: null, note: null, since: null };
  if (selected.run === null) return { ...view, ...nothing };
  // Throws for a run whose step cannot be determined: such a run has no status.
  parseRun(selected.run.state);
  const { run, action } = isLook
    ? { run: selected.run, action: null }
    : viewRun(context, selected.run);
  return {
    ...view,
    run,
    /** The context action that this call has requested. */
    action,
    next: nextStep(context, run, lastPrompted),
    /** What has become of the source of the run, if it no longer declares it. */
    note: sourceNote(run, sources),
    /** When the run entered its current phase, as far as its journal tells. */
    since: phaseSince(run.state, readJournalOf(context.store.root, run)),
  };
}

interface Selected {
  /** Null if there is no active run that this session may be working on. */
  run: StoredRun | null;
  others: StoredRun[];
  inactive: StoredRun[];
}

const NOTHING_SELECTED: Selected = { run: null, others: [], inactive: [] };

/** The declared workflow of that name; null if a stored run has it, or none. */
function detectedNamed(
  context: OperationContext,
  runs: readonly StoredRun[],
  detected: readonly DetectedRun[],
  name: string,
): DetectedRun | null {
  const found = findNamedRun(context, runs, name, detected);
  return detected.find(({ run }) => run === found) ?? null;
}

function select(
  context: OperationContext,
  runs: readonly StoredRun[],
  name: string | undefined,
  isLook: boolean,
): Selected {
  if (name !== undefined) return { ...NOTHING_SELECTED, run: findRunAnywhere(context, name, runs) };
  const isAgent = isRunByAgent(context);
  const selection = selectRun(runs, { ...context, isAgent, purpose: 'read' });
  if (selection.kind === 'run') return { ...NOTHING_SELECTED, ...selection };
  if (selection.kind !== 'none') return { ...NOTHING_SELECTED, others: selection.runs };
  const { inactive } = selection;
  // Who watches a run also wants to know that it was paused or has failed.
  const session = isLook ? context.session : null;
  const own = inactive.find(({ state }) => session !== null && holderOf(state) === session);
  return { run: own ?? null, others: [], inactive };
}

/** They are shown now, and not again. */
function forgetConflicts({ store }: OperationContext, listed: StoredRun): void {
  if (listed.state.conflicts === undefined || isNewerFormat(listed.state)) return;
  store.transaction((tx) => {
    const run = tx.reread(listed);
    if (run === undefined) return;
    const { conflicts: _told, ...state } = run.state;
    tx.write(run, state);
  });
}

/** The full view of a run, as data and as text. */
export function showStatus(cli: CommandContext, view: StatusView) {
  const { run, action, changes } = view;
  const basic = statusReport(cli, run, view.others, action);
  const report = {
    ...basic,
    // Only here, because every other command that reports a run would repeat them.
    warnings: [...basic.warnings, ...(run === null ? [] : conflictTexts(run))],
    next: view.next?.next ?? null,
    artifacts: run === null || isOtherSession(cli, run) ? [] : artifactReports(cli, run),
    position: view.next?.position ?? null,
    warn_at: cli.settings.context.warn,
    detected: view.detected.map(detectedReport),
    not_understood: view.unclear,
    /** Active runs in other checkouts of the repository, where there is none here. */
    elsewhere: run === null ? runsInOtherCheckouts(cli) : [],
    note: view.note,
    phase_since: view.since,
  };
  const text = paragraphs([
    run === null
      ? emptyText(cli, report, view)
      : statusText(cli, run, report, action, view.since, report.artifacts),
    view.note ?? '',
    detectedText(cli, report.detected),
    section(
      cli.output.colors.bold('Not understood'),
      view.unclear.map((each) => sanitizeLine(describeUnclear(each))),
    ),
    ...changes.flatMap((change) =>
      change.kind === 'update' && change.run.runId === run?.runId ? pendingLines(change) : [],
    ),
    section(
      cli.output.colors.bold('In other checkouts of this repository'),
      report.elsewhere.map(({ run_id: id, phase, root }) =>
        sanitizeLine(
          `${id}, phase ${phaseLabel(phase)}: holdfast --cwd ${shellQuote(root)} status ${id}`,
        ),
      ),
    ),
    run === null ? nextWithoutRun(cli, view) : '',
  ]);
  return { data: report, text };
}

function emptyText(
  cli: CommandContext,
  { others, detected, set_aside: setAside }: ReturnType<typeof showStatus>['data'],
  { inactive }: StatusView,
): string {
  const { bold } = cli.output.colors;
  const lead =
    others.length > 0
      ? 'This session holds no workflow; other sessions work on those below.'
      : detected.length > 0
        ? ''
        : 'No active workflow.';
  return paragraphs([
    lead,
    runsSection(cli, 'Active runs', others),
    setAsideText(cli, setAside),
    section(
      bold('Not active'),
      inactive.map(
        ({ runId, state }) =>
          `${runId}: ${state.status}${state.status_reason === undefined ? '' : `, ${sanitizeLine(state.status_reason)}`}`,
      ),
    ),
  ]);
}

function runsInOtherCheckouts(cli: CommandContext) {
  return otherCheckouts(cli.root).flatMap((root) =>
    byRecency(listRuns(root).runs.filter(isActive)).map((run) => ({
      root,
      ...summaryOf({ ...cli, checkout: checkoutOf(root) }, run),
    })),
  );
}

/** What to type where no run is shown. */
function nextWithoutRun(cli: CommandContext, { inactive, detected }: StatusView): string {
  const [declared] = detected;
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
function pendingLines({ run, state, updates }: Extract<SyncChange, { kind: 'update' }>): string[] {
  const before = run.state;
  const source = sanitizeLine(sourceNames({ updates }));
  const phase = phaseLabel(state.phase);
  if (phase !== phaseLabel(before.phase))
    return [
      `${source} has changed: at the next compaction this run becomes phase ${sanitizeLine(phase)}.`,
    ];
  const parts = [
    ['reading', state.required_reading, before.required_reading],
    ['reminders', state.key_reminders ?? [], before.key_reminders ?? []],
    ['context', state.context ?? {}, before.context ?? {}],
  ] as const;
  const changed = parts.filter(([, now, old]) => !sameJson(now, old)).map(([name]) => name);
  const decides = state.machine === undefined ? '' : '; its template decides the phase';
  return changed.length === 0
    ? []
    : [
        `At the next compaction this run takes over ${changed.join(' and ')} from ${source}${decides}.`,
      ];
}
