import { spawn } from 'node:child_process';
import { permissionFlags, type Seat, seatEnvironment } from './seat.ts';
import { DEADLINE_MS } from './wait.ts';

export interface PrintOptions {
  readonly sessionId?: string;
  readonly resume?: string;
  readonly fork?: boolean;
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

/**
 * Prompts and slash commands in one process, each sent when the one before is answered: a client that starts for each
 * of them costs more than all that it then does. A process for a single one gets it as an argument.
 */
export async function print(
  seat: Seat,
  prompts: string | readonly string[],
  options: PrintOptions = {},
): Promise<PrintResult> {
  const { sessionId, resume, fork, args = [] } = options;
  const streamed = [
    '--input-format',
    'stream-json',
    '--output-format',
    'stream-json',
    '--verbose',
  ];
  const isOne = typeof prompts === 'string';
  const ended = await execute(seat, isOne ? [] : prompts, [
    '-p',
    ...(isOne ? [prompts, '--output-format', 'json'] : streamed),
    ...permissionFlags(seat),
    ...(sessionId === undefined ? [] : ['--session-id', sessionId]),
    ...(resume === undefined ? [] : ['--resume', resume]),
    ...(fork === true ? ['--fork-session'] : []),
    ...args,
  ]);
  return { ...ended, ...parseResult(ended.stdout) };
}

type Ended = {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
};

function execute(
  seat: Seat,
  prompts: readonly string[],
  args: readonly string[],
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(seat.client, args, {
      cwd: seat.cwd,
      env: seatEnvironment(seat),
      timeout: DEADLINE_MS,
      killSignal: 'SIGKILL',
    });
    let stdout = '';
    let stderr = '';
    let sent = 0;
    const sendNext = (): void => {
      const content = prompts[sent++];
      const message = { type: 'user', message: { role: 'user', content } };
      if (content !== undefined)
        child.stdin.write(`${JSON.stringify(message)}\n`);
      // The client waits for what an open stdin has to say.
      if (sent >= prompts.length) child.stdin.end();
    };
    sendNext();
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      // A line may come in two parts.
      const lines = stdout.slice(0, stdout.lastIndexOf('\n'));
      if (sent < prompts.length && resultsIn(lines).length >= sent) sendNext();
    });
    child.stderr
      .setEncoding('utf8')
      .on('data', (text: string) => (stderr += text));
    child.once('error', reject);
    child.stdin.once('error', reject);
    child.once('close', (exitCode, signal) => {
      if (exitCode === null)
        reject(
          new Error(`the client ended by ${signal}\n${stdout}\n${stderr}`),
        );
      else resolve({ exitCode, stdout, stderr });
    });
  });
}

function parseResult(stdout: string): Pick<PrintResult, 'sessionId' | 'text'> {
  const last = resultsIn(stdout).at(-1);
  return { sessionId: last?.session_id ?? '', text: last?.result ?? '' };
}

type Result = {
  readonly type: string;
  readonly session_id?: string;
  readonly result?: string;
};

function resultsIn(stdout: string): readonly Result[] {
  const lines = stdout
    .split('\n')
    .filter((line) => line.includes('"type":"result"'));
  return lines
    .map((line): Result => JSON.parse(line))
    .filter(({ type }) => type === 'result');
}
