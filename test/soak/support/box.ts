import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fse from 'fs-extra';
import { afterAll } from 'vitest';
import { binary, repository } from '../../support/cli.ts';
import { recorded } from '../../support/hooks.ts';

/** What faults.cjs does to a process. */
export interface Fault {
  kind?: 'record' | 'kill' | 'stop' | 'fail' | 'swap';
  /** The call, counted from 1. */
  at?: number;
  when?: 'before' | 'half' | 'after';
  code?: string;
  /** Also every later call. */
  lasting?: boolean;
  out?: string;
  /** What takes the place of a file or folder; nothing without a text. */
  swapped?: { path: string; text?: string | undefined };
  /** Paths below this folder act as if on another device. */
  device?: string;
  clockShift?: number;
}

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  ms: number;
}

export type Call = {
  words: readonly string[];
  input?: string;
  session?: string;
};

export interface RunningCall {
  pid: number;
  kill: (signal: NodeJS.Signals) => void;
  ended: Promise<Ended>;
}

/** A project and a home folder at a fixed path that can be reset to a snapshot. */
export class Box {
  readonly base = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-soak-')));
  readonly tree = join(this.base, 'tree');
  readonly root = join(this.tree, 'project');
  readonly home = join(this.tree, 'home');

  constructor() {
    if (this.base.startsWith(repository))
      throw new Error('the suites never run in the repository');
    mkdirSync(join(this.root, '.git'), { recursive: true });
    mkdirSync(this.home);
    afterAll(() => fse.removeSync(this.base));
  }

  write(path: string, text: string): void {
    fse.outputFileSync(join(this.root, path), text);
  }

  start(call: Call, fault: Fault = {}): RunningCall {
    const began = performance.now();
    const child = spawn(
      process.execPath,
      ['--require', preload, binary, ...call.words],
      {
        cwd: this.root,
        env: {
          PATH: process.env['PATH'],
          HOME: this.home,
          TZ: 'UTC',
          HOLDFAST_SOAK_FAULT: JSON.stringify(fault),
          ...(call.session === undefined
            ? {}
            : { CLAUDE_CODE_SESSION_ID: call.session }),
        },
      },
    );
    let stdout = '';
    let stderr = '';
    child.stdout
      .setEncoding('utf8')
      .on('data', (text: string) => (stdout += text));
    child.stderr
      .setEncoding('utf8')
      .on('data', (text: string) => (stderr += text));
    // A killed child no longer reads its standard input.
    child.stdin.on('error', () => {});
    child.stdin.end(call.input ?? '');
    const ended = new Promise<Ended>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) =>
        resolve({
          code,
          signal,
          stdout,
          stderr,
          ms: performance.now() - began,
        }),
      );
    });
    return {
      pid: child.pid ?? 0,
      kill: (signal) => void child.kill(signal),
      ended,
    };
  }

  async run(call: Call, fault: Fault = {}): Promise<Ended> {
    return this.start(call, fault).ended;
  }

  /** Throws if the command fails. */
  async must(call: Call): Promise<Ended> {
    const ended = await this.run(call);
    if (ended.code !== 0) {
      throw new Error(
        `${call.words.join(' ')}: exit ${ended.code}, ${ended.stderr}`,
      );
    }
    return ended;
  }

  keepAs(name: string): void {
    fse.removeSync(join(this.base, name));
    fse.copySync(this.tree, join(this.base, name), {
      preserveTimestamps: true,
    });
  }

  backTo(name: string): void {
    fse.removeSync(this.tree);
    fse.copySync(join(this.base, name), this.tree, {
      preserveTimestamps: true,
    });
  }
}

const preload = fileURLToPath(new URL('faults.cjs', import.meta.url));

let prompts = 0;

/** A hook call with a payload recorded from the real client. */
export function hookCall(
  box: Box,
  name: string,
  session: string,
  changes: object = {},
): Call {
  prompts += 1;
  const payload = {
    cwd: box.root,
    session_id: session,
    prompt_id: `prompt-${prompts}`,
  };
  return { words: ['hook'], input: recorded(name, { ...payload, ...changes }) };
}

export function command(...words: string[]): Call {
  return { words };
}
