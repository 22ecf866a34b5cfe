import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readState } from '../../../src/state/read-state.ts';
import type { RunState } from '../../../src/state/types.ts';
import { anyState } from '../../support/arbitraries.ts';

const fallback = {
  workflow: 'from-the-folder',
  createdAt: () => '2025-01-02T03:04:05Z',
};
const required = {
  workflow: 'Feature (User Auth)',
  workflow_type: 'implementation',
  phase: { current: 2, total: 5, name: 'Build', status: 'in_progress' },
  required_reading: ['@CLAUDE/PlanWorkflow.md'],
  created_at: '2025-12-09T14:30:52.123456Z',
};

/** As it would be read from a file. */
const read = (json: unknown): RunState => {
  const reading = readState(JSON.parse(JSON.stringify(json)), fallback);
  if ('defect' in reading) throw new Error(reading.defect);
  return reading.state;
};

describe('a file with only the required fields', () => {
  test('is fully usable, as it is', () => {
    expect(read(required)).toEqual({ ...required, status: 'in_progress' });
  });

  test('is finished where its last phase is', () => {
    const phase = (current: number) => ({ ...required.phase, current, status: 'completed' });
    expect(read({ ...required, phase: phase(5) }).status).toBe('completed');
    expect(read({ ...required, phase: phase(4) }).status).toBe('in_progress');
  });
});

describe('what was written by hand', () => {
  test('a reading entry without @ gets it', () => {
    expect(read({ ...required, required_reading: ['a.md', '@b.md'] }).required_reading).toEqual([
      '@a.md',
      '@b.md',
    ]);
  });

  test('an unknown type stays as written', () => {
    expect(read({ ...required, workflow_type: 'spike' }).workflow_type).toBe('spike');
  });

  test('unknown keys stay, at every level', () => {
    const mine = {
      ...required,
      mine: { deep: [1] },
      phase: { ...required.phase, estimate: '2d' },
      source: { kind: 'plan', path: 'p', said: { workflow: 'x' }, mine: 1 },
      sessions: { mine: 1, session_history: [{ session_id: 's', started_at: 't', mine: 1 }] },
      context_metadata: { mine: 1, artifacts_in_context: [{ artifact_id: 'a', mine: 1 }] },
    };
    expect(read(mine)).toMatchObject(mine);
  });

  test('every text in the place of a list or an object is brought into its form', () => {
    expect(
      read({
        ...required,
        required_reading: 'a.md',
        key_reminders: 'test first',
        phases: 'Build',
        context: 'remember the milk',
        artifacts: 'spec.md',
      }),
    ).toMatchObject({
      required_reading: ['@a.md'],
      key_reminders: ['test first'],
      phases: ['Build'],
      context: { note: 'remember the milk' },
      artifacts: { artifact: 'spec.md' },
    });
  });

  test('a phase may be a text as in CLAUDE.local.md', () => {
    expect(read({ ...required, phase: '2/5 - Build' }).phase).toEqual(required.phase);
  });

  test('numbers may be texts, and no phase lies past the total', () => {
    const phase = { current: '3', total: 2, name: 7, status: 'doing' };
    expect(read({ ...required, phase }).phase).toEqual({
      current: 3,
      total: 3,
      name: '',
      status: 'in_progress',
    });
  });

  test('entries that are no texts are not lost, empty ones are', () => {
    const key_reminders = ['a', 3, { b: 1 }, null, ' ', ''];
    expect(read({ ...required, key_reminders }).key_reminders).toEqual(['a', '3', '{"b":1}']);
  });

  test('null is as good as nothing', () => {
    const nulls = { context: null, key_reminders: null, sessions: null, required_reading: null };
    expect(read({ ...required, ...nulls }).required_reading).toEqual([]);
  });

  test('what is missing gets a default, the name from the folder', () => {
    expect(read({})).toEqual({
      workflow: 'from-the-folder',
      workflow_type: 'custom',
      phase: { current: 1, total: 1, name: '', status: 'in_progress' },
      required_reading: [],
      created_at: fallback.createdAt(),
      status: 'in_progress',
    });
  });

  test('records of another form do no harm', () => {
    const broken = {
      ...required,
      status: 'running',
      revision: -1,
      source: 'plan',
      sessions: { current_session_id: 7, session_history: ['x', { session_id: 's' }] },
      context_metadata: { artifacts_in_context: 'none' },
    };
    expect(read(broken)).toMatchObject({
      status: 'in_progress',
      revision: 0,
      source: { kind: 'cli' },
      sessions: {
        current_session_id: null,
        session_history: [{ session_id: 's', started_at: '' }],
      },
      context_metadata: { artifacts_in_context: [] },
    });
    expect(read({ ...required, sessions: 'x', context_metadata: 3 })).toMatchObject({
      sessions: {},
      context_metadata: {},
    });
  });
});

