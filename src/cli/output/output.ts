import { fstatSync, writeSync } from 'node:fs';
import { sanitizeLine } from '../../util/sanitize.ts';
import { errorCode } from '../../io/read-file.ts';
import { safeJson } from '../../util/safe-json.ts';
import { makeColors, type Colors } from './colors.ts';

/** stdout is the result, stderr is for people. */
export interface Output {
  json: boolean;
  colors: Colors;
  /** Prints the data with --json, else the text. */
  result: (data: object, text: string) => void;
  warn: (sentence: string) => void;
}

export function makeOutput(json: boolean): Output {
  return {
    json,
    colors: makeColors(!json && isTerminal(), process.env['NO_COLOR']),
    result: (data, text) => print(1, json ? safeJson(data) : text.trimEnd()),
    warn: (sentence) => print(2, warningLine(sentence)),
  };
}

/** Names and values of others stand in it as they are. */
export function warningLine(sentence: string): string {
  return sanitizeLine(`holdfast: ${sentence}`);
}

/** To ask Node loads its streams and sockets: a pipe or a file is told from a terminal without. */
function isTerminal(): boolean {
  return (process.platform === 'win32' || isDevice(1)) && process.stdout.isTTY;
}

function isDevice(file: number): boolean {
  try {
    return fstatSync(file).isCharacterDevice();
  } catch (error) {
    if (errorCode(error) === 'EBADF') return false;
    throw error;
  }
}

/** Written at once and whole: an exit right after it cuts nothing off, also where stdout is a pipe. */
export function print(stream: 1 | 2, text: string): void {
  write(stream, `${text}\n`);
}

export function write(stream: 1 | 2, text: string): void {
  let bytes = Buffer.from(text);
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(stream, bytes));
    } catch (error) {
      const code = errorCode(error);
      if (code === 'EPIPE') return;
      if (code !== 'EAGAIN') throw error;
    }
  }
}
