import { describe } from '../../errors/describe.ts';
import { HoldfastError, type Failure } from '../../errors/holdfast-error.ts';
import { errorLine } from '../../errors/messages.ts';
import { drive, type DriveResult } from '../../driver/drive.ts';
import type { DriveContext, DriveOptions } from '../../driver/drive-context.ts';
import { DriverRecord } from '../../driver/driver-record.ts';
import type { DriverEvent, StampedEvent } from '../../driver/events.ts';
import {
  prepareSetup,
  drivingRefusals,
  hooksOff,
  requireDrivable,
  requireNotDriven,
  requireOpenTemplateRun,
  untrustedGate,
  type Installation,
} from '../../driver/prepare.ts';
import { runOnStop } from '../../driver/on-stop.ts';
import { planRun } from '../../driver/plan.ts';
import { openRunLog, type RunLog } from '../../driver/run-log.ts';
import { describeStop, exitCodeOf, stopReason } from '../../driver/stop.ts';
import { createWorktree, removeIfClean } from '../../driver/worktree.ts';
import { hookFile, programFile } from '../../io/runtime-paths.ts';
import { currentRun, runToDrive } from '../../operations/drive.ts';
import { newTemplateRun } from '../../operations/new-run.ts';
import { openOperationContext, type OperationContext } from '../../operations/open-project.ts';
import { startRun } from '../../operations/start.ts';
import type { RunState, StoredRun } from '../../state/types.ts';
import { parseRun } from '../../workflow/run.ts';
import type { CommandContext } from '../context.ts';
import { ExitCode } from '../exit-code.ts';
import { nodeProgram, packageFolder, userFile } from '../installation.ts';
import { parseDetails } from '../options.ts';
import { continueCommand, driveOptions, type RunOptions } from '../run-options.ts';
import { planText } from '../output/run-plan.ts';
import { makeScreen } from '../output/run-screen.ts';

/** Drives a run until it is complete or something stops it; with a template, a new one. */
export async function driveRun(
  cli: CommandContext,
  given: string | undefined,
  options: RunOptions,
): Promise<void> {
  requireNotDriven(cli);
  const wanted = driveOptions(options);
  if (options.template === undefined) {
    const open = contextFactory(cli, cli.root);
    const run = existingRun(open(null), given, options);
    if (options.dryRun === true) {
      requireOpenTemplateRun(open(null), run);
      return printPlan(cli, run.state, run.runId, drivingRefusals(open(null), run));
    }
    requireDrivable(open(null), run);
    const setup = prepareSetup(open(null), installationHere());
    return driveHere(cli, { run, open, options, wanted, setup, folder: null });
  }
  const here = contextFactory(cli, cli.root)(null);
  const state = newState(cli, here, options.template, given, options);
  const untrusted = untrustedGate(here, options.template, state);
  if (options.dryRun === true)
    return printPlan(cli, state, null, untrusted === null ? [] : [untrusted]);
  if (untrusted !== null) throw new HoldfastError(untrusted);
  const setup = prepareSetup(here, installationHere());
  if (options.worktree === undefined) {
    const open = contextFactory(cli, cli.root);
    const run = start(open(null), state, options);
    return driveHere(cli, { run, open, options, wanted, setup, folder: null });
  }
  const name = options.worktree === true ? state.workflow : options.worktree;
  const worktree = createWorktree(cli.root, name, here.now);
  cli.warn(`working in ${worktree.root}, on the branch ${worktree.branch}`);
  const open = contextFactory(cli, worktree.root);
  const run = start(open(null), state, options);
  // Which installed hooks apply depends on the folder; it is trusted like the one that it was made from.
  const inWorktree = prepareSetup(open(null), installationHere(), cli.root);
  try {
    await driveHere(cli, { run, open, options, wanted, setup: inWorktree, folder: worktree.root });
  } finally {
    cli.warn(
      currentRun(open(null), run.runId)?.state.status === 'completed' && removeIfClean(worktree)
        ? `removed ${worktree.top}: nothing was changed in it`
        : `kept ${worktree.top}, on the branch ${worktree.branch}`,
    );
  }
}

