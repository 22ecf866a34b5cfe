import { GATE_VARIABLE, runsOfGates } from '../../sessions/client-process.ts';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { errorCode } from '../../files/read-file.ts';

export type GateResult =
  | { kind: 'passed' }
  | { kind: 'failed'; exitCode: number; tail: string }
  | { kind: 'timed_out'; seconds: number; tail: string }
  | { kind: 'cancelled' }
  | { kind: 'not_started'; reason: string };

export interface GateContext {
  root: string;
  /** The run that the gate belongs to. */
  run: string;
  environment: NodeJS.ProcessEnv;
  timeoutMs?: number;
  /** Ends the gate at once. */
  signal?: AbortSignal | undefined;
}

const TEN_MINUTES = 600_000;
const TAIL_CHARACTERS = 4_000;
const KEPT_BYTES = 4 * TAIL_CHARACTERS;
const CLOSE_WAIT_MS = 200;

/** Runs a command of a trusted template in the project root, with limits on its time and its output. */
export function runGate(command: string, context: GateContext): Promise<GateResult> {
  const { root, run, environment, timeoutMs = TEN_MINUTES, signal } = context;
  if (signal?.aborted === true) return Promise.resolve({ kind: 'cancelled' });
  return new Promise((settle) => {
    let child: ChildProcess;
    try {
      child = spawn(command, {
        cwd: root,
        env: gateEnvironment(environment, run),
        shell: true,
        stdio: ['ignore', 'pipe', 'pipe'],
        // A process group of its own, so that its children can be ended with it.
        detached: process.platform !== 'win32',
        windowsHide: true,
      });
    } catch (error) {
      // A command that cannot be passed to a shell, for example one with a NUL character.
      return settle({ kind: 'not_started', reason: messageOf(error) });
    }
    const output = listenTo(child);
    const release = endWithUs(child);
    let isOver = false;
    const finish = (result: () => GateResult): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(limit);
      signal?.removeEventListener('abort', cancel);
      endGroup(child);
      // A child that left the group may still hold the pipes, so this does not wait for long.
      const last = setTimeout(close, CLOSE_WAIT_MS);
      child.once('close', close);
      function close(): void {
        clearTimeout(last);
        child.off('close', close);
        child.stdout?.destroy();
        child.stderr?.destroy();
        release();
        settle(result());
      }
    };
    function cancel(): void {
      finish(() => ({ kind: 'cancelled' }));
    }
    signal?.addEventListener('abort', cancel);
    const limit = setTimeout(() => {
      finish(() => ({ kind: 'timed_out', seconds: Math.ceil(timeoutMs / 1000), tail: output() }));
    }, timeoutMs);
    child.once('error', (error) => {
      finish(() => ({ kind: 'not_started', reason: messageOf(error) }));
    });
    child.once('exit', (code, endedBy) => {
      const exitCode = code ?? 128 + (endedBy === null ? 0 : constants.signals[endedBy]);
      finish(() =>
        exitCode === 0 ? { kind: 'passed' } : { kind: 'failed', exitCode, tail: output() },
      );
    });
  });
}

/** The last part of both output streams, in the order of arrival. */
function listenTo(child: ChildProcess): () => string {
  let kept = Buffer.alloc(0);
  const keep = (chunk: Buffer): void => {
    kept = Buffer.concat([kept, chunk.subarray(-KEPT_BYTES)]).subarray(-KEPT_BYTES);
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
function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/pid', String(child.pid), '/T', '/F'], { stdio: 'ignore' });
    return;
  }
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    // The group is empty (macOS reports EPERM if only a zombie is left).
    const code = errorCode(error);
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\s+/g, ' ') : String(error);
}

/**
 * The environment of the gate's command: all variables except those of Claude Code and holdfast and those that look
 * like secrets, and the run it belongs to.
 */
export function gateEnvironment(
  environment: NodeJS.ProcessEnv,
  run: string,
): Record<string, string> {
  const passed = Object.entries(environment).flatMap(([name, value]): [string, string][] =>
    value === undefined || (WITHHELD.test(name) && !/^(?:OLD)?PWD$/i.test(name))
      ? []
      : [[name, value]],
  );
  const runs = [...runsOfGates(environment), run].join(',');
  return { ...Object.fromEntries(passed), [GATE_VARIABLE]: runs };
}

const WITHHELD =
  /^(?:ANTHROPIC_|CLAUDE|HOLDFAST)|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|API_?KEY|(?:PRIVATE|ACCESS|SIGNING|ENCRYPTION|MASTER)_KEY|(?:^|_)(?:O?AUTH|AUTHORIZATION|PASS|PWD|PAT)(?:_|$)/i;
