import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  cacheName,
  isHookCacheOf,
  makeCodeCache,
  WARM_UP,
  withDigest,
} from '../../../../src/install/runtime/code-cache.ts';

const load = createRequire(import.meta.url);

/** What the code was called with, in the order of the calls. */
const calls: { event: string; cwd: string; root: string; config: string }[] = [];

/** Code in the form of the hooks, which tells what it was given and replies at length. */
const TELLING = `(function (require, process) {
  const fs = require('node:fs');
  const bytes = Buffer.alloc(10_000);
  const payload = bytes.toString('utf8', 0, fs.readSync(0, bytes));
  globalThis.tellTest({
    event: JSON.parse(payload).hook_event_name,
    cwd: JSON.parse(payload).cwd,
    root: process.cwd(),
    config: process.env.CLAUDE_CONFIG_DIR,
  });
  if (fs.readSync(0, bytes) !== 0) throw new Error('the input has no end');
  fs.writeSync(1, 'a reply that nobody must see');
})`;

beforeEach(() => {
  calls.length = 0;
  vi.stubGlobal('tellTest', (call: (typeof calls)[number]) => calls.push(call));
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

describe('the code is run before it is kept', () => {
  test('once at least for every event that is registered', () => {
    makeCodeCache(TELLING, load, tmpdir());
    expect(new Set(calls.map(({ event }) => event))).toEqual(
      new Set([
        'SessionStart',
        'PreCompact',
        'PostCompact',
        'PostToolUse',
        'UserPromptSubmit',
        'SessionEnd',
      ]),
    );
  });

  test('in a project that is gone afterwards', () => {
    makeCodeCache(TELLING, load, tmpdir());
    const folders = new Set(calls.map(({ root }) => root));
    expect(folders.size).toBe(1);
    for (const folder of folders) {
      expect(folder.startsWith(join(tmpdir(), WARM_UP))).toBe(true);
      expect(existsSync(folder)).toBe(false);
    }
  });

  test('as a hook would be: each time with the payload that the host sends', () => {
    makeCodeCache(TELLING, load, tmpdir());
    expect(new Set(calls.map(({ cwd, root }) => cwd === root))).toEqual(new Set([true]));
  });

  test('without the configuration of the user', () => {
    vi.stubEnv('CLAUDE_CONFIG_DIR', '/of/the/user');
    makeCodeCache(TELLING, load, tmpdir());
    for (const { config, root } of calls) expect(config).toBe(join(root, 'config'));
  });

  test('also where hooks are switched off', () => {
    vi.stubEnv('HOLDFAST', 'off');
    const cachedData = makeCodeCache(TELLING, load, tmpdir());
    expect(calls.length).toBeGreaterThan(0);
    expect(isHookCacheOf(TELLING, cachedData)).toBe(true);
  });

  test('and leaves nothing behind if it fails', () => {
    const failing = TELLING.replace('fs.writeSync(1, ', "throw new Error('no'); (");
    expect(() => makeCodeCache(failing, load, tmpdir())).toThrow('no');
    expect(existsSync(String(calls[0]?.root))).toBe(false);
  });
});

test('what is kept is accepted for this code, and for no other', () => {
  const cachedData = makeCodeCache(TELLING, load, tmpdir());
  expect(isHookCacheOf(TELLING, cachedData)).toBe(true);
  expect(isHookCacheOf(`${TELLING} `, cachedData)).toBe(false);
  expect(isHookCacheOf(TELLING, cachedData.subarray(0, cachedData.length / 2))).toBe(false);
  expect(isHookCacheOf(TELLING, Buffer.alloc(0))).toBe(false);
});

test('the name is of the bundle, the code, the version of Node and the processor', () => {
  const code = withDigest(TELLING);
  expect(code.startsWith(TELLING)).toBe(true);
  expect(cacheName('hook', code)).not.toBe(cacheName('hook', withDigest(`${TELLING};`)));
  expect(cacheName('hook', code)).toMatch(/^hook-[0-9a-f]{12}-/);
  expect(cacheName('cli', code)).toMatch(/^cli-[0-9a-f]{12}-/);
  expect(cacheName('hook', code)?.endsWith(`-${process.version}-${process.arch}.cache`)).toBe(true);
});

test.each(['', TELLING, 'module.exports = 1;', '\n// 0123\n', '\n// ../../../../..\n'])(
  'code without a digest has no cache: %j',
  (code) => {
    expect(cacheName('hook', code)).toBeUndefined();
  },
);
