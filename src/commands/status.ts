import { readJournalOf } from '../state/store/journal-files.ts';
import { describeAllUnreadable, listRuns } from '../state/store/run-files.ts';
import { isNewerFormat } from '../state/store/state-format.ts';
import { earlyWorkText } from '../guidance/restore/early-work.ts';
import { sourceNote } from '../guidance/frame.ts';
import { findDetectedRuns, previewSync } from '../sources/project-sources.ts';
import { describeUnclear, unclearSources } from '../sources/unclear-sources.ts';
import { viewRun } from '../runs/view-run.ts';
import { seenFromHere } from '../guidance/reading/required-reading.ts';
import {
  findNamedRun,
  findRunAnywhere,
  runToRead,
  select,
} from '../runs/which-run.ts';
import {
  type NextAction,
  nextStep,
  type StopReason,
} from '../templates/next.ts';
import type { OperationContext, Project } from '../sessions/open-project.ts';
import { holderOf } from '../sessions/holder.ts';
import { conflictValues } from '../state/conflicts.ts';
import { phaseSince } from '../state/phase-times.ts';
import { phaseLabel, phaseWords } from '../state/phase-words.ts';
import type { RunState, Run } from '../state/types.ts';
import { isWaitingPhase } from '../state/waiting-phase.ts';
import type { SyncChange } from '../sources/types.ts';
import type { ContextCommand } from '../machine/machine-state.ts';
import { sameJson } from '../text/json.ts';
import { otherCheckouts } from '../files/git.ts';
import { checkoutOf, isDriven } from '../sessions/client-process.ts';
import { summaryOf } from '../ui/run-summary.ts';
import { shortName } from '../sessions/select-run.ts';
import { isActive, requireUsable } from '../state/run.ts';
import { byRecency } from '../state/recency.ts';
import { proposedWord } from '../text/shell-commands.ts';
import { asWord, sanitizeLine } from '../text/sanitize.ts';
import { summaryInstructions } from '../guidance/summary-instructions.ts';
import { command, RUN, tool, type Shown } from './command.ts';
import type {
  ModuleStatusDocument,
  RunElsewhere,
  StatusDocument,
} from './json/documents.ts';
import { flag, textOption } from './options.ts';
import { paragraphs, section, type CommandContext } from './view/output.ts';
import { statusReply } from './view/report-run.ts';
import {
  detectedReport,
  detectedText,
  setAsideText,
  statusReport,
} from './view/status-report.ts';
import { artifactReports, statusText } from './view/status-text.ts';
import { PERSON_DECIDES } from '../templates/what-to-type-next.ts';

export const status = command({
  usage: 'status [run]',
  about: 'show where the run stands, and which required files are unread',
  examples: ['holdfast status', 'holdfast status user-auth --json'],
  options: {
    look: flag(
      'change nothing: request no context action, do not mark the session as seen',
    ),
    // The module asks with the position that it has last prompted for, and its version.
    prompted: { ...textOption('', 'position'), isHidden: true },
    module: { ...textOption('', 'version'), isHidden: true },
  },
  run: (
    cli,
    { run: name, look, prompted = null, module },
  ): Shown<StatusDocument | ModuleStatusDocument> => {
    if (module !== undefined) recordModule(cli, module);
    const view = getStatus(cli, name, { isLook: look, lastPrompted: prompted });
    if (!look && view.run !== null) forgetConflicts(cli, view.run);
    const shown = showStatus(cli, view);
    const { run, report } = view;
    const isForModule = module !== undefined;
    if (!isForModule || run === null || report.next === null) return shown;
    return { ...shown, data: moduleDocument(cli, run, report, report.next) };
  },
  tool: tool({
    name: 'workflow_status',
    about:
      'Shows where the workflow stands and what to do now. Call it after a compaction or /clear.',
    takes: { run: RUN },
    reply: (context, { run: name }) => {
      const { run, others } = runToRead(context, name);
      return statusReply(
        context,
        viewRun(context, context.caller, run),
        others,
      );
    },
  }),
});

