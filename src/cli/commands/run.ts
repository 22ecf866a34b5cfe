import { HoldfastError } from '../../errors/holdfast-error.ts';
import { drive, type DriveResult } from '../../driver/drive.ts';
import type { DriveContext, DriveOptions } from '../../driver/drive-context.ts';
import { DriverRecord } from '../../driver/driver-record.ts';
import type { DriverEvent, StampedEvent } from '../../driver/events.ts';
import {
  prepareSetup,
  requireDrivable,
  requireNotDriven,
  requireTrustedGates,
  type Installation,
} from '../../driver/prepare.ts';
import { openRunLog, type RunLog } from '../../driver/run-log.ts';
import { describeStop, exitCodeOf, stopReason } from '../../driver/stop.ts';
import { hookFile, programFile } from '../../io/runtime-paths.ts';
import { runToDrive } from '../../operations/drive.ts';
import { newTemplateRun } from '../../operations/new-run.ts';
import { openOperationContext, type OperationContext } from '../../operations/open-project.ts';
import { startRun } from '../../operations/start.ts';
import { findTargetRun } from '../../operations/target-run.ts';
import type { RunState, StoredRun } from '../../state/types.ts';
import { parseRun } from '../../workflow/run.ts';
import type { CommandContext } from '../context.ts';
import { ExitCode } from '../exit-code.ts';
import { nodeProgram, packageFolder, userFile } from '../installation.ts';
import { parseDetails } from '../options.ts';
import { continueCommand, driveOptions, type RunOptions } from '../run-options.ts';
import { makeScreen } from '../output/run-screen.ts';

/** Drives a run until it is complete or something stops it; with a template, a new one. */
export async function driveRun(
  cli: CommandContext,
  given: string | undefined,
  options: RunOptions,
): Promise<void> {
  requireNotDriven(cli);
  const wanted = driveOptions(options);
  const open = contextFactory(cli);
  const prepared =
    options.template === undefined
      ? null
      : newState(cli, open(null), options.template, given, options);
  const installation = installationHere();
  const target = prepared === null ? existingRun(open(null), given) : null;
  const setup = prepareSetup(open(null), installation);
  const run = target ?? start(open(null), prepared, options);
  await driveHere(cli, { run, open, options, wanted, setup });
}

interface DriveRequest {
  run: StoredRun;
  open: DriveContext['open'];
  options: RunOptions;
  wanted: DriveOptions;
  setup: DriveContext['setup'];
}

async function driveHere(
  cli: CommandContext,
  { run, open, options, wanted, setup }: DriveRequest,
): Promise<void> {
  const { runId } = run;
  const { root } = cli;
  const record = DriverRecord.acquire(root, runId);
  const log = openLog(root, runId, record);
  const screen = makeScreen(cli);
  const emit = (event: DriverEvent): void => {
    const stamped: StampedEvent = { at: new Date().toISOString(), run: runId, ...event };
    log.append(stamped);
    screen.show(stamped);
  };
  const interruption = listenForSignals(record);
  emit(startedEvent(run, setup.client.version, log));
  let result: DriveResult;
  try {
    result = await drive({
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
  } catch (error) {
    screen.close();
    throw error;
  } finally {
    interruption.stop();
  }
  const code = finish({ result, runId, options, log, emit });
  screen.close();
  log.close();
  if (code !== 0) throw new ExitCode(interruption.exitCode() ?? code);
}

function finish({
  result,
  runId,
  options,
  log,
  emit,
}: {
  result: DriveResult;
  runId: string;
  options: RunOptions;
  log: RunLog;
  emit: (event: DriverEvent) => void;
}): number {
  const { stop, spent, elapsedMs, tally } = result;
  const { message, hint } = describeStop(stop, runId, continueCommand(runId, options, null));
  const exit_code = exitCodeOf(stop);
  const reason = stopReason(stop);
  emit({
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
  });
  return exit_code;
}

/** A context of the moment for each operation: a driver runs for hours, and never acts for the session it was called in. */
function contextFactory(cli: CommandContext): DriveContext['open'] {
  const environment = { ...cli.environment };
  for (const name of ['CLAUDE_CODE_SESSION_ID', 'CLAUDECODE', 'CLAUDE_PID', 'CLAUDE_PROJECT_DIR'])
    delete environment[name];
  const warned = new Set<string>();
  return (session): OperationContext =>
    openOperationContext({
      cwd: cli.root,
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
  const details = parseDetails(cli, { ...(options.set === undefined ? {} : { set: options.set }) });
  const quiet = { ...context, warn: () => undefined };
  const state = newTemplateRun(quiet, template, summary, Object.fromEntries(details.set));
  requireTrustedGates(context, template, state);
  return state;
}

function start(context: OperationContext, state: RunState | null, options: RunOptions): StoredRun {
  if (state === null) throw new HoldfastError({ code: 'no_workflow', also: [] });
  const wanted = `run --template ${options.template ?? ''}`;
  const { run, unheld } = startRun(context, state, { switches: false, wanted });
  for (const { runId } of unheld)
    context.warn(
      `${runId} is a run of the same template that is not finished; \`holdfast run ${runId}\` continues it`,
    );
  return run;
}

function existingRun(context: OperationContext, given: string | undefined): StoredRun {
  const run = given === undefined ? findTargetRun(context, undefined) : runToDrive(context, given);
  requireDrivable(context, run);
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