describe('a defect is only what has no sense as a run', () => {
  test.each([
    [null, 'it is not a JSON object'],
    [[], 'it is not a JSON object'],
    ['text', 'it is not a JSON object'],
    [{ ...required, workflow: 3 }, '"workflow" is not a name'],
    [{ ...required, workflow: ' ' }, '"workflow" is not a name'],
    [{ ...required, phase: [] }, '"phase" is neither an object nor text such as "2/5 - Build"'],
    [{ ...required, phase: true }, '"phase" is neither an object nor text such as "2/5 - Build"'],
  ])('%j', (json, defect) => {
    expect(readState(json, fallback)).toEqual({ defect });
  });
});

test('a key named __proto__ is a key like any other', () => {
  const text = `{"workflow":"X","__proto__":{"polluted":1},
    "context":{"__proto__":{"polluted":1}},"phase":{"current":1,"__proto__":{"polluted":1}}}`;
  const reading = readState(JSON.parse(text), fallback);
  const { state } = 'state' in reading ? reading : expect.fail(reading.defect);
  const written = JSON.stringify(state);
  expect(written.match(/"__proto__":\{"polluted":1\}/g)).toHaveLength(3);
  for (const object of [state, state.context, state.phase]) {
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
  }
  expect({}).not.toHaveProperty('polluted');
});

test('what was read and written is read the same again', () => {
  fc.assert(
    fc.property(anyState(), (state) => {
      expect(JSON.stringify(read(state))).toBe(JSON.stringify(state));
    }),
  );
});

test('any JSON is read or named as a defect', () => {
  const keys = fc.constantFrom(...Object.keys(required), 'sessions', 'source', 'context', 'status');
  fc.assert(
    fc.property(fc.dictionary(keys, fc.jsonValue()), (json) => {
      const reading = readState(json, fallback);
      const sense = 'state' in reading ? reading.state.workflow : reading.defect;
      expect(sense).not.toBe('');
      const settled = (state: RunState): RunState => read(read(state));
      expect('state' in reading && read(settled(reading.state))).toEqual(
        'state' in reading && settled(reading.state),
      );
    }),
  );
});

test('null in a session record means that nothing was said', () => {
  const record = { session_id: 'A', started_at: 'x', ended_at: null, handed_to: null };
  const { sessions } = read({ ...required, sessions: { session_history: [record] } });
  expect(sessions?.session_history).toEqual([{ session_id: 'A', started_at: 'x' }]);
});

test('what people mean by other words is understood', () => {
  expect(read({ ...required, status: 'Completed' }).status).toBe('completed');
  expect(read({ ...required, status: 'on hold' }).status).toBe('paused');
  expect(read({ ...required, phase: { ...required.phase, status: 'done' } }).phase.status).toBe(
    'completed',
  );
  expect(read({ ...required, phase: null }).phase).toMatchObject({ current: 1, total: 1 });
  expect(read({ ...required, revision: '7' }).revision).toBe(7);
});

test('outputs in any form are brought into ours', () => {
  const outputs = { 1: null, 2: 'a text', 3: { text: 5, artefacts: 'x', mine: true } };
  expect(read({ ...required, outputs }).outputs).toEqual({
    1: {},
    2: { text: 'a text' },
    3: { text: '5', artefacts: ['x'], mine: true },
  });
});