/** The module asks at the end of every turn; so often its mark is written again. */
const MODULE_NOTED_FOR_MS = 3_600_000;
const MAX_VERSION_CHARS = 40;

/** Evidence that the client has loaded the module, which asks at the end of every turn. */
function recordModule(
  { session, registry, now, root: project }: CommandContext,
  version: string,
): void {
  if (session === null) return;
  const at = now.getTime();
  const before = registry.entry(session)?.module;
  const isKnown = before?.version === version && before.project === project;
  if (isKnown && Math.abs(at - before.at) < MODULE_NOTED_FOR_MS) return;
  registry.update(session, {
    module: { version: version.slice(0, MAX_VERSION_CHARS), project, at },
  });
}

const WAITS: Record<StopReason, string> = {
  done: 'finished',
  approval:
    'waits for your approval: type /holdfast:approve, or /holdfast:reject <feedback>',
  tasks: 'waits for its tasks',
  blocked: 'blocked',
  failed: 'failed',
  limit: 'the limit of retries or pivots is reached',
  paused: 'paused',
  waiting: 'waits for you',
};

/** The status for the module, which asks at the end of each turn and before a compaction. */
function moduleDocument(
  cli: CommandContext,
  run: Run,
  report: StatusDocument,
  next: NextAction,
): ModuleStatusDocument {
  const { settings, session, registry } = cli;
  const { runId, state } = run;
  const toldWait =
    session === null ? null : (registry.entry(session)?.toldWait ?? null);
  return {
    ...report,
    next,
    format: 1,
    holder: holderOf(state),
    runId,
    revision: state.revision ?? 0,
    toldWait,
    told: toldText(run, report.step, next),
    summary: summaryInstructions(run, report.note, earlyWorkText(cli, run)),
    asksModel: settings.context.record === 'on',
    warnAt: report.warn_at,
  };
}

function stopWords(state: RunState, stop: StopReason): string {
  return isWaitingPhase(state) && stop === 'waiting'
    ? 'it waits for your word; say that it may begin'
    : WAITS[stop];
}

/** Long enough to be recognised, and the line on the terminal stays one. */
const MAX_TOLD_NAME_CHARS = 40;

/** What the module tells the user. Names come from repositories, and the line is drawn on the user's terminal. */
function toldText(
  { state }: Run,
  step: StatusDocument['step'],
  next: NextAction,
): string {
  const workflow = asWord(state.workflow, MAX_TOLD_NAME_CHARS);
  if (next.stop !== null && next.perform === 'none') {
    const place = step?.progress.text ?? `phase ${phaseWords(state.phase)}`;
    return `${workflow} stops at ${place}: ${stopWords(state, next.stop)}.`;
  }
  const done = next.perform === 'clear' ? 'Cleared' : 'Compacted';
  return `${done} the conversation because step ${asWord(step?.step ?? '')} of ${workflow} starts that way. Use /holdfast:ask to do this yourself.`;
}

interface StatusView {
  /** Null if there is none that this session may be working on, or if only a declared workflow was named. */
  run: Run | null;
  /** The context action that this call requests. */
  action: ContextCommand | null;
  report: StatusDocument;
  /** What the sources of the project would change at the next compaction. */
  changes: readonly SyncChange[];
  /** Where there is no run to show: those that are paused or ended, the latest first. */
  inactive: Run[];
  /** The first of the workflows that are only declared. */
  declared: Run | undefined;
}

interface StatusOptions {
  /** A look requests no context action. */
  isLook: boolean;
  /** The position that this session was last prompted for. */
  lastPrompted: string | null;
}

