import { GATE_VARIABLE, runsOfGates } from '../../sessions/client-process.ts';
import type { Project } from '../../sessions/open-project.ts';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from '../../files/read-file.ts';
import { signalGroup } from '../../files/run-command.ts';

export type GateResult =
  | { kind: 'passed' }
  | { kind: 'failed'; exitCode: number; tail: string }
  | { kind: 'timed_out'; seconds: number; tail: string }
  | { kind: 'cancelled' }
  | { kind: 'not_started'; reason: string };

/** Long enough for a whole test suite; a gate that waits for input would never end. */
const DEFAULT_TIMEOUT_MS = 600_000;
/** The end of the output, which is where programs say what is wrong. */
const TAIL_CHARACTERS = 4_000;
/** A character has at most four bytes in UTF-8. */
const KEPT_BYTES = 4 * TAIL_CHARACTERS;
const CLOSE_WAIT_MS = 200;
/** Shells add the number of a signal to this for the exit code of what it ended. */
const SIGNAL_EXIT_BASE = 128;

export interface GateContext extends Pick<Project, 'root' | 'environment'> {
  /** The id of the run that the gate belongs to. */
  run: string;
  signal?: AbortSignal | undefined;
  timeoutMs?: number;
}

/** Runs a command of a trusted template in the project root, with limits on its time and its output. */
export async function runGate(
  command: string,
  context: GateContext,
): Promise<GateResult> {
  const { root, run, environment, signal } = context;
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = context;
  if (signal?.aborted === true) return { kind: 'cancelled' };
  try {
    const child = spawn(command, {
      cwd: root,
      env: gateEnvironment(environment, run),
      shell: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group of its own, so that its children can be ended with it.
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    const output = listenTo(child);

    const closed = new Promise((settle) => child.once('close', settle));
    let stopped: 'cancelled' | 'timed_out' | null = null;
    const stop = (why: 'cancelled' | 'timed_out'): void => {
      stopped ??= why;
      endGroup(child);
    };
    const cancel = (): void => stop('cancelled');
    signal?.addEventListener('abort', cancel);
    const limit = setTimeout(stop, timeoutMs, 'timed_out');
    const release = endWithUs(child);

    try {
      await once(child, 'exit');
      endGroup(child);
      // A child that left the group may still hold the pipes, so this does not wait for long.
      await Promise.race([
        closed,
        sleep(CLOSE_WAIT_MS, undefined, { ref: false }),
      ]);
    } finally {
      clearTimeout(limit);
      signal?.removeEventListener('abort', cancel);
      release();
      child.stdout.destroy();
      child.stderr.destroy();
    }

    return resultOf(child, stopped, Math.ceil(timeoutMs / 1000), output());
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    // Also a command that cannot be passed to a shell, for example one with a NUL character.
    const reason =
      error instanceof Error
        ? error.message.replace(/\s+/g, ' ')
        : String(error);
    return { kind: 'not_started', reason };
  }
}

function resultOf(
  { exitCode: code, signalCode: signal }: ChildProcess,
  stopped: 'cancelled' | 'timed_out' | null,
  seconds: number,
  tail: string,
): GateResult {
  if (stopped === 'cancelled') return { kind: stopped };
  if (stopped === 'timed_out') return { kind: stopped, seconds, tail };
  const signalNumber = signal === null ? 0 : constants.signals[signal];
  const exitCode = code ?? SIGNAL_EXIT_BASE + signalNumber;
  return exitCode === 0
    ? { kind: 'passed' }
    : { kind: 'failed', exitCode, tail };
}

/** The last part of both output streams, in the order of arrival. */
function listenTo(child: ChildProcess): () => string {
  let kept = Buffer.alloc(0);
  const keep = (chunk: Buffer): void => {
    kept = Buffer.concat([kept, chunk.subarray(-KEPT_BYTES)]).subarray(
      -KEPT_BYTES,
    );
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  return () => readableEnd(kept);
}

/** The first bytes of what was kept may be the rest of a character. */
const BROKEN_START = /^\uFFFD+/;
/** Colours and movements of the cursor: `ESC [ 31 m`. */
const ESCAPE_SEQUENCE = /\u001B\[[0-9;?]*[A-Za-z]/g;
/** All control characters but the tab and the line feed. */
const CONTROL = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;
/** The second half of a character of which the cut has taken the first. */
const HALF_CHARACTER = /^[\uDC00-\uDFFF]/;

function readableEnd(output: Buffer): string {
  const text = output
    .toString('utf8')
    .replace(BROKEN_START, '')
    .replace(ESCAPE_SEQUENCE, '')
    .replace(/\r\n?/g, '\n')
    .replace(CONTROL, '')
    .trimEnd();
  return text.slice(-TAIL_CHARACTERS).replace(HALF_CHARACTER, '');
}

/** A separate process group does not receive the Ctrl-C that ends this process. */
function endWithUs(child: ChildProcess): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const onExit = (): void => endGroup(child);
  const onSignal = (signal: NodeJS.Signals): void => {
    release();
    endGroup(child);
    process.kill(process.pid, signal);
  };
  const release = (): void => {
    process.off('exit', onExit);
    for (const signal of signals) process.off(signal, onSignal);
  };
  process.on('exit', onExit);
  for (const signal of signals) process.on(signal, onSignal);
  return release;
}

/** SIGKILL: a gate only checks, so it has nothing to clean up. */
function endGroup({ pid }: ChildProcess): void {
  if (pid !== undefined) signalGroup(pid, 'SIGKILL');
}

/** Without the variables of Claude Code and holdfast and those that look like secrets, and with the run. */
export function gateEnvironment(
  environment: NodeJS.ProcessEnv,
  run: string,
): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment))
    if (value !== undefined && !isWithheld(name)) passed[name] = value;
  const runs = [...runsOfGates(environment), run].join(',');
  return { ...passed, [GATE_VARIABLE]: runs };
}

/** `CLAUDE_CODE_SESSION_ID`, `HOLDFAST_RUN`, `ANTHROPIC_BASE_URL`. */
const OF_HOST = /^(?:ANTHROPIC_|CLAUDE|HOLDFAST)/i;
/** Anywhere in the name: `NPM_TOKEN`, `DB_PASSWORD`, `STRIPE_API_KEY`. */
const SECRET = /TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|API_?KEY/i;
/** `SSH_PRIVATE_KEY`, `AWS_ACCESS_KEY_ID`; other keys, such as `SORT_KEY`, are no secrets. */
const SECRET_KEY = /(?:PRIVATE|ACCESS|SIGNING|ENCRYPTION|MASTER)_KEY/i;
/** As a whole word of the name, because `PATH` contains one: `DB_PASS`, `GITHUB_PAT`, `OAUTH_URL`. */
const SECRET_WORD = /(?:^|_)(?:O?AUTH|AUTHORIZATION|PASS|PWD|PAT)(?:_|$)/i;
/** The folder in which a shell is, or was before. */
const WORKING_FOLDER = /^(?:OLD)?PWD$/i;

function isWithheld(name: string): boolean {
  if (WORKING_FOLDER.test(name)) return false;
  return [OF_HOST, SECRET, SECRET_KEY, SECRET_WORD].some((pattern) =>
    pattern.test(name),
  );
}
