import { spawn, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import {
  binary,
  sandbox,
  type CallOptions,
  type Result,
  type Sandbox,
} from './cli.ts';
import { residentRequests } from './resident.ts';
import { stateFiles } from './state.ts';

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
  /** Why the driver stops, by its last event. */
  stop: (
    words: string[],
    code?: number,
    env?: CallOptions['env'],
  ) => Record<string, unknown>;
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
  copyFileSync(
    fileURLToPath(new URL('fake-claude.sh', import.meta.url)),
    join(bin, 'claude'),
  );
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
      if (child.exitCode === null && child.signalCode === null)
        child.kill('SIGKILL');
    });
    const ended: Running['ended'] = new Promise((settle) => {
      child.once('close', (code, signal) =>
        settle({ code, signal, stdout, stderr }),
      );
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
  const drive: Driven['drive'] = (words, options = {}) =>
    box.run(['run', ...words], { ...options, env: { ...env, ...options.env } });
  const events: Driven['events'] = ({ stdout }) =>
    stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line): Record<string, unknown> => JSON.parse(line));
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
      writeFileSync(
        join(box.home, '.claude.json'),
        JSON.stringify({ projects }),
      );
    },
    script: (turns) =>
      writeFileSync(join(fake, 'script.json'), JSON.stringify(turns)),
    calls,
    drive,
    stop: (words, code = 0, more = {}) =>
      events(drive([...words, '--json'], { code, env: more })).at(-1) ?? {},
    events,
  };
}

export const WORKFLOWS = '.claude/holdfast/workflows';

export const template = (steps: string, more = ''): Record<string, string> => ({
  [`${WORKFLOWS}/release.yaml`]: `name: Release\ndescription: Ships it\n${more}steps:\n${steps}`,
});

/** A template of actions; more of a step follows its name: `check context: compact`. */
export const actions = (...steps: string[]): string =>
  steps
    .map((step) => {
      const [id = '', ...more] = step.split(' ');
      const rest = more.length === 0 ? '' : `, ${more.join(' ')}`;
      return `  - {id: ${id}, type: action, instructions: ${id.toUpperCase()}${rest}}\n`;
    })
    .join('');

export const TWO_STEPS = template(actions('plan', 'ship'));

export const GATED = template(
  `  - {id: build, type: action, gate: "test -f built", instructions: BUILD}
  - {id: ship, type: action, instructions: SHIP}
`,
  'max_retries: 2\n',
);

export const START = ['--template', 'release'];

/** The last event, which says why the driver has stopped. */
export const stopOf = (box: Driven, result: Pick<Result, 'stdout'>) =>
  box.events({ code: 0, stderr: '', ...result }).at(-1);

export const named = (
  box: Driven,
  result: Pick<Result, 'stdout'>,
  event: string,
) =>
  box
    .events({ code: 0, stderr: '', ...result })
    .filter((entry) => entry['event'] === event);

/** Of the only run there ever was. */
export const logFolder = (box: Driven): string => {
  const logs = join(box.root, 'untracked/workflow-logs');
  const name = readdirSync(logs).find((entry) => entry !== '.gitignore') ?? '';
  return join(logs, name);
};

export const runId = (box: Driven): string => basename(logFolder(box));

/** The steps of the prompts, and the beginning of other prompts. */
export const prompts = (box: Driven): string[] =>
  box
    .calls('prompt')
    .map(
      ({ prompt = '' }) =>
        / at step (\S+)\. /.exec(prompt)?.[1] ?? prompt.slice(0, 40),
    );

/** What happened to the run, by its journal. */
export const journal = (
  box: Driven,
): { event: string; [key: string]: unknown }[] => {
  const folders = [
    join(box.root, 'untracked/workflow-archive'),
    ...stateFiles(box.root).map((path) => join(box.root, dirname(path))),
  ].filter((folder) => existsSync(folder));
  return folders
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((path) => path.endsWith('.jsonl'))
    .flatMap((path) => readFileSync(path, 'utf8').split('\n'))
    .filter((line) => line !== '')
    .map((line): { event: string } => JSON.parse(line));
};

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};
