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

const TEN_MINUTES = 600_000;
const TAIL_CHARACTERS = 4_000;
const KEPT_BYTES = 4 * TAIL_CHARACTERS;
const CLOSE_WAIT_MS = 200;

/** Runs a command of a trusted template in the project root, with limits on its time and its output. */
export async function runGate(
  command: string,
  context: Pick<Project, 'root' | 'environment'> & {
    run: string;
    signal?: AbortSignal | undefined;
    timeoutMs?: number;
  },
): Promise<GateResult> {
  const { root, run, environment, timeoutMs = TEN_MINUTES, signal } = context;
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
  { exitCode: code, signalCode }: ChildProcess,
  stopped: 'cancelled' | 'timed_out' | null,
  seconds: number,
  tail: string,
): GateResult {
  if (stopped === 'cancelled') return { kind: stopped };
  if (stopped === 'timed_out') return { kind: stopped, seconds, tail };
  const exitCode =
    code ?? 128 + (signalCode === null ? 0 : constants.signals[signalCode]);
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
  return () =>
    kept
      .toString('utf8')
      .replace(/^\uFFFD+/, '')
      .replace(/\u001B\[[0-9;?]*[A-Za-z]/g, '')
      .replace(/\r\n?/g, '\n')
      .replace(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g, '')
      .trimEnd()
      .slice(-TAIL_CHARACTERS)
      .replace(/^[\uDC00-\uDFFF]/, '');
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
  const passed = Object.entries(environment).flatMap(
    ([name, value]): [string, string][] =>
      value === undefined ||
      (WITHHELD.test(name) && !/^(?:OLD)?PWD$/i.test(name))
        ? []
        : [[name, value]],
  );
  const runs = [...runsOfGates(environment), run].join(',');
  return { ...Object.fromEntries(passed), [GATE_VARIABLE]: runs };
}

const WITHHELD =
  /^(?:ANTHROPIC_|CLAUDE|HOLDFAST)|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|API_?KEY|(?:PRIVATE|ACCESS|SIGNING|ENCRYPTION|MASTER)_KEY|(?:^|_)(?:O?AUTH|AUTHORIZATION|PASS|PWD|PAT)(?:_|$)/i;