export function getStatus(
  context: CommandContext,
  name: string | undefined,
  { isLook, lastPrompted }: StatusOptions,
): StatusView {
  const { runs, unreadable } = context.store.list();
  for (const sentence of describeAllUnreadable(unreadable))
    context.warn(sentence);
  const preview = previewSync(context, runs);
  const { sources } = preview.input;

  const named = declaredOfName(context, name, runs, preview);
  const detected = named === null ? preview.detected : [named];
  const { run: selected, others } =
    named === null
      ? runToReport(context, runs, name, isLook)
      : { run: null, others: [] };
  // Throws for a run whose step cannot be determined: such a run has no status.
  if (selected !== null) requireUsable(selected);
  const { run, action } =
    selected === null || isLook
      ? { run: selected, action: null }
      : viewRun(context, context.caller, selected);

  const report: StatusDocument = {
    ...statusReport(context, run, others, action),
    ...whereItGoesOn(context, run, lastPrompted),
    warn_at: context.settings.context.warn,
    detected: detected.map(detectedReport),
    not_understood: unclearSources(context.root, sources),
    elsewhere: run === null ? runsInOtherCheckouts(context) : [],
    note: run && sourceNote(run, sources),
    phase_since:
      run && phaseSince(run.state, readJournalOf(context.store.root, run)),
  };
  // Only here, because every other command that reports a run would repeat them.
  if (run !== null) report.warnings.push(...conflictTexts(run));
  const earlyWork = run === null ? null : earlyWorkText(context, run);
  if (earlyWork !== null) report.warnings.push(earlyWork);

  const hasNothing = selected === null && named === null;
  const inactive = hasNothing ? byRecency(runs) : [];
  const { changes } = preview;
  return { run, action, report, changes, inactive, declared: detected[0] };
}

/** The declared workflow of that name; null if a stored run has it. */
function declaredOfName(
  context: CommandContext,
  name: string | undefined,
  runs: readonly Run[],
  { detected, sourceRecords }: ReturnType<typeof previewSync>,
): Run | null {
  if (name === undefined) return null;
  const all = [...runs, ...detected];
  const found = findNamedRun(context, all, name, sourceRecords);
  return detected.find((each) => each === found) ?? null;
}

function whereItGoesOn(
  context: CommandContext,
  run: Run | null,
  lastPrompted: string | null,
): Pick<StatusDocument, 'next' | 'artifacts' | 'position'> {
  if (run === null) return { next: null, artifacts: [], position: null };
  const { next, position } = nextStep(context, run, lastPrompted);
  const artifacts = artifactReports(context, seenFromHere(context, run));
  return { next, artifacts, position };
}

/** Fields that another machine changed as well, and what became of them. */
function conflictTexts(run: Run): string[] {
  const { conflicts = [], status: as = 'in_progress' } = run.state;
  // A status that is no longer the one that was kept settles it: the run was reopened on another machine.
  const open = conflicts.filter(
    ({ field, kept }) => field !== 'status' || kept === as,
  );
  return open.map((conflict) => {
    const { kept, other } = conflictValues(conflict);
    return sanitizeLine(
      `${asWord(conflict.field)} was changed on another machine as well: kept ${kept}; the other value was ${other} (\`holdfast history ${run.runId}\`)`,
    );
  });
}

/** Null if there is no active run that this session may be working on. */
function runToReport(
  context: OperationContext,
  runs: readonly Run[],
  name: string | undefined,
  isLook: boolean,
): { run: Run | null; others: Run[] } {
  if (name !== undefined)
    return { run: findRunAnywhere(context, name, runs), others: [] };
  const selection = select(runs, context, 'read');
  if (selection.kind === 'run') return selection;
  // Who watches a run also wants to know that it was paused or has failed.
  const session = isLook ? context.session : null;
  const own = byRecency(runs).find(
    ({ state }) => session !== null && holderOf(state) === session,
  );
  return { run: own ?? null, others: [] };
}

/** They are shown now, and not again. */
function forgetConflicts({ store }: Project, listed: Run): void {
  if (listed.state.conflicts === undefined || isNewerFormat(listed.state))
    return;
  store.transaction((tx) => {
    const run = tx.reread(listed);
    if (run === undefined) return;
    const { conflicts: _told, ...state } = run.state;
    tx.write(run, state);
  });
}

