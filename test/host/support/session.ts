import { spawn } from 'node:child_process';
import { permissionFlags, type Seat, seatEnvironment } from './seat.ts';
import { DEADLINE_MS } from './wait.ts';

export interface PrintOptions {
  readonly resume?: string;
  readonly args?: readonly string[];
}

export interface PrintResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Both from the result that the client prints; empty if it printed none. */
  readonly sessionId: string;
  readonly text: string;
}

/** One prompt, or one slash command, in a process of its own. */
export async function print(
  seat: Seat,
  prompt: string,
  options: PrintOptions = {},
): Promise<PrintResult> {
  const { resume, args = [] } = options;
  const ended = await execute(seat, [
    '-p',
    prompt,
    '--output-format',
    'json',
    ...permissionFlags(seat),
    ...(resume === undefined ? [] : ['--resume', resume]),
    ...args,
  ]);
  return { ...ended, ...parseResult(ended.stdout) };
}

interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

function execute(seat: Seat, args: readonly string[]): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(seat.client, args, {
      cwd: seat.cwd,
      env: seatEnvironment(seat),
      // The client would wait for what an open stdin has to say.
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: DEADLINE_MS,
      killSignal: 'SIGKILL',
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.once('error', reject);
    child.once('close', (exitCode, signal) => {
      if (exitCode === null)
        reject(new Error(`the client ended by ${signal}\n${stdout}\n${stderr}`));
      else resolve({ exitCode, stdout, stderr });
    });
  });
}

function parseResult(stdout: string): Pick<PrintResult, 'sessionId' | 'text'> {
  if (!stdout.startsWith('{')) return { sessionId: '', text: '' };
  const result: { session_id?: string; result?: string } = JSON.parse(stdout);
  return { sessionId: result.session_id ?? '', text: result.result ?? '' };
}
