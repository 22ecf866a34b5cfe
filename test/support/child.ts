import { buildSync } from 'esbuild';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const source = fileURLToPath(new URL('../../src', import.meta.url));

export interface Script {
  /** Starts it in a scrubbed environment; what it was given stands in `process.argv` from 2 on. */
  start: (...words: string[]) => Running;
}

export interface Running {
  process: ChildProcess;
  pid: number;
  /** Waits until it has said this much. */
  says: (word: string) => Promise<void>;
  /** Waits for its end and gives what it said, or throws with what it complained about. */
  end: () => Promise<string>;
  /** Waits for its end by a signal. */
  killed: () => Promise<NodeJS.Signals | null>;
}

/** A program for another process, written against src/ (`import … from './io/lock.ts'`). */
export function compile(text: string): Script {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-script-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const outfile = join(folder, 'script.cjs');
  buildSync({
    stdin: { contents: text, resolveDir: source, loader: 'ts' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'silent',
  });
  return { start: (...words) => run(spawn(process.execPath, [outfile, ...words], scrubbed)) };
}

const scrubbed = { env: { PATH: process.env['PATH'], TZ: 'UTC' } };

function run(child: ChildProcess): Running {
  let said = '';
  let complained = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    complained += chunk.toString();
  });
  const closed = once(child, 'close');
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  });
  const end = async (): Promise<string> => {
    await closed;
    if (child.exitCode !== 0) throw new Error(`exit ${child.exitCode}: ${complained}`);
    return said;
  };
  const says = async (word: string): Promise<void> => {
    while (!said.includes(word)) {
      if (child.exitCode !== null) throw new Error(`it ended without "${word}": ${complained}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  const killed = async (): Promise<NodeJS.Signals | null> => {
    await closed;
    return child.signalCode;
  };
  return { process: child, pid: child.pid ?? 0, says, end, killed };
}
