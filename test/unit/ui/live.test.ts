import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LiveUpdates, MAX_STREAMS } from '../../../src/ui/live.ts';

class Stream extends EventEmitter {
  text = '';
  writableLength = 0;
  isDestroyed = false;
  isEnded = false;
  write(text: string): boolean {
    this.text += text;
    return true;
  }
  end(): void {
    this.isEnded = true;
  }
  destroy(): void {
    this.isDestroyed = true;
    this.emit('close');
  }
  get events(): string[] {
    return [...this.text.matchAll(/^event: (.+)$/gm)].map(([, name = '']) => name);
  }
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function setUp(): {
  live: LiveUpdates;
  files: { mark: string };
  looks: () => number;
  add: (shown?: string) => Stream;
} {
  const files = { mark: 'a' };
  let looks = 0;
  const live = new LiveUpdates({
    fingerprint: () => {
      looks += 1;
      if (files.mark === 'throw') throw new Error('EACCES');
      return files.mark;
    },
    now: () => Date.now(),
  });
  const add = (shown?: string): Stream => {
    const stream = new Stream();
    live.add(stream as unknown as ServerResponse, shown ?? null);
    return stream;
  };
  return { live, files, looks: () => looks, add };
}

it('looks at nothing while nobody listens', () => {
  const { looks, add } = setUp();
  vi.advanceTimersByTime(60_000);
  expect(looks()).toBe(0);
  const stream = add();
  vi.advanceTimersByTime(5_000);
  const before = looks();
  expect(before).toBeGreaterThan(2);
  stream.emit('close');
  vi.advanceTimersByTime(60_000);
  expect(looks()).toBe(before);
});

it('says that it is alive when nothing changes for long', () => {
  const { add } = setUp();
  const stream = add();
  vi.advanceTimersByTime(40_000);
  expect(stream.events.filter((name) => name === 'alive').length).toBeGreaterThan(1);
});

it('refuses more streams than people have pages', () => {
  const { live, add } = setUp();
  for (let count = 0; count < MAX_STREAMS; count += 1) add();
  const stream = new Stream();
  expect(live.add(stream as unknown as ServerResponse, null)).toBe(false);
});

it('drops a reader that does not read', () => {
  const { files, add } = setUp();
  const [slow, quick] = [add(), add()];
  slow.writableLength = 1_000_000;
  files.mark = 'b';
  vi.advanceTimersByTime(2_000);
  expect(slow.isDestroyed).toBe(true);
  expect(quick.events).toEqual(['hello', 'change']);
});
