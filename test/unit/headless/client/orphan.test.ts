import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findOrphan } from '../../../../src/headless/client/orphan.ts';
import type { DriverEvent } from '../../../../src/headless/events.ts';
import type { ClientRecord } from '../../../../src/headless/record/driver-memory.ts';
import { DriverRecord } from '../../../../src/headless/record/driver-record.ts';
import { openRunLog } from '../../../../src/headless/record/run-log.ts';
import { clientProcess } from '../../../../src/sessions/client-process.ts';
import { makeProject } from '../../../support/project.ts';

const FOLDER = 'untracked/workflow-logs/release-1';
const STREAM = '0001-plan.jsonl';
/** This process stands for a client that runs. */
const RUNNING: ClientRecord = {
  pid: process.pid,
  start: clientProcess(String(process.pid))?.start ?? null,
  token: 't',
  session: 'S',
  agent: 'reviewer',
  stream: STREAM,
};

/** What a driver finds after another one has recorded this client and is gone. */
function found(client: ClientRecord | null, lines: readonly string[] = []) {
  const project = makeProject();
  const first = DriverRecord.acquire(project.root, 'release-1');
  first.update({ client });
  const known = JSON.parse(project.read(`${FOLDER}/driver.json`));
  const owner = { ...known.owner, pid: 999_999_999 };
  project.write(`${FOLDER}/driver.json`, JSON.stringify({ ...known, owner }));
  project.write(`${FOLDER}/${STREAM}`, lines.map((line) => `${line}\n`).join(''));
  const events: DriverEvent[] = [];
  const record = DriverRecord.acquire(project.root, 'release-1');
  const log = openRunLog(project.root, 'release-1');
  const emit = (event: DriverEvent): void => void events.push(event);
  return { orphan: findOrphan({ record, log, emit }), events, record };
}

const result = (cost: number): string =>
  JSON.stringify({ type: 'result', subtype: 'success', total_cost_usd: cost, num_turns: 1 });

describe('a client that a driver has left behind', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is waited for while it runs', () => {
    const { orphan, events } = found(RUNNING);
    expect(orphan).toMatchObject({
      pid: process.pid,
      working: { session: 'S', agent: 'reviewer', hasExited: false },
    });
    expect(events).toEqual([
      { event: 'took_over', pid: 999_999_999 },
      { event: 'waiting_for_client', pid: process.pid, session: 'S' },
    ]);
  });

  it('has cost only its last turn: its driver has booked the others', () => {
    const { orphan } = found(RUNNING, [result(0.25), result(0.75), result(2)]);
    expect(orphan?.working.costBefore).toBe(0);
    vi.advanceTimersByTime(1_000);
    expect(orphan?.working.costBefore).toBe(0.75);
  });

  it.each([
    ['none was recorded', null],
    ['it has ended', { ...RUNNING, pid: 999_999_998 }],
    ['another process has its id', { ...RUNNING, start: 'another start' }],
  ])('is not there if %s', (_why, client) => {
    const { orphan, events } = found(client);
    expect(orphan).toBeNull();
    expect(events).toEqual([{ event: 'took_over', pid: 999_999_999 }]);
  });
});
