import { execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  constants,
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
import { errorCode } from '../../src/io/read-file.ts';
import { sleep } from '../../src/io/sleep.ts';

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

const TIMEOUT_MS = 60_000;
const POLL_MS = 1;
/** Each call makes the program anew. With V8's own sizes, a third of the time would go into collecting what it leaves. */
const MEMORY = ['--min-semi-space-size=64', '--max-semi-space-size=128'];
const script = fileURLToPath(new URL('resident.cjs', import.meta.url));

let resident: Resident | null = null;

/** Runs the program in the resident process of this worker, which is started by the first call and after its end. */
export function runResident(program: string, call: ResidentCall): Output {
  if (resident === null || resident.hasEnded) resident = new Resident(program);
  return resident.run(call);
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
    const paths = ['requests', 'replies'].map((name) => join(this.#folder, name));
    execFileSync('mkfifo', paths);
    const [requests = '', replies = ''] = paths;
    const both = paths.map((path) => openSync(path, 'r+'));
    this.#requests = openSync(requests, 'w');
    this.#replies = openSync(replies, constants.O_RDONLY | constants.O_NONBLOCK);
    const [read, write] = [openSync(requests, 'r'), openSync(replies, 'w')];
    const errors = openSync(join(this.#folder, 'errors'), 'w');
    const child = spawn(process.execPath, [...MEMORY, script, program, this.#folder], {
      stdio: ['ignore', 'ignore', errors, read, write],
      env: { PATH: process.env['PATH'], TZ: 'UTC' },
    });
    child.unref();
    this.#kill = () => void child.kill('SIGKILL');
    for (const file of [...both, read, write, errors]) closeSync(file);
  }

  run({ words, cwd, env, input }: ResidentCall): Output {
    this.#calls += 1;
    // New files for each call: a child process of an earlier call may still write to those of its own.
    const path = (name: string): string => join(this.#folder, `${this.#calls}-${name}`);
    const files = { input: path('input'), stdout: path('stdout'), stderr: path('stderr') };
    writeFileSync(files.input, input);
    writeSync(this.#requests, `${JSON.stringify({ words, cwd, env, ...files })}\n`);
    const reply = this.#readReply();
    if ('crash' in reply) throw this.#failure(`holdfast ${words.join(' ')}: ${reply.crash}`);
    const read = (file: string): string => readFileSync(file, 'utf8');
    const result = { code: reply.code, stdout: read(files.stdout), stderr: read(files.stderr) };
    for (const file of Object.values(files)) rmSync(file);
    if (reply.code === null) this.#end();
    return result;
  }

  #readReply(): Reply {
    const deadline = Date.now() + TIMEOUT_MS;
    let text = '';
    const chunk = Buffer.alloc(65_536);
    while (!text.endsWith('\n')) {
      const length = readAvailable(this.#replies, chunk);
      if (length === 0) {
        if (this.#errors() !== '') throw this.#failure('the process of the commands has ended');
        return { code: null };
      }
      if (length === null && Date.now() > deadline)
        throw this.#failure(`no reply after ${TIMEOUT_MS / 1000} s`);
      if (length === null) sleep(POLL_MS);
      else text += chunk.toString('utf8', 0, length);
    }
    return JSON.parse(text);
  }

  /** What was printed before the first call. */
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

/** Null if nothing has been written yet. */
function readAvailable(file: number, chunk: Buffer): number | null {
  try {
    return readSync(file, chunk);
  } catch (error) {
    if (errorCode(error) === 'EAGAIN') return null;
    throw error;
  }
}
