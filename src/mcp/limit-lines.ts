import { Transform } from 'node:stream';
import { IdScanner, type RequestId } from './request-id.ts';

const NEWLINE = 0x0a;

/**
 * Passes on whole lines. A line longer than `maxBytes` is dropped and reported with the id of its request, because
 * the transport of the SDK closes the connection for good when a message exceeds its buffer.
 */
export function limitLines(maxBytes: number, onTooLong: (id: RequestId) => void): Transform {
  let kept: Buffer[] = [];
  let length = 0;
  /** Reads the rest of a line that is too long. */
  let scanner: IdScanner | null = null;

  const add = (part: Buffer): void => {
    length += part.length;
    if (scanner === null && length > maxBytes) {
      scanner = new IdScanner();
      for (const earlier of kept) scanner.scan(earlier);
      kept = [];
    }
    if (scanner === null) kept.push(part);
    else scanner.scan(part);
  };
  const endLine = (): Buffer | null => {
    const line = scanner === null ? Buffer.concat(kept) : null;
    if (scanner !== null) onTooLong(scanner.id);
    [kept, length, scanner] = [[], 0, null];
    return line;
  };

  return new Transform({
    transform(chunk: Buffer, _encoding, done): void {
      let from = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
        add(chunk.subarray(from, end + 1));
        const line = endLine();
        if (line !== null) this.push(line);
        from = end + 1;
      }
      if (from < chunk.length) add(chunk.subarray(from));
      done();
    },
  });
}
