import { spawn } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ClientVersion, installClient } from './client.ts';
import { clientEnvironment, type Environment } from './environment.ts';
import type { Host } from './host.ts';
import type { Reply } from './reply.ts';
import {
  isSideJob,
  isSummariser,
  lastPrompt,
  type ModelRequest,
} from './request.ts';
import { SUMMARY } from './script.ts';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const binary = join(repository, 'bin/holdfast.cjs');

export interface DriveResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Driving {
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  output(): string;
  readonly ended: Promise<DriveResult>;
}

/** `holdfast run` with the real client on the PATH. */
export async function startDriving(
  version: ClientVersion,
  host: Host,
  words: readonly string[],
  env: Environment = {},
): Promise<Driving> {
  const client = await installClient(version);
  const bin = join(host.home.path, 'client-bin');
  await mkdir(bin, { recursive: true });
  await symlink(client, join(bin, 'claude')).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    },
  );
  const base = clientEnvironment(host.home.path, host.model.url);
  const path = [bin, dirname(process.execPath), '/usr/bin', '/bin'].join(':');
  const child = spawn(process.execPath, [binary, 'run', ...words], {
    cwd: host.project.root,
    env: { ...base, PATH: path, HOLDFAST_RUN_TIMING: '200,60000', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return {
    pid: child.pid ?? 0,
    kill: (signal) => void child.kill(signal),
    output: () => stdout,
    ended: new Promise((resolve) => {
      child.once('close', (code, signal) =>
        resolve({ code, signal, stdout, stderr }),
      );
    }),
  };
}

export async function drive(
  version: ClientVersion,
  host: Host,
  words: readonly string[],
  env: Environment = {},
): Promise<DriveResult> {
  return (await startDriving(version, host, words, env)).ended;
}

/**
 * A model that works on steps: for each prompt that continues a run it executes the commands that `work` gives for the
 * step, one after the other, and then ends its turn.
 */
export function worker(
  work: (step: string, request: ModelRequest) => readonly string[],
): (request: ModelRequest) => Reply {
  return (request) => {
    if (isSummariser(request))
      return { text: `<analysis>-</analysis><summary>${SUMMARY}</summary>` };
    if (isSideJob(request)) return { text: 'side job' };
    const { text, toolCalls } = lastPrompt(request);
    const step = / at step ([\w-]+)\./.exec(text)?.[1] ?? 'other';
    const command = work(step, request)[toolCalls];
    if (command === undefined) return { text: 'DONE' };
    return {
      tools: [{ name: 'Bash', input: { command, description: 'scripted' } }],
    };
  };
}
