import { readSync } from 'node:fs';
import { sleep } from './sleep.ts';
import { errorCode } from './read-file.ts';

const CHUNK = 65_536;

/** All of standard input at once, or null if it is larger than `maxBytes`. */
export function readStdin(maxBytes: number): string | null {
  const chunks: Buffer[] = [];
  let size = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK);
    const read = readChunk(chunk);
    // Usually a single chunk, which needs no copy.
    if (read === 0)
      return (chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, size))?.toString() ?? '';
    size += read;
    if (size > maxBytes) return null;
    chunks.push(chunk.subarray(0, read));
  }
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
