import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TestContext } from 'vitest';
import type { StatusDocument } from '../../../src/commands/json/documents.ts';
import type { ClientVersion } from './client.ts';
import { given } from './given.ts';
import { createHost, type Host, type HostOptions } from './host.ts';

/** Required reading, in words that stand nowhere else. */
export const RULES = 'RULE-OF-THE-HOUSE: a basket is never emptied.\n';

/**
 * A host with the hooks wired in the project's settings, unless its files say otherwise. It is closed
 * with the test, which fails if the stand-in of the model was asked for something it does not know.
 */
export async function openHost(
  version: ClientVersion,
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  options: HostOptions = {},
): Promise<Host> {
  const files = {
    'docs/RULES.md': RULES,
    '.claude/settings.json': holdfastSettings(),
  };
  const host = await createHost(version, {
    ...options,
    files: { ...files, ...options.files },
  });
  onTestFinished(async () => {
    await host.close();
    if (host.model.faults.length > 0)
      throw new Error(host.model.faults.join('\n'));
  });
  return host;
}

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const binary = join(repository, 'bin/holdfast.cjs');
/** The folder with the `holdfast` that an agent types. */
export const programs = join(repository, 'bin');
const dispatcher = join(repository, 'dist/hook.cjs');

/** Each event that the product listens to, with the matcher that it is wired with. */
const EVENTS = {
  SessionStart: '',
  PreCompact: '',
  PostCompact: '',
  SessionEnd: '',
  UserPromptSubmit: '',
  PostToolUse: 'Read|ExitPlanMode',
  SubagentStart: '',
};

const CHANGING = 'Edit|MultiEdit|Write|NotebookEdit|Bash';

/** An .mcp.json with the built server, and nothing else. */
export const MCP_SERVER = {
  mcpServers: {
    holdfast: { command: process.execPath, args: [binary, 'mcp'] },
  },
};

export interface Wiring {
  /** Events that are not wired. */
  readonly without?: readonly (keyof typeof EVENTS)[];
  /** Through `holdfast hook`: to the host, another hook than the dispatcher itself. */
  readonly byCommand?: boolean;
  /** As `init` wires it where `reading.enforce` is `block`. */
  readonly isBlocking?: boolean;
}

/** A settings file that wires the built hooks. */
export function holdfastSettings(wiring: Wiring = {}): {
  hooks: Record<string, unknown>;
} {
  const { without = [], byCommand = false, isBlocking = false } = wiring;
  const args = byCommand ? [binary, 'hook'] : [dispatcher];
  const hook = {
    type: 'command',
    command: process.execPath,
    args,
    timeout: 10,
  };
  const events = { ...EVENTS, ...(isBlocking ? { PreToolUse: CHANGING } : {}) };
  const wired = Object.entries(events).filter(
    ([event]) => !without.some((name) => name === event),
  );
  const hooks = wired.map(([event, matcher]) => [
    event,
    [{ matcher, hooks: [hook] }],
  ]);
  return { hooks: Object.fromEntries(hooks) };
}

/** A prompt upon which the client's own Bash tool runs holdfast. */
export function doHoldfast(...words: readonly string[]): string {
  return `DO:BASH ${[process.execPath, binary, ...words].map((word) => `'${word}'`).join(' ')}`;
}

export interface CallOptions {
  readonly session?: string;
  /** Relative to the project's root. */
  readonly folder?: string;
}

/** What holdfast prints when it is run beside the client, in the host's project and with its home. */
export async function holdfast(
  host: Host,
  words: readonly string[],
  { session, folder = '.' }: CallOptions = {},
): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [binary, ...words],
    {
      cwd: host.project.path(folder),
      env: {
        PATH: process.env['PATH'],
        HOME: host.home.path,
        ...(session === undefined ? {} : { CLAUDE_CODE_SESSION_ID: session }),
      },
    },
  );
  return stdout;
}

/** What a compaction would give this session now. */
export async function guidanceFor(
  host: Host,
  options: CallOptions,
): Promise<string> {
  const words = ['guidance', '--source', 'compact', '--json'];
  const { text }: { text: string } = JSON.parse(
    await holdfast(host, words, options),
  );
  return text;
}

export async function statusFor(
  host: Host,
  options: CallOptions,
): Promise<StatusDocument> {
  return JSON.parse(await holdfast(host, ['status', '--json'], options));
}

/** Compacts the session and returns what the model is given with its next prompt. */
export async function compacted(host: Host, session: string, prompt: string) {
  await host.print(['/compact', prompt], { resume: session });
  return host.model.turns().find((turn) => given(turn).includes(prompt));
}
