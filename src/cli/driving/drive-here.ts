import { drive } from '../../driver/drive.ts';
import type { DriveContext, DriveOptions } from '../../driver/drive-context.ts';
import { DriverRecord } from '../../driver/record/driver-record.ts';
import type { DriverEvent, StampedEvent } from '../../driver/events.ts';
import { runOnStop } from '../../driver/stop/on-stop.ts';
import { startedEvent, stoppedEvent } from '../../driver/stop/report-events.ts';
import { openRunLog, type RunLog } from '../../driver/record/run-log.ts';
import { currentTime } from '../../io/clock.ts';
import type { StoredRun } from '../../state/types.ts';
import type { CommandContext } from '../context.ts';
import { ExitCode } from '../exit-code.ts';
import { makeScreen } from '../output/run-screen.ts';
import { continueCommand, type RunOptions } from '../run-options.ts';
import { listenForSignals } from './interruption.ts';

interface DriveRequest {
  run: StoredRun;
  open: DriveContext['open'];
  options: RunOptions;
  wanted: DriveOptions;
  setup: DriveContext['setup'];
}

/** Drives a run with its record, its log and the screen, and sets the exit code. */
export async function driveHere(
  cli: CommandContext,
  { run, open, options, wanted, setup }: DriveRequest,
): Promise<void> {
  const { root } = cli;
  const { runId } = run;
  const record = DriverRecord.acquire(root, runId);
  const log = openLog(root, runId, record);
  const screen = makeScreen(cli);
  const emit = (event: DriverEvent): StampedEvent => {
    const stamped: StampedEvent = { at: currentTime().toISOString(), run: runId, ...event };
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
    const next = continueCommand(runId, options);
    const signalCode = interruption.exitCode();
    const end = emit(stoppedEvent(result, { runId, next, log, signalCode }));
    if (options.onStop !== undefined) await notify(cli, options.onStop, end, root);
    if (end.event === 'stopped' && end.exit_code !== 0) throw new ExitCode(end.exit_code);
  } finally {
    interruption.stop();
    screen.close();
  }
}

function openLog(root: string, runId: string, record: DriverRecord): RunLog {
  try {
    return openRunLog(root, runId);
  } catch (error) {
    record.release({ isOver: false });
    throw error;
  }
}

async function notify(
  cli: CommandContext,
  command: string,
  end: StampedEvent,
  cwd: string,
): Promise<void> {
  const problem = await runOnStop(command, end, { cwd, environment: cli.environment });
  if (problem !== null) cli.output.warn(`--on-stop failed: ${problem}`);
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
