import type { ServerResponse } from 'node:http';

/** Looking at the runs takes at most one part in this many of the time, also in a project with thousands of runs. */
const IDLE_FACTOR = 20;

/** The least time between two looks. */
const MIN_PAUSE_MS = 700;

/** After this a browser that has lost its connection connects again by itself. */
const RECONNECT_MS = 1_500;

const MINUTE_MS = 60_000;

/** What a page shows at a time, as JSON. */
type Content = (now: Date) => string;

/** Sends pages what they show, at once and when it has changed. Without listeners, nothing is looked at. */
export class LiveUpdates {
  /** How each page gets what it shows, and what it was sent last. */
  private readonly streams = new Map<
    ServerResponse,
    { content: Content; sent: string }
  >();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly now: () => Date) {}

  add(response: ServerResponse, content: Content): void {
    this.streams.set(response, { content, sent: '' });
    response.on('close', () => {
      this.streams.delete(response);
      if (this.streams.size === 0) clearTimeout(this.timer);
    });
    response.write(`retry: ${RECONNECT_MS}\n\n`);
    this.look();
  }

  close(): void {
    clearTimeout(this.timer);
    for (const response of this.streams.keys()) {
      sendEvent(response, 'stopped', '');
      response.end();
    }
    this.streams.clear();
  }

  private look(): void {
    clearTimeout(this.timer);
    const started = this.now().getTime();
    // Durations grow all the time: pages get them once a minute.
    const minute = new Date(started - (started % MINUTE_MS));

    for (const [response, { content, sent }] of this.streams) {
      const data = content(minute);
      if (data !== sent) sendEvent(response, 'data', data);
      this.streams.set(response, { content, sent: data });
    }

    const took = this.now().getTime() - started;
    const pause = Math.max(MIN_PAUSE_MS, took * IDLE_FACTOR);
    this.timer = setTimeout(() => this.look(), pause);
  }
}

/** The data is JSON, which has no line breaks: one would end it. */
function sendEvent(response: ServerResponse, event: string, data: string) {
  response.write(`event: ${event}\ndata: ${data}\n\n`);
}