export function showStatus(
  cli: CommandContext,
  view: StatusView,
): Shown<StatusDocument> {
  const { run, report, changes } = view;
  const { bold } = cli.output.colors;
  const unclear = report.not_understood.map((each) =>
    sanitizeLine(describeUnclear(each)),
  );
  const elsewhere = report.elsewhere.map(({ run_id: id, phase, root }) =>
    sanitizeLine(
      `${id}, phase ${phaseWords(phase)}: holdfast --cwd ${proposedWord(root, '<folder>')} status ${id}`,
    ),
  );
  const text = paragraphs([
    run === null
      ? emptyText(cli, view)
      : statusText(cli, run, report, view.action),
    report.note ?? '',
    detectedText(cli, report.detected),
    section(bold('Not understood'), unclear),
    ...changes.flatMap((change) =>
      change.kind === 'update' && change.run.runId === run?.runId
        ? pendingLines(change)
        : [],
    ),
    section(bold('In other checkouts of this repository'), elsewhere),
    run === null ? nextWithoutRun(cli, view) : '',
  ]);
  return { data: report, text };
}

const MAX_REASON_CHARS = 200;

function emptyText(
  cli: CommandContext,
  { report, inactive }: StatusView,
): string {
  const lines = inactive.map(({ runId, state }) => {
    const { status: as, status_reason: reason } = state;
    const why =
      reason === undefined ? '' : `, ${asWord(reason, MAX_REASON_CHARS)}`;
    return sanitizeLine(`${runId}: ${as}${why}`);
  });
  return paragraphs([
    report.detected.length > 0 ? '' : 'No active workflow.',
    setAsideText(cli, report.set_aside),
    section(cli.output.colors.bold('Not active'), lines),
  ]);
}

function runsInOtherCheckouts(cli: CommandContext): RunElsewhere[] {
  return otherCheckouts(cli.root).flatMap((root) =>
    byRecency(listRuns(root).runs.filter(isActive)).map((run) => ({
      root,
      ...summaryOf({ ...cli, checkout: checkoutOf(root) }, run),
    })),
  );
}

function nextWithoutRun(
  cli: CommandContext,
  { inactive, declared }: StatusView,
): string {
  if (declared !== undefined) {
    const name = nameOfDetected(cli, declared);
    return `Next: holdfast advance ${name}, or in a Claude Code session holdfast resume ${name}`;
  }
  const start = 'holdfast start <name> --phases "A,B,C"';
  const stopped = inactive.find(
    ({ state }) => state.status === 'paused' || state.status === 'failed',
  );
  if (stopped === undefined) return `Next: ${start}`;
  const { runId, state } = stopped;
  return state.status === 'failed' && isDriven(cli.environment, runId)
    ? `Next: ${PERSON_DECIDES}`
    : `Next: holdfast resume ${runId}, or ${start}`;
}

/** What to type for it: its slug, or the path of its file where several workflows have one name. */
function nameOfDetected(cli: CommandContext, run: Run): string {
  const { runs } = cli.store.list();
  return shortName(run, [...runs, ...findDetectedRuns(cli, runs)]);
}

/** None if the merge changes nothing that a line could name: it may only record what the source declares. */
function pendingLines({
  run,
  state,
  updates,
}: Extract<SyncChange, { kind: 'update' }>): string[] {
  const before = run.state;
  const source = updates.map(({ path }) => asWord(path)).join(', ');
  const phase = phaseLabel(state.phase);
  if (phase !== phaseLabel(before.phase))
    return [
      `${source} has changed: at the next compaction this run becomes phase ${phaseWords(state.phase)}.`,
    ];
  const declared = ({
    required_reading: reading,
    key_reminders = [],
    context = {},
  }: RunState) => [reading, key_reminders, context];
  if (sameJson(declared(state), declared(before))) return [];
  const decides =
    state.machine === undefined ? '' : '; its template decides the phase';
  return [
    `At the next compaction this run takes over what ${source} declares${decides}.`,
  ];
}
