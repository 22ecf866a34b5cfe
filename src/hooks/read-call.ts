import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { homeFolder } from '../io/user-folders.ts';
import { findProjectRoot } from '../io/project-root.ts';
import { readStdin } from '../io/stdin.ts';
import { STATE_FOLDER } from '../state/paths.ts';
import { isFromSubagent, parseInput, type HookInput } from './protocol.ts';

/** The input of a hook, or why it could not be understood, for the log. */
export type HookCall = { event: string; root: string | null } & (
  | {
      input: HookInput;
      /** Other projects that the session may work in; null if the command line names the folder. */
      elsewhere: { launch: string | null } | null;
      environment: Record<string, string | undefined>;
    }
  | { failure: unknown }
);

/** As the hook line of bin/hook.sh names the event of the entry that decides about calls of holdfast. */
export const PERMISSION = 'Permission';
/** A sub-agent may call holdfast as its parent may. */
const OF_SUBAGENTS = /^(?:Permission|PreToolUse)$/;

const MAX_INPUT_BYTES = 20_000_000;

/** Null where hooks are switched off, and for most events of a sub-agent. */
export function readCall(): HookCall | null {
  if (process.env['HOLDFAST'] === 'off') return null;
  const { event, cwd } = readArguments(process.argv.slice(2));
  let root: string | null = null;
  try {
    const folder = cwd ?? process.cwd();
    root = findProjectRoot(folder, homeFolder());
    const text = readStdin(MAX_INPUT_BYTES);
    if (text === null) throw new Error('the input is larger than 20 MB');
    const input = parseInput(text, event, process.env['CLAUDE_CODE_SESSION_ID']);
    if (input === null) throw new Error('the input names no event');
    if (isFromSubagent(input) && !OF_SUBAGENTS.test(input.event)) return null;
    if (cwd === undefined && input.cwd !== null && input.cwd !== folder)
      root = findProjectRoot(input.cwd, homeFolder());
    const elsewhere = cwd === undefined ? { launch: launchRoot(root) } : null;
    return { event: input.event, root, elsewhere, environment: process.env, input };
  } catch (failure) {
    return { event: event ?? 'hook', root, failure };
  }
}

/** A session that has changed its folder may hold a run in the project that it was launched in. */
function launchRoot(root: string): string | null {
  const launchedIn = process.env['CLAUDE_PROJECT_DIR'] ?? '';
  if (launchedIn === '' || launchedIn === root) return null;
  const launch = findProjectRoot(launchedIn, homeFolder());
  return launch === root || !existsSync(join(launch, STATE_FOLDER)) ? null : launch;
}

/** `[hook] [event] [--cwd dir]`: the host calls `holdfast hook` or this file directly. */
function readArguments(words: string[]): { event?: string; cwd?: string } {
  const parts = words.flatMap((word) =>
    word.startsWith('--cwd=') ? ['--cwd', word.slice('--cwd='.length)] : [word],
  );
  const at = parts.indexOf('--cwd');
  const cwd = at < 0 ? undefined : parts[at + 1];
  const rest = parts.filter((_, index) => at < 0 || (index !== at && index !== at + 1));
  const event = rest.find((word) => word !== 'hook');
  return { ...(event === undefined ? {} : { event }), ...(cwd === undefined ? {} : { cwd }) };
}
