import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface ResidentCall {
  words: string[];
  cwd: string;
  env: Record<string, string | undefined>;
  input: string;
}

interface Output {
  /** Null if the process was killed. */
  code: number | null;
  stdout: string;
  stderr: string;
}

type Reply = { code: number | null } | { crash: string };

const script = fileURLToPath(new URL('resident.cjs', import.meta.url));

let resident: Resident | null = null;

/** Runs the program in the resident process of this worker, which is started by the first call and after its end. */
export function runResident(program: string, call: ResidentCall): Output {
  if (resident === null || resident.hasEnded) resident = new Resident(program);
  return resident.run(call);
}

let forOthers: { requests: string; child: ChildProcess } | null = null;

/**
 * The named pipe of a second resident process, for a program that the tests start and that calls holdfast itself while
 * a call of the tests runs: see `callHoldfast` in fake-claude.cjs.
 */
export function residentRequests(program: string): string {
  if (forOthers !== null && forOthers.child.exitCode === null)
    return forOthers.requests;
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-resident-'));
  const requests = join(folder, 'requests');
  execFileSync('mkfifo', [requests]);
  const both = openSync(requests, 'r+');
  const read = openSync(requests, 'r');
  // Stays open: the process ends when nobody can write any more, which is the end of this one.
  openSync(requests, 'w');
  const child = startProcess(program, folder, [read, 'ignore']);
  for (const file of [both, read]) closeSync(file);
  forOthers = { requests, child };
  return requests;
}

function startProcess(
  program: string,
  folder: string,
  pipes: [number, number | 'ignore'],
): ChildProcess {
  const errors = openSync(join(folder, 'errors'), 'w');
  // Each call leaves all that it evaluated behind. Only a full collection frees it; the usual one would copy most of it.
  const memory = [
    '--min-semi-space-size=64',
    '--max-semi-space-size=64',
    '--gc-global',
  ];
  const child = spawn(process.execPath, [...memory, script, program, folder], {
    stdio: ['ignore', 'ignore', errors, ...pipes],
    env: { PATH: process.env['PATH'], TZ: 'UTC' },
  });
  child.unref();
  closeSync(errors);
  return child;
}

/**
 * A process that runs the built program again and again; see resident.cjs. It ends with the process of the tests, whose
 * end closes the pipe that it reads.
 */
class Resident {
  readonly #folder = mkdtempSync(join(tmpdir(), 'holdfast-resident-'));
  readonly #requests: number;
  readonly #replies: number;
  readonly #kill: () => void;
  #calls = 0;
  hasEnded = false;

  constructor(program: string) {
    // Named pipes, because the pipes of `spawn` cannot be read synchronously. Opening one end waits for the other, except
    // for reading and writing at once; so that is done first.
    const paths = ['requests', 'replies'].map((name) =>
      join(this.#folder, name),
    );
    execFileSync('mkfifo', paths);
    const [requests = '', replies = ''] = paths;
    const both = paths.map((path) => openSync(path, 'r+'));
    this.#requests = openSync(requests, 'w');
    this.#replies = openSync(replies, 'r');
    const [read, write] = [openSync(requests, 'r'), openSync(replies, 'w')];
    const child = startProcess(program, this.#folder, [read, write]);
    this.#kill = () => void child.kill('SIGKILL');
    for (const file of [...both, read, write]) closeSync(file);
  }

  run({ words, cwd, env, input }: ResidentCall): Output {
    this.#calls += 1;
    // New files for each call: a child process of an earlier call may still write to those of its own.
    const path = (name: string): string =>
      join(this.#folder, `${this.#calls}-${name}`);
    const files = {
      input: path('input'),
      stdout: path('stdout'),
      stderr: path('stderr'),
    };
    writeFileSync(files.input, input);
    writeSync(
      this.#requests,
      `${JSON.stringify({ words, cwd, env, ...files })}\n`,
    );
    const reply = this.#readReply();
    if ('crash' in reply)
      throw this.#failure(`holdfast ${words.join(' ')}: ${reply.crash}`);
    const read = (file: string): string => readFileSync(file, 'utf8');
    const result = {
      code: reply.code,
      stdout: read(files.stdout),
      stderr: read(files.stderr),
    };
    for (const file of Object.values(files)) rmSync(file);
    if (reply.code === null) this.#end();
    return result;
  }

  /** Waits as long as the process runs, which ends itself if a call takes too long. */
  #readReply(): Reply {
    let text = '';
    const chunk = Buffer.alloc(65_536);
    while (!text.endsWith('\n')) {
      const length = readSync(this.#replies, chunk);
      if (length === 0) {
        if (this.#errors() !== '')
          throw this.#failure('the process of the commands has ended');
        return { code: null };
      }
      text += chunk.toString('utf8', 0, length);
    }
    return JSON.parse(text);
  }

  /** What was printed before the first call, and why the process has ended itself. */
  #errors(): string {
    return readFileSync(join(this.#folder, 'errors'), 'utf8');
  }

  #failure(reason: string): Error {
    const errors = this.#errors();
    this.#end();
    return new Error(`${reason}\n${errors}`);
  }

  #end(): void {
    this.hasEnded = true;
    this.#kill();
    closeSync(this.#requests);
    closeSync(this.#replies);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
