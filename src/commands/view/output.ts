import fse from 'fs-extra';
import { sanitizeLine } from '../../text/sanitize.ts';
import { errorCode } from '../../files/read-file.ts';
import { write } from '../../files/streams.ts';
import { safeJson } from '../../text/json.ts';
import { makeColors, type Colors } from '../../text/colors.ts';
import type { OperationContext } from '../../sessions/open-project.ts';
import { hostOf, wordsFor, shellEnvironment } from '../../hosts/hosts.ts';
import { fitText } from './layout.ts';

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
    result: (data, text) => print(1, json ? safeJson(data) : hostWords(text.trimEnd())),
    // The message may quote names and values from files.
    warn: (message) => printForPeople(sanitizeLine(`holdfast: ${hostWords(message)}`)),
  };
}

/** In the words of the agent whose shell this is. */
export function hostWords(text: string): string {
  return wordsFor(hostOf(shellEnvironment(process.env, () => null)), text);
}

/** process.stdout.isTTY loads the stream modules, so check the descriptor first. */
function isTerminal(stream: 1 | 2): boolean {
  if (process.platform !== 'win32' && !isDevice(stream)) return false;
  return (stream === 1 ? process.stdout : process.stderr).isTTY;
}

function isDevice(file: number): boolean {
  try {
    return fse.fstatSync(file).isCharacterDevice();
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
