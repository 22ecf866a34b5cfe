import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { errorCode } from '../../io/read-file.ts';
import type { Environment } from './environment.ts';
import { fileEnd, followFile, type FollowedFile } from './follow-file.ts';
import { parseStreamLine, type StreamMessage } from './stream-message.ts';

export interface ClientLaunch {
  program: string;
  args: readonly string[];
  cwd: string;
  environment: Environment;
  /** Where the client writes its stream. A file, so that a client whose driver was killed still completes it. */
  stream: string;
  /** Where it writes its errors. */
  errors: string;
}

export type ClientExit =
  | { kind: 'exited'; code: number | null; signal: string | null; words: string }
  | { kind: 'not_started'; reason: string };

/** A client that works, whether this process has started it or a driver that is gone. */
export interface Client {
  pid: number | null;
  /** Calls the listener for every message from now on; returns a function that ends that. */
  listen: (listener: (message: StreamMessage) => void) => () => void;
  exited: Promise<ClientExit>;
  prompt: (text: string) => void;
  /** Ends the turn; the client stays. */
  interrupt: () => void;
  /** A question about the session; the answer comes as a message. */
  ask: (subtype: string, id: string) => void;
  /** Lets the client end by itself, and ends it and everything it started if it does not. */
  end: (graceMs: number) => Promise<ClientExit>;
}

const KILL_AFTER_MS = 3_000;
const MAX_WORDS = 2_000;

export function startClient(launch: ClientLaunch): Client {
  const { program, args, cwd, environment, stream, errors } = launch;
  const listeners = new Set<(message: StreamMessage) => void>();
  const [out, err] = [openSync(stream, 'ax'), openSync(errors, 'ax')];
  let child: ChildProcess;
  try {
    child = spawn(program, args, {
      cwd,
      env: environment,
      stdio: ['pipe', out, err],
      // A process group of its own: Ctrl-C in the terminal reaches the driver, which ends the turn in order.
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
  } finally {
    closeSync(out);
    closeSync(err);
  }
  const followed = followFile(stream, (line) => emit(listeners, line));
  const exited = new Promise<ClientExit>((settle) => {
    child.once('error', (error) => {
      followed.stop();
      settle({ kind: 'not_started', reason: errorCode(error) ?? error.message });
    });
    child.once('exit', (code, signal) => {
      // Everything it has written is in the file by now.
      followed.stop();
      settle({ kind: 'exited', code, signal, words: fileEnd(errors, MAX_WORDS) });
    });
  });
  // A client that has ended reads no more.
  child.stdin?.on('error', () => undefined);
  const send = (message: object): void => {
    if (child.stdin?.writable === true) child.stdin.write(`${JSON.stringify(message)}\n`);
  };
  const { pid = null } = child;
  let requests = 0;
  return {
    pid,
    exited,
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    prompt: (text) =>
      send({ type: 'user', message: { role: 'user', content: [{ type: 'text', text }] } }),
    interrupt: () => {
      requests += 1;
      const request_id = `interrupt-${requests}`;
      send({ type: 'control_request', request_id, request: { subtype: 'interrupt' } });
    },
    ask: (subtype, id) => send({ type: 'control_request', request_id: id, request: { subtype } }),
    end: async (graceMs) => {
      child.stdin?.end();
      return endProcess(pid, exited, graceMs);
    },
  };
}

/** A client that a driver has left behind: it gets no more prompts, but completes its turn and its stream. */
export function adoptClient(
  { pid, stream }: { pid: number; stream: string },
  isRunning: () => boolean,
): Client {
  const listeners = new Set<(message: StreamMessage) => void>();
  let followed: FollowedFile | null = null;
  const exited = new Promise<ClientExit>((settle) => {
    const timer = setInterval(() => {
      if (isRunning()) return;
      clearInterval(timer);
      followed?.stop();
      settle({ kind: 'exited', code: null, signal: null, words: '' });
    }, POLL_MS);
  });
  return {
    pid,
    exited,
    listen: (listener) => {
      listeners.add(listener);
      followed ??= followFile(stream, (line) => emit(listeners, line));
      return () => listeners.delete(listener);
    },
    prompt: () => undefined,
    interrupt: () => signalGroup(pid, 'SIGINT'),
    ask: () => undefined,
    end: (graceMs) => endProcess(pid, exited, graceMs),
  };
}

const POLL_MS = 100;

function emit(listeners: ReadonlySet<(message: StreamMessage) => void>, line: string): void {
  for (const message of parseStreamLine(line)) for (const listener of listeners) listener(message);
}

async function endProcess(
  pid: number | null,
  exited: Promise<ClientExit>,
  graceMs: number,
): Promise<ClientExit> {
  const first = await within(exited, graceMs);
  if (first === null && pid !== null) signalGroup(pid, 'SIGTERM');
  const second = first ?? (await within(exited, KILL_AFTER_MS));
  // Also after a client that ended in order: what it started in the background must not go on.
  if (pid !== null) signalGroup(pid, 'SIGKILL');
  return second ?? exited;
}

/** Null if it takes longer. */
export async function within<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((settle) => {
    timer = setTimeout(() => settle(null), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Signals a client and everything that it has started. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  if (process.platform === 'win32') {
    if (signal !== 'SIGINT')
      spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' });
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // The group is empty (macOS reports EPERM if only a zombie is left).
    const code = errorCode(error);
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
