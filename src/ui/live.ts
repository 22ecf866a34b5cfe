import type { ServerResponse } from 'node:http';
import { digestOf } from '../text/slug.ts';

/** Looking takes at most this part of the time, also in a project with thousands of runs. */
const IDLE_FACTOR = 20;

type Shown = (now: Date) => string;

/** Tells pages that what they show has changed, by server-sent events. Without listeners, nothing is looked at. */
export class LiveUpdates {
  /** What each page shows, and the digest of it; null at first: what the page has got by then is not known. */
  private readonly streams = new Map<ServerResponse, { shown: Shown; last: string | null }>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly now: () => Date) {}

  add(response: ServerResponse, shown: Shown): void {
    this.streams.set(response, { shown, last: null });
    response.on('close', () => {
      this.streams.delete(response);
      if (this.streams.size === 0) this.stopLooking();
    });
    // The browser connects again by itself after this many milliseconds.
    response.write('retry: 1500\n\n');
    send(response, 'hello');
    // The page asks for its data now. Looking would keep it waiting, so that comes later.
    if (this.timer === undefined) this.schedule(0);
  }

  close(): void {
    this.stopLooking();
    for (const response of this.streams.keys()) {
      send(response, 'stopped');
      response.end();
    }
    this.streams.clear();
  }

  private look(): void {
    const started = this.now().getTime();
    // Durations grow all the time: pages get them once a minute.
    const minute = new Date(started - (started % 60_000));
    for (const [response, { shown, last }] of this.streams) {
      const digest = digestOf(shown(minute));
      if (digest !== last) send(response, 'change');
      this.streams.set(response, { shown, last: digest });
    }
    this.schedule(this.now().getTime() - started);
  }

  private schedule(tookMs: number): void {
    this.timer = setTimeout(() => this.look(), Math.max(700, tookMs * IDLE_FACTOR));
  }

  private stopLooking(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}

function send(response: ServerResponse, event: string): void {
  response.write(`event: ${event}\ndata:\n\n`);
}
