import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LiveUpdates } from '../../../src/ui/live.ts';

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
