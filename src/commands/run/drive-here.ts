import { spawnSync } from 'node:child_process';
import { signalGroup } from '../../files/run-command.ts';
import type {
  DriveContext,
  DriverEvent,
  RunOptions,
} from '../../headless/setup.ts';
import { drive } from '../../headless/drive.ts';
import type {
  RunEvent,
  Stopped,
} from '../../headless/event-types.generated.ts';
import { acquireRecord, type DriverRecord } from '../../headless/record.ts';
import { RunLog } from '../../headless/run-log.ts';
import { eventLine, summaryLine } from '../../headless/event-line.ts';
import { frameLines, NO_VIEW, withEvent } from '../../headless/screen.ts';
import { exitCodeOf } from '../../headless/stop.ts';
import { usageText } from '../../headless/usage.ts';
import { currentTime } from '../../files/environment.ts';
import { write } from '../../files/streams.ts';
import type { Run } from '../../state/types.ts';
import { safeJson } from '../../text/json.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { shellQuote } from '../../text/shell-commands.ts';
import { phaseStates } from '../../state/progress.ts';
import { ExitCode, print, type CommandContext } from '../view/output.ts';

export async function driveHere(
  cli: CommandContext,
  run: Run,
  context: Pick<DriveContext, 'open' | 'options' | 'setup'>,
): Promise<void> {
  const { root } = cli;
  const { runId } = run;
  const { options, setup } = context;
  const record = acquireRecord(root, runId);
  const log = new RunLog(root, runId);
  const { json } = cli.output;
  const isTerminal =
    process.stdout.isTTY && process.env['TERM'] !== 'dumb' && !json;
  const screen = isTerminal
    ? terminalScreen(cli)
    : { show: json ? printJson : printEvent, close: () => undefined };
  const emit = (event: DriverEvent): RunEvent => {
    const stamped: RunEvent = {
      at: currentTime().toISOString(),
      run: runId,
      ...event,
    };
    log.append(stamped);
    screen.show(stamped);
    return stamped;
  };
  const interruption = listenForSignals(record);
  const { signal } = interruption;
  const timing = timingFrom(cli.environment);
  const next = continueCommand(runId, options);
  try {
    emit(startedEvent(run, setup.client.version, log.folder));
    const { path } = run;
    const shared = {
      ...context,
      runId,
      path,
      root,
      next,
      record,
      log,
      emit,
      signal,
      timing,
    };
    const { stop, ...used } = await drive(shared);
    const { reason, message, advice, wait } = stop;
    const first = advice === undefined ? '' : `${advice}, then `;
    const again = continueCommand(runId, { ...options, stepTime: undefined });
    const hint =
      stop.hint ??
      `${first}\`${reason === 'step_time' ? again : next}\` continues the run`;
    const exit_code = exitCodeOf(reason, interruption.exitCode());
    const end = emit({
      event: 'stopped',
      reason,
      exit_code,
      message,
      hint,
      ...(wait === undefined ? {} : { wait }),
      ...used,
      log: log.folder,
      ...(exit_code === 0 ? {} : { error: { code: reason, message, hint } }),
    });
    const problem =
      options.onStop === undefined ? null : runOnStop(cli, options.onStop, end);
    if (problem !== null) cli.output.warn(`--on-stop failed: ${problem}`);
    if (exit_code !== 0) throw new ExitCode(exit_code);
  } finally {
    interruption.stop();
    screen.close();
  }
}

/** The command that continues a run in the same way: with the same limits, which begin anew. */
function continueCommand(runId: string, options: RunOptions): string {
  const {
    maxCost,
    maxTime,
    stepTime,
    model,
    permissionMode,
    allow,
    waitLimits,
    onStop,
    step,
  } = options;
  const option = (name: string, value: string | undefined): string[] =>
    value === undefined ? [] : [name, shellQuote(value)];
  const seconds = (limit?: number) =>
    limit === undefined ? undefined : `${limit / 1_000}s`;
  return [
    'holdfast run',
    shellQuote(runId),
    ...option('--max-cost', maxCost?.toString()),
    ...option('--max-time', seconds(maxTime)),
    ...option('--step-time', seconds(stepTime)),
    ...option('--model', model),
    ...option('--permission-mode', permissionMode),
    ...allow.flatMap((rule) => option('--allow', rule)),
    ...(waitLimits ? ['--wait-limits'] : []),
    ...option('--on-stop', onStop),
    ...(step ? ['--step'] : []),
  ].join(' ');
}

const SILENCE_MS = 20 * 60_000;

/** Tests shorten the waits; nobody else needs to. */
function timingFrom(
  environment: Record<string, string | undefined>,
): DriveContext['timing'] {
  const [first, silence] = (environment['HOLDFAST_RUN_TIMING'] ?? '')
    .split(',')
    .map(Number);
  return { firstWaitMs: first || undefined, silenceMs: silence || SILENCE_MS };
}

