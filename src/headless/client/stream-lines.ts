/** A longer line is no message of the client; keeping it would let a broken stream fill the memory. */
const MAX_LINE = 64 * 1024 * 1024;

/** Splits chunks of bytes into lines; a line that is not complete yet is kept for the next chunk. */
export class LineSplitter {
  #rest: Uint8Array[] = [];
  #size = 0;
  #isOverlong = false;
  readonly #decoder = new TextDecoder('utf-8');

  push(chunk: Uint8Array): string[] {
    const lines: string[] = [];
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      this.#keep(chunk.subarray(from, end));
      const line = this.#take();
      if (line !== null && line.trim() !== '') lines.push(line);
      from = end + 1;
    }
    if (from < chunk.length) this.#keep(chunk.slice(from));
    return lines;
  }

  #keep(part: Uint8Array): void {
    if (this.#isOverlong) return;
    this.#rest.push(part);
    this.#size += part.length;
    if (this.#size <= MAX_LINE) return;
    this.#isOverlong = true;
    this.#rest = [];
  }

  #take(): string | null {
    const [rest, isOverlong] = [this.#rest, this.#isOverlong];
    this.#rest = [];
    this.#size = 0;
    this.#isOverlong = false;
    if (isOverlong) return null;
    const [only] = rest;
    return this.#decoder.decode(rest.length === 1 && only !== undefined ? only : joined(rest));
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