interface DriveRequest {
  run: StoredRun;
  open: DriveContext['open'];
  options: RunOptions;
  wanted: DriveOptions;
  setup: DriveContext['setup'];
  /** The worktree that the run is in; null for the folder of the call. */
  folder: string | null;
}

async function driveHere(
  cli: CommandContext,
  { run, open, options, wanted, setup, folder }: DriveRequest,
): Promise<void> {
  const { runId } = run;
  const root = folder ?? cli.root;
  const record = DriverRecord.acquire(root, runId);
  const log = openLog(root, runId, record);
  const screen = makeScreen(cli);
  const emit = (event: DriverEvent): StampedEvent => {
    const stamped: StampedEvent = { at: new Date().toISOString(), run: runId, ...event };
    log.append(stamped);
    screen.show(stamped);
    return stamped;
  };
  const interruption = listenForSignals(record);
  try {
    emit(startedEvent(run, setup.client.version, log));
    const result = await drive({
      runId,
      root,
      options: wanted,
      setup,
      record,
      log,
      open,
      emit,
      signal: interruption.signal,
      timing: timingFrom(cli.environment),
    });
    const next = continueCommand(runId, options, folder);
    const code = interruption.exitCode();
    const end = emit(stoppedEvent(result, { runId, next, log, signalCode: code }));
    if (options.onStop !== undefined) await notify(cli, options.onStop, end, root);
    if (end.event === 'stopped' && end.exit_code !== 0) throw new ExitCode(end.exit_code);
  } finally {
    interruption.stop();
    screen.close();
  }
}

async function notify(
  cli: CommandContext,
  command: string,
  end: StampedEvent,
  cwd: string,
): Promise<void> {
  const problem = await runOnStop(command, end, { cwd, environment: cli.environment });
  if (problem !== null) cli.warn(`--on-stop failed: ${problem}`);
}

/** The plan, and why `run` would refuse it now. */
function printPlan(
  cli: CommandContext,
  state: RunState,
  runId: string | null,
  failures: readonly Failure[],
): void {
  const run = parseRun(state);
  if (run.kind !== 'template') throw new HoldfastError({ code: 'not_drivable', run: runId ?? '' });
  const steps = planRun(run.template, run.machine);
  const off = hooksOff(cli);
  const refusals = [...(off === null ? [] : [off]), ...failures].map((failure) => ({
    code: failure.code,
    ...describe(failure),
  }));
  for (const refusal of refusals) cli.warn(`\`run\` would refuse: ${errorLine(refusal)}`);
  cli.output.result({ run: runId, template: run.template.name, steps, refusals }, planText(steps));
}

function stoppedEvent(
  { stop, spent, elapsedMs, tally }: DriveResult,
  {
    runId,
    next,
    log,
    signalCode,
  }: { runId: string; next: string; log: RunLog; signalCode: number | null },
): DriverEvent {
  const { message, hint } = describeStop(stop, runId, next);
  const reason = stopReason(stop);
  const exit_code = (reason === 'interrupted' ? signalCode : null) ?? exitCodeOf(stop);
  return {
    event: 'stopped',
    reason,
    exit_code,
    message,
    hint,
    usage: {
      turns: tally.summaries.reduce((sum, { turns }) => sum + turns, 0),
      tokens: spent.tokens,
      cost_usd: spent.isCostComplete ? spent.costUsd : null,
      seconds: Math.round(elapsedMs / 1000),
    },
    steps: tally.summaries,
    log: log.folder,
    ...(exit_code === 0 ? {} : { error: { code: reason, message, hint } }),
  };
}

/** A context of the moment for each operation: a driver runs for hours, and never acts for the session it was called in. */
function contextFactory(cli: CommandContext, root: string): DriveContext['open'] {
  const environment = { ...cli.environment };
  for (const name of ['CLAUDE_CODE_SESSION_ID', 'CLAUDECODE', 'CLAUDE_PID', 'CLAUDE_PROJECT_DIR'])
    delete environment[name];
  const warned = new Set<string>();
  return (session): OperationContext =>
    openOperationContext({
      cwd: root,
      session: session ?? undefined,
      environment,
      claudePid: undefined,
      isCwdGiven: true,
      now: new Date(),
      by: 'run',
      warn: (message) => {
        if (warned.has(message)) return;
        warned.add(message);
        cli.warn(message);
      },
    });
}

