import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseSessionEntry } from '../../../src/sessions/session-entry.ts';

const WHOLE = {
  session: 's1',
  project: '/home/dev/shop',
  client: { pid: '12', start: 'boot-ns-100' },
  startedAt: 1_760_000_000_000,
  endedAt: 1_760_000_000_001,
  clearedAt: 1_760_000_000_002,
  followedBy: 's2',
  fill: { percent: 80, passed: [70, 80] },
  process: { pid: '13', start: null },
  pendingStart: 'compact',
  pendingReply: '{"systemMessage":"holdfast: restored"}',
  isCompacted: true,
  snapshot: '0a1b',
  plan: {
    project: '/home/dev/shop',
    path: 'plan.md',
    text: '1. Build',
    at: 1_760_000_000_000,
  },
  module: {
    version: '1.0.0',
    project: '/home/dev/shop',
    at: 1_760_000_000_000,
  },
};

const parse = (entry: object): object | null =>
  parseSessionEntry(JSON.stringify(entry));

it('reads all that was written, and keeps what a newer version has written', () => {
  const entry = { ...WHOLE, later: { x: [1] } };
  expect(parse(entry)).toEqual(entry);
});

it.each([
  ['client', { pid: '12', start: 5 }, { pid: '12', start: null }],
  ['fill', { percent: 'x', passed: [70, 'x'] }, { passed: [70] }],
])('leaves out the part of %s that cannot be used', (field, value, left) => {
  expect(parse({ ...WHOLE, [field]: value })).toEqual({
    ...WHOLE,
    [field]: left,
  });
});

it.each([
  ['project', 5],
  ['project', 'shop'],
  ['project', '/shop\0'],
  ['client', '12'],
  ['client', { pid: '../12', start: null }],
  ['client', { pid: 12, start: null }],
  ['startedAt', '2026-01-01'],
  ['endedAt', 1e300],
  ['clearedAt', {}],
  ['followedBy', 5],
  ['fill', { passed: 5 }],
  ['process', []],
  ['pendingStart', {}],
  ['pendingReply', '{"systemMessage":'],
  ['isCompacted', 'x'],
  ['snapshot', []],
  ['plan', { project: '/shop', path: 5, text: 'x', at: 1 }],
  ['plan', { project: '/shop', path: 'x', text: 'x', at: 'x' }],
  ['module', { version: '1', project: 5, at: 1 }],
])('leaves out %s where it is %j, and nothing else', (field, value) => {
  expect(parse({ ...WHOLE, [field]: value })).toEqual({
    ...WHOLE,
    [field]: undefined,
  });
});

it.each([
  '',
  '{"session":',
  '[]',
  '5',
  '{}',
  '{"session":5}',
  '{"session":""}',
])('finds no session in %j', (text) =>
  expect(parseSessionEntry(text)).toBeNull(),
);

it('answers any text, and what it answered it reads again as it is', () => {
  const field = fc.oneof(
    fc.json(),
    fc.constantFrom(...Object.values(WHOLE).map(toJson)),
  );
  const entry = fc.record(
    Object.fromEntries(Object.keys(WHOLE).map((key) => [key, field])),
  );
  fc.assert(
    fc.property(entry, (fields) => {
      const members = Object.entries(fields).map(
        ([key, json]) => `${toJson(key)}:${json}`,
      );
      const read = parseSessionEntry(`{${members.join(',')}}`);
      if (read !== null) expect(parse(read)).toEqual(read);
    }),
  );
});

const toJson = (value: unknown): string => JSON.stringify(value);
