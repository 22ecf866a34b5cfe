import type { ServerResponse } from 'node:http';

/** A page holds one while it is visible; more than this are not people. */
export const MAX_STREAMS = 32;
/** A reader that does not read is dropped before it costs memory. */
const MAX_BUFFERED_BYTES = 64_000;
const LOOK_EVERY_MS = 700;
const KEEP_ALIVE_MS = 15_000;
/** Looking at the files takes at most this part of the time, also in a project with thousands of runs. */
const IDLE_FACTOR = 20;

export interface LiveOptions {
  /** Changes with every write to a file that a page shows; `shown` are the runs that pages show. */
  fingerprint: (shown: readonly string[]) => string;
  now: () => number;
}

/** Tells pages that something has changed, by server-sent events. Without listeners, nothing is looked at. */
export class LiveUpdates {
  private readonly streams = new Map<ServerResponse, string | null>();
  private timer: NodeJS.Timeout | null = null;
  /** Null at first: then pages are told that something has changed, because that is not known. */
  private last: string | null = null;
  private lastSent = 0;

  constructor(private readonly options: LiveOptions) {}

  get count(): number {
    return this.streams.size;
  }

  /** False if there are too many streams. `shown` is the run that the page shows. */
  add(response: ServerResponse, shown: string | null): boolean {
    if (this.streams.size >= MAX_STREAMS) return false;
    this.streams.set(response, shown);
    response.on('close', () => {
      this.streams.delete(response);
      if (this.streams.size > 0) return;
      this.stopLooking();
      this.last = null;
    });
    // The browser connects again by itself after this many milliseconds.
    response.write('retry: 1500\n\n');
    this.send(response, 'hello', '');
    // The page asks for its data now. Looking at the files would keep it waiting, so that comes later.
    if (this.timer === null) this.schedule(0);
    return true;
  }

  close(): void {
    this.stopLooking();
    for (const response of this.streams.keys()) {
      this.send(response, 'stopped', '');
      response.end();
    }
    this.streams.clear();
  }

  private look(): void {
    const started = this.options.now();
    const current = this.fingerprint();
    if (current !== this.last) this.sendAll('change', current);
    else if (started - this.lastSent > KEEP_ALIVE_MS) this.sendAll('alive', '');
    this.last = current;
    this.schedule(this.options.now() - started);
  }

  private schedule(tookMs: number): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = setTimeout(() => this.look(), Math.max(LOOK_EVERY_MS, tookMs * IDLE_FACTOR));
  }

  private stopLooking(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  private fingerprint(): string {
    const shown = new Set([...this.streams.values()].filter((id) => id !== null));
    try {
      return this.options.fingerprint([...shown]);
    } catch (error) {
      // A project that cannot be read is a change, too: pages ask again, and the answer says what is wrong.
      return `unreadable: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  private sendAll(event: string, data: string): void {
    this.lastSent = this.options.now();
    for (const response of this.streams.keys()) this.send(response, event, data);
  }

  private send(response: ServerResponse, event: string, data: string): void {
    if (response.writableLength > MAX_BUFFERED_BYTES) {
      response.destroy();
      return;
    }
    response.write(`event: ${event}\ndata: ${data}\n\n`);
  }
}
