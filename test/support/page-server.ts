import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { onTestFinished } from 'vitest';
import { binary } from './cli.ts';

export interface RunningPage {
  /** With the token, and with a slash at the end. */
  url: string;
  port: number;
  process: ChildProcess;
  stderr: () => string;
  stdout: () => string;
  /** Ends it with Ctrl-C and returns its exit code. */
  stop: () => Promise<number | null>;
}

export type PageFolders = { root: string; home: string };

/** Starts `holdfast ui` without the environment of the tests and waits until it listens. */
export async function startPage(
  { root, home }: PageFolders,
  words: string[] = ['--no-open'],
  env: Record<string, string> = {},
): Promise<RunningPage> {
  const child = spawn(process.execPath, [binary, 'ui', ...words], {
    cwd: root,
    env: { PATH: process.env['PATH'], HOME: home, TZ: 'UTC', ...env },
  });
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null)
      child.kill('SIGKILL');
  });
  let stdout = '';
  let stderr = '';
  child.stdout
    .setEncoding('utf8')
    .on('data', (text: string) => (stdout += text));
  child.stderr
    .setEncoding('utf8')
    .on('data', (text: string) => (stderr += text));
  const closed = once(child, 'close');
  const address = (): RegExpExecArray | null =>
    /http:\/\/127\.0\.0\.1:(\d+)\/[\w-]+\//.exec(stdout);
  while (address() === null) {
    if (child.exitCode !== null) throw new Error(`it ended: ${stderr}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const [url = '', port = ''] = address() ?? [];
  const stop = async (): Promise<number | null> => {
    child.kill('SIGINT');
    await closed;
    return child.exitCode;
  };
  return {
    url,
    port: Number(port),
    process: child,
    stderr: () => stderr,
    stdout: () => stdout,
    stop,
  };
}

export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

type AskOptions = {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
};

/** A request with exactly this path and these headers, which `fetch` would tidy up. */
export function ask(
  port: number,
  path: string,
  { method = 'GET', headers = {}, body = '' }: AskOptions = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path, method, headers, agent: false },
      (response) => {
        let text = '';
        response
          .setEncoding('utf8')
          .on('data', (chunk: string) => (text += chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
          }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}
