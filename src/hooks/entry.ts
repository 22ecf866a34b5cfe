import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findProjectRoot } from '../io/project-root.ts';
import { readStdin } from '../io/stdin.ts';
import { DEFAULTS, SETTINGS_FILE } from '../settings/settings.ts';
import { STATE_FOLDER } from '../state/paths.ts';
import { isFromSubagent, parseInput, stringField, type HookInput } from './protocol.ts';

/** What a hook was called with; what could not be understood is for the log. */
export type HookCall = { event: string; root: string | null } & (
  | { input: HookInput }
  | { failure: unknown }
);

const MAX_INPUT_BYTES = 20_000_000;

/** Null where a hook has nothing to do: then the rest of its code is not even loaded. */
export function readCall(): HookCall | null {
  if (process.env['HOLDFAST'] === 'off') return null;
  const { event, cwd } = readArguments(process.argv.slice(2));
  let root: string | null = null;
  try {
    root = findProjectRoot(cwd ?? process.cwd(), homedir());
    const text = readStdin(MAX_INPUT_BYTES);
    if (text === null) throw new Error('the input is larger than 20 MB');
    const input = parseInput(text, event);
    if (input === null) throw new Error('the input names no event');
    if (isFromSubagent(input)) return null;
    if (cwd === undefined && input.cwd !== null) root = findProjectRoot(input.cwd, homedir());
    return isIdle(root, input) ? null : { event: input.event, root, input };
  } catch (failure) {
    return { event: event ?? 'hook', root, failure };
  }
}

/** Nothing is stored here, and nothing lies where workflows are looked for. */
function isIdle(root: string, input: HookInput): boolean {
  const has = (path: string): boolean => existsSync(join(root, path));
  if (has(STATE_FOLDER)) return false;
  return !isDetecting(input) || !WHERE_WORKFLOWS_ARE.some(has);
}

function isDetecting({ event, raw }: HookInput): boolean {
  return event === 'SessionStart'
    ? stringField(raw, 'source') === 'compact'
    : event === 'PreCompact' || event === 'PostCompact';
}

/** The settings may name other places. */
const WHERE_WORKFLOWS_ARE = [
  SETTINGS_FILE,
  DEFAULTS.detect.local_file,
  ...DEFAULTS.detect.plans.map((pattern) => pattern.slice(0, pattern.indexOf('/*'))),
];

/** `[hook] [event] [--cwd dir]`: the dispatcher is reached as `holdfast hook` and directly. */
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