function installationHere(): Installation {
  const folder = packageFolder();
  return {
    packageFolder: folder,
    hookFile: hookFile(folder),
    program: programFile(folder),
    node: nodeProgram() === 'node' ? process.execPath : nodeProgram(),
    hostFile: userFile(),
  };
}

/** The run is started only after everything else has been checked. */
function newState(
  cli: CommandContext,
  context: OperationContext,
  template: string,
  summary: string | undefined,
  options: RunOptions,
): RunState {
  const details = parseDetails(cli, options.set === undefined ? {} : { set: options.set });
  const quiet = { ...context, warn: () => undefined };
  return newTemplateRun(quiet, template, summary, Object.fromEntries(details.set));
}

function start(context: OperationContext, state: RunState, options: RunOptions): StoredRun {
  const wanted = `run --template ${options.template ?? ''}`;
  const { run, unheld } = startRun(context, state, { switches: false, wanted });
  for (const { runId } of unheld)
    context.warn(
      `${runId} is a run of the same template that is not finished; \`holdfast run ${runId}\` continues it`,
    );
  return run;
}

function existingRun(
  context: OperationContext,
  given: string | undefined,
  options: RunOptions,
): StoredRun {
  const run = runToDrive(context, given, { isDryRun: options.dryRun === true });
  if (options.worktree !== undefined)
    throw new HoldfastError({ code: 'worktree_needs_template', run: run.runId });
  return run;
}

function openLog(root: string, runId: string, record: DriverRecord): RunLog {
  try {
    return openRunLog(root, runId);
  } catch (error) {
    record.release({ isOver: false });
    throw error;
  }
}

function startedEvent(run: StoredRun, client: string | null, log: RunLog): DriverEvent {
  const parsed = parseRun(run.state);
  const { phase, skipped = {} } = run.state;
  const steps = parsed.kind === 'template' ? parsed.template.steps : [];
  return {
    event: 'started',
    workflow: run.state.workflow,
    template: parsed.kind === 'template' ? parsed.template.name : '',
    client,
    steps: steps.map(({ id, title = id }, index) => ({
      id,
      title,
      state: Object.hasOwn(skipped, String(index + 1))
        ? 'skipped'
        : index + 1 < phase.current
          ? 'done'
          : index + 1 === phase.current
            ? 'current'
            : 'open',
    })),
    log: log.folder,
  };
}

const SILENCE_MS = 20 * 60_000;

/** Tests shorten the waits; nobody else needs to. */
function timingFrom(environment: Record<string, string | undefined>): DriveContext['timing'] {
  const [first, silence] = (environment['HOLDFAST_RUN_TIMING'] ?? '').split(',').map(Number);
  return {
    firstWaitMs: first !== undefined && first > 0 ? first : undefined,
    silenceMs: silence !== undefined && silence > 0 ? silence : SILENCE_MS,
  };
}

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
/** A gate that is under way raises the signal again, so one that follows at once is the same. */
const SAME_SIGNAL_MS = 1_000;

interface Interruption {
  signal: AbortSignal;
  /** Of the signal that ended the run; null if none did. */
  exitCode: () => number | null;
  stop: () => void;
}

/** The first signal ends the turn in order, a second one ends the client at once. */
function listenForSignals(record: DriverRecord): Interruption {
  const controller = new AbortController();
  let first: { at: number; name: keyof typeof SIGNALS } | null = null;
  const onSignal = (name: NodeJS.Signals): void => {
    if (name !== 'SIGINT' && name !== 'SIGTERM' && name !== 'SIGHUP') return;
    if (first === null) {
      first = { at: Date.now(), name };
      controller.abort();
    } else if (Date.now() - first.at > SAME_SIGNAL_MS) killClient(record);
  };
  for (const name of Object.keys(SIGNALS)) process.on(name, onSignal);
  return {
    signal: controller.signal,
    exitCode: () => (first === null ? null : SIGNALS[first.name]),
    stop: () => {
      for (const name of Object.keys(SIGNALS)) process.off(name, onSignal);
    },
  };
}

function killClient(record: DriverRecord): void {
  const pid = record.memory.client?.pid;
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
