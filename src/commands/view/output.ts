import { fstatSync, existsSync, readFileSync, realpathSync } from 'node:fs';
import { sanitizeLine } from '../../text/sanitize.ts';
import { errorCode } from '../../files/read-file.ts';
import { write } from '../../files/fs-errors.ts';
import { safeJson } from '../../text/json.ts';
import { makeColors, type Colors } from '../../text/colors.ts';
import type { OperationContext } from '../../operations/open-project.ts';
import { fitText } from './layout.ts';
import { dirname, join } from 'node:path';
import { isOnPath } from '../../install/host-commands.ts';
import type { ModuleSource } from '../../install/assets.ts';
import {
  homeFolder,
  configFolder,
  hostFile,
  MODULE_FILE,
  programFile,
  runtimeFolder,
} from '../../files/runtime-paths.ts';
import { refreshRuntime } from '../../install/runtime.ts';
import { version } from '../../text/version.ts';

/** stdout is the result, stderr is for people. */
export interface Output {
  json: boolean;
  colors: Colors;
  /** How wide the terminal is; null if the output does not go to one. */
  columns: number | null;
  /** Prints the data with --json, else the text. */
  result: (data: object, text: string) => void;
  warn: (message: string) => void;
}

/** What a command is given on the command line. */
export interface CommandContext extends OperationContext {
  output: Output;
  /** Whether Claude Code finds our hooks here; with them it finds the slash commands. */
  hasHooks: () => boolean;
}

export function makeOutput(json: boolean): Output {
  const isShown = !json && isTerminal(1);
  return {
    json,
    colors: makeColors(isShown, process.env['NO_COLOR']),
    columns: isShown ? process.stdout.columns : null,
    result: (data, text) => print(1, json ? safeJson(data) : text.trimEnd()),
    warn: (message) => printForPeople(warningLine(message)),
  };
}

/** The message may quote names and values from files, so it is sanitized. */
function warningLine(message: string): string {
  return sanitizeLine(`holdfast: ${message}`);
}

/** process.stdout.isTTY loads the stream modules, so check the descriptor first. */
function isTerminal(stream: 1 | 2): boolean {
  if (process.platform !== 'win32' && !isDevice(stream)) return false;
  return (stream === 1 ? process.stdout : process.stderr).isTTY;
}

function isDevice(file: number): boolean {
  try {
    return fstatSync(file).isCharacterDevice();
  } catch (error) {
    if (errorCode(error) === 'EBADF') return false;
    throw error;
  }
}

/** On standard error; in a terminal, lines are broken between words. */
export function printForPeople(text: string): void {
  print(2, fitText(text, isTerminal(2) ? process.stderr.columns : null));
}

/** Written synchronously, so that exiting right afterwards loses nothing, even if stdout is a pipe. */
export function print(stream: 1 | 2, text: string): void {
  write(stream, `${text}\n`);
}

/** The folder that holdfast runs from, which contains bin/ and dist/. */
export function packageFolder(): string {
  return dirname(dirname(realpathSync(process.argv[1] ?? '')));
}

export function userConfig(): string {
  return configFolder(process.env, homeFolder());
}

export function userFile(): string {
  return hostFile(process.env, homeFolder());
}

/** What hooks, slash commands and the module start: a path only if a shell would not find the name. */
export function nodeProgram(): string {
  return isOnPath('node', process.env['PATH']) ? 'node' : process.execPath;
}

/** Null for a package without it: then `init` installs the rest. */
export function moduleSource(config: string): ModuleSource | null {
  const file = join(packageFolder(), MODULE_FILE);
  if (!existsSync(file)) return null;
  return {
    version,
    code: readFileSync(file, 'utf8'),
    program: [nodeProgram(), programFile(runtimeFolder(config))],
  };
}

/** After an update of the package, the first command that runs also updates the installed hooks. */
export function keepHooksCurrent(): void {
  refreshRuntime(userConfig(), packageFolder(), version);
}
