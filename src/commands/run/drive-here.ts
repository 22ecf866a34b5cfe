import type { DriveContext, DriveOptions } from '../../headless/drive-context.ts';
import { drive } from '../../headless/drive.ts';
import type { DriverEvent, StampedEvent } from '../../headless/events.ts';
import { DriverRecord } from '../../headless/record/driver-record.ts';
import { openRunLog, type RunLog } from '../../headless/record/run-log.ts';
import { eventLine, summaryLine, usageText } from '../../headless/screen/event-line.ts';
import { frameLines } from '../../headless/screen/frame.ts';
import { NO_VIEW, withEvent } from '../../headless/screen/run-view.ts';
import { redraw } from '../../headless/screen/terminal.ts';
import { runOnStop } from '../../headless/stop/on-stop.ts';
import { startedEvent, stoppedEvent } from '../../headless/stop/report-events.ts';
import { currentTime } from '../../io/clock.ts';
import { write } from '../../io/write-output.ts';
import type { StoredRun } from '../../state/types.ts';
import { safeJson } from '../../util/safe-json.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import { ExitCode } from '../exit-code.ts';
import { print, type CommandContext } from '../view/output.ts';
import { listenForSignals } from './interruption.ts';
import { continueCommand, type RunOptions } from './run-options.ts';

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

/** Shows what a driver does. */
interface RunScreen {
  show: (event: StampedEvent) => void;
  close: () => void;
}

function makeScreen(cli: CommandContext): RunScreen {
  if (cli.output.json) return { show: printJson, close: () => undefined };
  const isTerminal = process.stdout.isTTY && process.env['TERM'] !== 'dumb';
  return isTerminal ? terminalScreen(cli) : { show: printEvent, close: () => undefined };
}

/** As with every command, a failure is also told where people look for it. */
function printJson(event: StampedEvent): void {
  print(1, safeJson(event, 0));
  if (event.event === 'stopped' && event.exit_code !== 0) print(2, endLine(event));
}

function printEvent(event: StampedEvent): void {
  if (event.event === 'stopped') return printEnd(event);
  const line = eventLine(event);
  if (line !== null) print(1, line);
}

const TICK_MS = 1_000;

/** One frame that is drawn again with every event and every second. */
function terminalScreen(cli: CommandContext): RunScreen {
  const screen = redraw((text) => write(1, text));
  let view = NO_VIEW;
  const draw = (): void => {
    const [columns, rows] = process.stdout.getWindowSize();
    // Some terminals do not tell their size.
    const size = { columns: columns === 0 ? 80 : columns, rows: rows === 0 ? 24 : rows };
    screen.draw(frameLines(view, Date.now(), size, cli.output.colors));
  };
  const timer = setInterval(draw, TICK_MS);
  const onResize = (): void => {
    screen.resized();
    draw();
  };
  process.stdout.on('resize', onResize);
  const close = (): void => {
    clearInterval(timer);
    process.stdout.off('resize', onResize);
    process.off('exit', close);
    screen.close();
  };
  process.on('exit', close);
  return {
    show: (event) => {
      view = withEvent(view, event);
      draw();
      if (event.event !== 'stopped') return;
      close();
      printEnd(event);
    },
    close,
  };
}

/** What each step has used, then why it stopped; a failure goes where errors go. */
function printEnd(event: Extract<StampedEvent, { event: 'stopped' }>): void {
  const { steps, usage, exit_code: code } = event;
  print(1, ['', ...steps.map(summaryLine), `in all: ${usageText(usage)}`].join('\n'));
  print(code === 0 ? 1 : 2, endLine(event));
}

function endLine({ message, hint }: { message: string; hint: string }): string {
  return sanitizeLine(`holdfast: ${hint === '' ? message : `${message}; ${hint}`}`);
}
