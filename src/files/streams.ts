import { writeSync, readSync } from 'node:fs';
import { errorCode } from './read-file.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { sleep } from './lock.ts';

/** With EPIPE the reader (`| head -1`) has what it wanted. If standard error cannot be written, nobody can be told. */
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
          hint: 'what it changed is done; `holdfast status` shows where the run stands',
        },
      );
    }
  }
}

const CHUNK_BYTES = 65_536;

/** The text on standard input; null if it has more bytes. */
export function readStdin(maxBytes: number): string | null {
  const chunks: Buffer[] = [];
  for (let size = 0; size <= maxBytes;) {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    const read = readChunk(chunk);
    if (read === 0) return Buffer.concat(chunks).toString();
    size += read;
    chunks.push(chunk.subarray(0, read));
  }
  return null;
}

function readChunk(chunk: Buffer): number {
  for (;;) {
    try {
      return readSync(0, chunk);
    } catch (error) {
      const code = errorCode(error);
      // A closed pipe on Windows, or no standard input at all.
      if (code === 'EOF' || code === 'EBADF') return 0;
      // A non-blocking pipe has no data yet.
      if (code !== 'EAGAIN') throw error;
      sleep(5);
    }
  }
}
