import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { sessionsFolder } from '../../../src/files/environment.ts';
import { currentSession } from '../../../src/sessions/open-project.ts';
import { SessionRegistry } from '../../../src/sessions/session-registry.ts';
import { makeProject } from '../../support/project.ts';

const CLIENT = { pid: '1', start: 'boot-ns-100' };
const OTHER = { pid: '1', start: 'boot-ns-200' };
const UNKNOWN_START = { pid: '7', start: null };
const AT = Date.parse('2025-06-01T12:00:00.000Z');
const SHOP = '/home/dev/shop';

let config: string;
let registry: SessionRegistry;

beforeEach(() => {
  config = makeProject().root;
  registry = new SessionRegistry(config, AT);
});

type Client = { pid: string; start: string | null } | null;

function clear(session: string, client: Client, now = AT): void {
  new SessionRegistry(config, now).recordClear(session, SHOP, client);
}

function arrive(
  session: string,
  client: Client,
  project = SHOP,
  isCleared = true,
): string | null {
  const former = registry.formerOf(session, [project], client, isCleared);
  if (former !== null) registry.recordFollower(former, session);
  return former;
}

describe('a session that follows another by /clear', () => {
  it('is known by its client process', () => {
    clear('a', CLIENT);
    clear('b', OTHER);
    expect(arrive('c', CLIENT)).toBe('a');
    expect(currentSession(registry, 'a')).toBe('c');
    expect(currentSession(registry, 'b')).toBe('b');
  });

  it('is not known by an equal process id alone', () => {
    clear('a', CLIENT);
    expect(arrive('c', OTHER)).toBeNull();
  });

  it('is known by the process id within a minute where the start cannot be read', () => {
    clear('a', UNKNOWN_START);
    expect(arrive('c', UNKNOWN_START)).toBe('a');
  });

  it('is the only one of the project where the client tells no process', () => {
    clear('a', null);
    expect(arrive('x', null, '/elsewhere')).toBeNull();
    expect(arrive('c', null)).toBe('a');
    clear('d', null);
    clear('e', null);
    expect(arrive('f', null)).toBeNull();
  });

  it('does not count after a minute', () => {
    clear('a', CLIENT, AT - 61_000);
    expect(arrive('c', CLIENT)).toBeNull();
  });

  it('is known where the end of the other was never recorded: it was last seen in the process', () => {
    const start = (session: string, client: Client, now: number): void =>
      new SessionRegistry(config, now).recordStart(session, SHOP, client);
    start('left', CLIENT, AT - 120_000);
    start('a', CLIENT, AT - 60_000);
    start('b', OTHER, AT);
    start('untold', null, AT);
    expect(arrive('c', CLIENT)).toBe('a');
    // The hook is installed twice.
    expect(arrive('c', CLIENT)).toBe('a');
  });

  it('may be told first by its compaction, which proves less', () => {
    registry.recordStart('left', SHOP, CLIENT);
    expect(arrive('c', CLIENT, SHOP, false)).toBeNull();
    clear('untold', null);
    expect(arrive('c', CLIENT, SHOP, false)).toBeNull();
    expect(arrive('c', null, SHOP, false)).toBeNull();
    clear('a', CLIENT);
    expect(arrive('c', CLIENT, SHOP, false)).toBe('a');
  });

  it('no longer stands for a conversation that was opened again', () => {
    clear('a', CLIENT);
    arrive('b', CLIENT);
    registry.recordReturn('a');
    expect(currentSession(registry, 'a')).toBe('a');
  });
});

it('takes a damaged, foreign or circular entry for none', () => {
  const folder = sessionsFolder(config);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'a.json'), '{"session":"b","followedBy":"c"}');
  writeFileSync(join(folder, 'd.json'), '{"session":');
  writeFileSync(join(folder, 'e.json'), '{"session":"e","followedBy":"f"}');
  writeFileSync(join(folder, 'f.json'), '{"session":"f","followedBy":"e"}');
  expect(currentSession(registry, 'a')).toBe('a');
  expect(currentSession(registry, 'd')).toBe('d');
  expect(['e', 'f']).toContain(currentSession(registry, 'e'));
  expect(registry.entry('../../etc/passwd')).toBeNull();
});

it('forgets entries and what killed writers left for more than 30 days once there are many', () => {
  for (let at = 0; at < 509; at += 1)
    registry.recordProject(`s${at}`, SHOP, null);
  const folder = sessionsFolder(config);
  writeFileSync(join(folder, '.tmp-1'), '{"session":');
  const old = new Date(AT - 31 * 24 * 3_600_000);
  for (const name of readdirSync(folder).slice(0, 400))
    utimesSync(join(folder, name), old, old);
  // The folder may be a link to one of the user's own.
  for (const name of ['letter.txt', 'package.json', '.tmp-letter']) {
    writeFileSync(join(folder, name), '{"name":"mine"}');
    utimesSync(join(folder, name), old, old);
  }
  registry.recordProject('new', SHOP, null);
  expect(readdirSync(folder)).toHaveLength(114);
  expect(readdirSync(folder)).toEqual(
    expect.arrayContaining(['letter.txt', 'package.json', '.tmp-letter']),
  );
});