function startedEvent(
  run: Run,
  client: string | null,
  log: string,
): DriverEvent {
  const { name, steps } =
    run.kind === 'template' ? run.template : { name: '', steps: [] };
  const stateOf = phaseStates(run);
  return {
    event: 'started',
    workflow: run.state.workflow,
    template: name,
    client,
    steps: steps.map(({ id, title = id }, index) => ({
      id,
      title,
      state: stateOf(index + 1),
    })),
    log,
  };
}

const ON_STOP_MS = 60_000;

/** Runs the user's command with the last event as JSON on its input. Returns what went wrong, or null. */
function runOnStop(
  { root, environment }: CommandContext,
  command: string,
  end: RunEvent,
) {
  const { status, signal, error } = spawnSync(command, {
    cwd: root,
    env: environment,
    shell: true,
    input: `${JSON.stringify(end)}\n`,
    timeout: ON_STOP_MS,
    killSignal: 'SIGKILL',
    // Its output must not mix with the events on standard output.
    stdio: ['pipe', 'ignore', 'inherit'],
    windowsHide: true,
  });
  // A command that reads nothing is fine.
  if (status === 0) return null;
  if (status !== null) return `it exited with ${status}`;
  return signal === null
    ? (error?.message ?? 'it did not start')
    : `it was ended by ${signal}`;
}

/** As with every command, a failure is also told where people look for it. */
function printJson(event: RunEvent): void {
  print(1, safeJson(event, 0));
  if (event.event === 'stopped' && event.exit_code !== 0)
    print(2, endLine(event));
}

function printEvent(event: RunEvent): void {
  const line = eventLine(event);
  if (event.event === 'stopped') printEnd(event);
  else if (line !== null) print(1, line);
}

const TICK_MS = 1_000;
const [HIDE_CURSOR, SHOW_CURSOR] = ['\u001B[?25l', '\u001B[?25h'];
const [CLEAR_LINE, CLEAR_BELOW, CLEAR_SCREEN] = [
  '\u001B[K',
  '\u001B[J',
  '\u001B[2J\u001B[H',
];

/** One frame that is drawn again with every event and every second: in place, so that nothing flickers. */
function terminalScreen(cli: CommandContext) {
  let view = NO_VIEW;
  /** How many lines the last frame has. */
  let drawn = 0;
  const draw = (): void => {
    // Some terminals do not tell their size.
    const [columns, rows] = process.stdout.getWindowSize();
    const size = { columns: columns || 80, rows: rows || 24 };
    const lines = frameLines(view, Date.now(), size, cli.output.colors);
    const toTop = drawn <= 1 ? '\r' : `\r\u001B[${drawn - 1}A`;
    const frame = lines.map((line) => `${line}${CLEAR_LINE}`).join('\r\n');
    write(1, `${HIDE_CURSOR}${toTop}${frame}${CLEAR_BELOW}`);
    drawn = lines.length;
  };
  const timer = setInterval(draw, TICK_MS);
  const onResize = (): void => {
    // Lines may have been wrapped: everything is drawn anew.
    if (drawn > 0) write(1, CLEAR_SCREEN);
    drawn = 0;
    draw();
  };
  process.stdout.on('resize', onResize);
  const close = (): void => {
    clearInterval(timer);
    process.stdout.off('resize', onResize);
    process.off('exit', close);
    if (drawn > 0) write(1, `\r\n${SHOW_CURSOR}`);
    drawn = 0;
  };
  process.on('exit', close);
  return {
    show: (event: RunEvent): void => {
      view = withEvent(view, event);
      draw();
      if (event.event !== 'stopped') return;
      close();
      printEnd(event);
    },
    close,
  };
}

function printEnd(event: Stopped): void {
  const { steps, usage, exit_code: code } = event;
  print(
    1,
    ['', ...steps.map(summaryLine), `in all: ${usageText(usage)}`].join('\n'),
  );
  print(code === 0 ? 1 : 2, endLine(event));
}

const endLine = ({ message, hint }: Stopped): string =>
  sanitizeLine(`holdfast: ${hint === '' ? message : `${message}; ${hint}`}`);

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
/** A gate that is under way raises the signal again, so one that follows at once is the same. */
const SAME_SIGNAL_MS = 1_000;

/** The first signal ends the turn in order, a second one ends the client at once. */
function listenForSignals(record: Pick<DriverRecord, 'memory'>) {
  const controller = new AbortController();
  let first: { at: number; name: keyof typeof SIGNALS } | null = null;
  const onSignal = (name: NodeJS.Signals): void => {
    if (name !== 'SIGINT' && name !== 'SIGTERM' && name !== 'SIGHUP') return;
    if (first === null) {
      first = { at: Date.now(), name };
      controller.abort();
    } else if (Date.now() - first.at > SAME_SIGNAL_MS) {
      const pid = record.memory.client?.pid;
      if (pid !== undefined) signalGroup(pid, 'SIGKILL');
    }
  };
  for (const name of Object.keys(SIGNALS)) process.on(name, onSignal);
  return {
    signal: controller.signal,
    /** Of the signal that ended the run; null if none did. */
    exitCode: (): number | null =>
      first === null ? null : SIGNALS[first.name],
    stop: (): void => {
      for (const name of Object.keys(SIGNALS)) process.off(name, onSignal);
    },
  };
}
