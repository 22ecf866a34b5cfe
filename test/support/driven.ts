import { spawn, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { binary, sandbox, type CallOptions, type Result, type Sandbox } from './cli.ts';
import { residentRequests } from './resident.ts';

/** What the fake client does in a turn, one after the other. */
export interface Action {
  run?: string;
  /** What `run` has to exit with, if not with 0. */
  code?: number;
  line?: string;
  sleep?: number;
  /** Waits for a file in the folder of the fake. */
  until?: string;
  exit?: number;
  words?: string;
  kill?: string;
  limit?: number;
  result?: object;
}

export interface FakeCall {
  kind: 'start' | 'prompt' | 'tool';
  pid?: number;
  args?: string[];
  cwd?: string;
  session?: string;
  prompt?: string;
  command?: string;
  output?: string;
  code?: number | null;
  expected?: number;
  driver?: string;
}

export interface Driven extends Sandbox {
  /** Turns of the client; those after the last one finish their step. */
  script: (turns: Action[][]) => void;
  calls: (kind?: FakeCall['kind']) => FakeCall[];
  drive: (words: string[], options?: CallOptions) => Result;
  /** Starts a driver without waiting for it. */
  begin: (words: string[], options?: CallOptions) => Running;
  /** As if the user had accepted the client's question in this folder. */
  trust: (folder?: string) => void;
  fake: string;
  env: Record<string, string>;
  events: (result: Result) => Record<string, unknown>[];
}

export interface Running {
  child: ChildProcess;
  output: () => string;
  says: (text: string) => Promise<void>;
  ended: Promise<{
    code: number | null;
    signal: NodeJS.Signals | null;
    stdout: string;
    stderr: string;
  }>;
}

const program = fileURLToPath(new URL('fake-claude.cjs', import.meta.url));

/** A project in which `claude` is a program of the tests. */
export function drivenProject(tree: Record<string, string>): Driven {
  const box = sandbox(tree);
  const fake = join(box.home, 'fake');
  const bin = join(box.home, 'fake-bin');
  mkdirSync(fake);
  mkdirSync(bin);
  copyFileSync(fileURLToPath(new URL('fake-claude.sh', import.meta.url)), join(bin, 'claude'));
  chmodSync(join(bin, 'claude'), 0o755);
  const env = {
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    FAKE_CLAUDE: fake,
    FAKE_CLAUDE_PROGRAM: program,
    FAKE_CLAUDE_REQUESTS: residentRequests(binary),
    HOLDFAST_RUN_TIMING: '20,60000',
  };
  const begin: Driven['begin'] = (words, options = {}) => {
    const child = spawn(process.execPath, [binary, 'run', ...words], {
      cwd: options.cwd ?? box.root,
      env: { HOME: box.home, TZ: 'UTC', ...env, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    onTestFinished(() => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    });
    const ended: Running['ended'] = new Promise((settle) => {
      child.once('close', (code, signal) => settle({ code, signal, stdout, stderr }));
    });
    const says = async (text: string): Promise<void> => {
      for (let tries = 0; !stdout.includes(text); tries += 1) {
        if (tries > 30_000 || child.exitCode !== null)
          throw new Error(`no "${text}" in\n${stdout}\n${stderr}`);
        await new Promise((settle) => setTimeout(settle, 10));
      }
    };
    return { child, output: () => stdout, says, ended };
  };
  const calls: Driven['calls'] = (kind) => {
    const path = join(fake, 'calls.jsonl');
    if (!existsSync(path)) return [];
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line): FakeCall => JSON.parse(line))
      .filter((call) => kind === undefined || call.kind === kind);
  };
  onTestFinished(() => {
    for (const { command, code, expected, output } of calls('tool'))
      if (code !== expected)
        throw new Error(
          `the client's \`${command}\` exited with ${code}, not ${expected}\n${output}`,
        );
  });
  return {
    ...box,
    fake,
    env,
    begin,
    trust: (folder = box.root) => {
      const projects = { [folder]: { hasTrustDialogAccepted: true } };
      writeFileSync(join(box.home, '.claude.json'), JSON.stringify({ projects }));
    },
    script: (turns) => writeFileSync(join(fake, 'script.json'), JSON.stringify(turns)),
    calls,
    drive: (words, options = {}) =>
      box.run(['run', ...words], { ...options, env: { ...env, ...options.env } }),
    events: ({ stdout }) =>
      stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line): Record<string, unknown> => JSON.parse(line)),
  };
}
