import { writeSync } from 'node:fs';
import { HoldfastError } from '../errors/holdfast-error.ts';
import { errorCode } from './read-file.ts';

/**
 * A reader that has closed its end (`| head -1`) has what it wanted, so EPIPE is not a failure. If standard error
 * cannot be written, nobody can be told.
 */
export function write(stream: 1 | 2, text: string): void {
  let bytes = Buffer.from(text);
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(stream, bytes));
    } catch (error) {
      const code = errorCode(error);
      if (code === undefined) throw error;
      if (code === 'EAGAIN') continue;
      if (code === 'EPIPE' || stream === 2) return;
      throw new HoldfastError(
        'output_failed',
        `the result could not be written to standard output (${code})`,
        {
          hint: 'if the command changes anything, that is done; `holdfast status` shows where the run stands',
        },
      );
    }
  }
}
