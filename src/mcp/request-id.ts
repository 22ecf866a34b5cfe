import { parseJson } from '../util/json.ts';
export type RequestId = string | number | null;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPENING = new Set([0x7b, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);
const MAX_TOKEN = 256;

/** Finds the top-level `id` of a JSON-RPC message that is too long to be kept, in constant memory. */
export class IdScanner {
  id: RequestId = null;
  private depth = 0;
  private isInString = false;
  private isEscaped = false;
  private key: string | null = null;
  /** The bytes of the current key or value at the top level, as far as they are short. */
  private token: number[] = [];

  scan(bytes: Uint8Array): void {
    for (const byte of bytes) this.next(byte);
  }

  private next(byte: number): void {
    if (this.isInString) {
      this.keep(byte);
      if (this.isEscaped) this.isEscaped = false;
      else if (byte === BACKSLASH) this.isEscaped = true;
      else if (byte === QUOTE) this.isInString = false;
      return;
    }
    if (byte === QUOTE) {
      this.isInString = true;
      this.keep(byte);
    } else if (OPENING.has(byte)) {
      this.depth += 1;
    } else if (CLOSING.has(byte)) {
      if (this.depth === 1) this.endValue();
      this.depth -= 1;
    } else if (this.depth === 1 && byte === COLON) {
      this.key = textOf(this.token);
      this.token = [];
    } else if (this.depth === 1 && byte === COMMA) {
      this.endValue();
    } else {
      this.keep(byte);
    }
  }

  private keep(byte: number): void {
    if (this.depth === 1 && this.token.length < MAX_TOKEN) this.token.push(byte);
  }

  private endValue(): void {
    if (this.key === '"id"') this.id = parseId(textOf(this.token));
    [this.key, this.token] = [null, []];
  }
}

function textOf(bytes: readonly number[]): string {
  return Buffer.from(bytes).toString('utf8').trim();
}

function parseId(text: string): RequestId {
  const value = parseJson(text);
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}
