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
  /** Starts it without the environment of the tests; `words` are `process.argv.slice(2)`. */
  start: (...words: string[]) => Running;
}

export interface Running {
  process: ChildProcess;
  pid: number;
  /** Waits until its output contains `word`. */
  says: (word: string) => Promise<void>;
  /** Waits until it exits and returns its output, or throws with its standard error. */
  end: () => Promise<string>;
  /** Waits until it exits and returns the signal that ended it. */
  killed: () => Promise<NodeJS.Signals | null>;
}

/** A program for another process, written against src/ (`import … from './files/lock.ts'`). */
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
    // Some packages offer only a UMD file as their main one, which cannot be bundled.
    mainFields: ['module', 'main'],
    logLevel: 'silent',
  });
  return {
    start: (...words) =>
      run(spawn(process.execPath, [outfile, ...words], scrubbed)),
  };
}

const scrubbed = { env: { PATH: process.env['PATH'], TZ: 'UTC' } };

function run(child: ChildProcess): Running {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const closed = once(child, 'close');
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null)
      child.kill('SIGKILL');
  });
  const end = async (): Promise<string> => {
    await closed;
    if (child.exitCode !== 0)
      throw new Error(`exit ${child.exitCode}: ${stderr}`);
    return stdout;
  };
  const says = async (word: string): Promise<void> => {
    while (!stdout.includes(word)) {
      if (child.exitCode !== null)
        throw new Error(`it exited without "${word}": ${stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  const killed = async (): Promise<NodeJS.Signals | null> => {
    await closed;
    return child.signalCode;
  };
  return { process: child, pid: child.pid ?? 0, says, end, killed };
}
