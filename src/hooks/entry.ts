import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { configFolder, homeFolder } from '../io/user-folders.ts';
import { LOCATIONS } from '../detect/formats/locations.ts';
import { findProjectRoot } from '../io/project-root.ts';
import { readStdin } from '../io/stdin.ts';
import { DEFAULTS, SETTINGS_FILE } from '../settings/settings.ts';
import { sessionFile } from '../sessions/session-file.ts';
import { STATE_FOLDER } from '../state/paths.ts';
import { isFromSubagent, parseInput, stringField, type HookInput } from './protocol.ts';

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

const MAX_INPUT_BYTES = 20_000_000;

/** Null if there is nothing to do; then the rest of the code is not loaded. */
export function readCall(): HookCall | null {
  if (process.env['HOLDFAST'] === 'off') return null;
  const { event, cwd } = readArguments(process.argv.slice(2));
  let root: string | null = null;
  try {
    root = findProjectRoot(cwd ?? process.cwd(), homeFolder());
    const text = readStdin(MAX_INPUT_BYTES);
    if (text === null) throw new Error('the input is larger than 20 MB');
    const input = parseInput(text, event, process.env['CLAUDE_CODE_SESSION_ID']);
    if (input === null) throw new Error('the input names no event');
    if (isFromSubagent(input)) return null;
    if (cwd === undefined && input.cwd !== null) root = findProjectRoot(input.cwd, homeFolder());
    const elsewhere = cwd === undefined ? { launch: launchRoot(root) } : null;
    const isEverywhereIdle =
      isIdle(root, input) &&
      (elsewhere === null ||
        ((elsewhere.launch === null || isIdle(elsewhere.launch, input)) && !isRegistered(input)));
    return isEverywhereIdle
      ? null
      : { event: input.event, root, elsewhere, environment: process.env, input };
  } catch (failure) {
    return { event: event ?? 'hook', root, failure };
  }
}

/** A session that has changed its folder may hold a run in the project that it was launched in. */
function launchRoot(root: string): string | null {
  const launchedIn = process.env['CLAUDE_PROJECT_DIR'] ?? '';
  if (launchedIn === '') return null;
  const launch = findProjectRoot(launchedIn, homeFolder());
  return launch === root || !existsSync(join(launch, STATE_FOLDER)) ? null : launch;
}

/** The session may hold a run in a project that neither its folder nor the launch folder belongs to. */
function isRegistered({ session }: HookInput): boolean {
  const config = configFolder(process.env, homeFolder());
  return session !== null && existsSync(sessionFile(config, session));
}

/** Nothing is stored, and there is no file in which a workflow could be declared. */
function isIdle(root: string, input: HookInput): boolean {
  if (isClear(input)) return false;
  const has = (path: string): boolean => existsSync(join(root, path));
  if (has(STATE_FOLDER)) return false;
  return !isDetecting(input) || !SOURCE_PATHS.some(has);
}

/** Which session follows which is recorded outside the project, also where nothing is in progress. */
function isClear({ event, raw }: HookInput): boolean {
  if (event === 'SessionStart') return stringField(raw, 'source') === 'clear';
  return event === 'SessionEnd' && stringField(raw, 'reason') === 'clear';
}

function isDetecting({ event, raw }: HookInput): boolean {
  return event === 'SessionStart'
    ? stringField(raw, 'source') === 'compact'
    : event === 'PreCompact' || event === 'PostCompact';
}

/** The settings file is included because it may name other paths. */
const SOURCE_PATHS = [
  SETTINGS_FILE,
  DEFAULTS.detect.local_file,
  ...DEFAULTS.detect.plans.map((pattern) => pattern.slice(0, pattern.indexOf('/*'))),
  ...new Set(DEFAULTS.detect.formats.flatMap((id) => LOCATIONS[id].map(({ root }) => root))),
];

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
