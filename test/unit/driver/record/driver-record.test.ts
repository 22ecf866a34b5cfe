import { describe, expect, it } from 'vitest';
import { DriverRecord } from '../../../../src/driver/record/driver-record.ts';
import { HoldfastError } from '../../../../src/errors/holdfast-error.ts';
import { clientProcess } from '../../../../src/sessions/client-process.ts';
import { makeProject } from '../../../support/project.ts';

const FILE = 'untracked/workflow-logs/release-1/driver.json';
const own = { pid: process.pid, start: clientProcess(String(process.pid))?.start ?? null };
const client = { ...own, token: 't', session: 'S', agent: null, stream: '0001-plan.jsonl' };

const errorCodeOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof HoldfastError) return error.code;
    throw error;
  }
  return 'none';
};

describe('the record of a driver', () => {
  it('keeps a second driver out until it is released', () => {
    const project = makeProject();
    const record = DriverRecord.acquire(project.root, 'release-1');
    expect(errorCodeOf(() => DriverRecord.acquire(project.root, 'release-1'))).toBe(
      'second_driver',
    );
    record.release({ isOver: false });
    DriverRecord.acquire(project.root, 'release-1').release({ isOver: true });
    expect(project.exists(FILE)).toBe(false);
  });

  it('is taken over from a process that is gone, with everything it knew', () => {
    const project = makeProject();
    const first = DriverRecord.acquire(project.root, 'release-1');
    first.update({
      client,
      sessions: { main: 'S', own: { entry: 'e', agent: 'a', session: 'R' } },
      gateFailures: { entry: 'e', count: 2 },
    });
    const known = JSON.parse(project.read(FILE));
    const dead = { ...known, owner: { ...known.owner, pid: 999_999_999 } };
    project.write(FILE, JSON.stringify(dead));
    const second = DriverRecord.acquire(project.root, 'release-1');
    expect(second.formerPid).toBe(999_999_999);
    expect(second.memory).toEqual({
      client,
      sessions: { main: 'S', own: { entry: 'e', agent: 'a', session: 'R' } },
      gateFailures: { entry: 'e', count: 2 },
    });
    expect(errorCodeOf(() => first.update({ client: null }))).toBe('driver_lost');
    second.release({ isOver: true });
  });

  it.each([
    '',
    'null',
    '[]',
    '{"owner":7,"client":{"pid":"x"},"sessions":[]}',
    '{"client":{"pid":1,"token":"t","session":"s","stream":"../../x"}}',
  ])('that is damaged counts as none: %s', (content) => {
    const project = makeProject({ [FILE]: content });
    const record = DriverRecord.acquire(project.root, 'release-1');
    expect(record.memory).toEqual({
      client: null,
      sessions: { main: null, own: null },
      gateFailures: null,
    });
    record.release({ isOver: true });
  });
});
