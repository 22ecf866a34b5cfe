import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { binary, type Sandbox } from './cli.ts';

export type Called = { isError: boolean; text: string };

export interface McpServer {
  /** The result of a request; throws protocol errors. */
  ask: (method: string, params?: object) => Promise<Record<string, unknown>>;
  call: (tool: string, given?: object) => Promise<Called>;
  /** The reply of a tool; throws if it is an error. */
  reply: (tool: string, given?: object) => Promise<Record<string, unknown>>;
  /** The text of a tool's error. */
  refusal: (tool: string, given?: object) => Promise<string>;
  tell: (line: string) => void;
  stderr: () => string;
  /** All lines of standard output. */
  lines: readonly string[];
  /** Closes standard input and waits until the server exits. */
  end: () => Promise<number | null>;
}

export interface McpOptions {
  session?: string;
  words?: readonly string[];
  cwd?: string;
  env?: Record<string, string>;
  /** The newer client sends a request before `initialize` and then uses the newer protocol. */
  era?: 'initialize' | 'discover';
}

const CLIENT = { name: 'test', version: '1' };
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': CLIENT,
  'io.modelcontextprotocol/clientCapabilities': {},
};
const HELLO = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: CLIENT,
};

/** Starts `holdfast mcp` as the client does and completes the handshake. */
export async function openServer(
  box: Pick<Sandbox, 'root' | 'home'>,
  options: McpOptions = {},
): Promise<McpServer> {
  const {
    session,
    words = ['mcp'],
    cwd = box.root,
    era = 'initialize',
  } = options;
  const child = spawn(process.execPath, [binary, ...words], {
    cwd,
    env: {
      PATH: process.env['PATH'],
      HOME: box.home,
      TZ: 'UTC',
      ...(session === undefined ? {} : { CLAUDE_CODE_SESSION_ID: session }),
      ...options.env,
    },
  });
  onTestFinished(() => {
    if (child.exitCode === null) child.kill('SIGKILL');
  });
  const closed = once(child, 'close');
  let stderr = '';
  child.stderr
    .setEncoding('utf8')
    .on('data', (text: string) => (stderr += text));
  const lines: string[] = [];
  const waiting = new Map<number, (message: Message) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    const message: Message = JSON.parse(line);
    if (message.id !== undefined) waiting.get(message.id)?.(message);
  });
  const tell = (line: string): void => void child.stdin.write(`${line}\n`);
  let serial = 0;

  const ask: McpServer['ask'] = async (method, params = {}) => {
    serial += 1;
    const id = serial;
    const meta = era === 'discover' ? { _meta: ENVELOPE } : {};
    const answered = new Promise<Message>((resolve) =>
      waiting.set(id, resolve),
    );
    tell(
      JSON.stringify({
        jsonrpc: '2.0',
        id,
        method,
        params: { ...params, ...meta },
      }),
    );
    const ended = closed.then(() => {
      throw new Error(
        `the server ended without an answer to ${method}\n${stderr}`,
      );
    });
    const { result, error } = await Promise.race([answered, ended]);
    if (result === undefined) throw new Error(JSON.stringify(error));
    return result;
  };
  const call: McpServer['call'] = async (name, given = {}) => {
    const result = await ask('tools/call', { name, arguments: given });
    const [{ text = '' } = {}] = result['content'] as { text?: string }[];
    return { isError: result['isError'] === true, text };
  };

  if (era === 'discover') {
    await ask('server/discover');
  } else {
    await ask('initialize', HELLO);
    tell('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  }
  return {
    ask,
    call,
    tell,
    lines,
    stderr: () => stderr,
    reply: async (tool, given) => {
      const { isError, text } = await call(tool, given);
      if (isError) throw new Error(`refused: ${text}`);
      return JSON.parse(text);
    },
    refusal: async (tool, given) => {
      const { isError, text } = await call(tool, given);
      if (!isError) throw new Error(`not refused: ${text}`);
      return text;
    },
    end: async () => {
      child.stdin.end();
      await closed;
      return child.exitCode;
    },
  };
}

type Message = {
  id?: number;
  result?: Record<string, unknown>;
  error?: object;
};
