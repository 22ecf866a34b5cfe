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
  const state = readState(JSON.parse(JSON.stringify(json)), fallback);
  if (typeof state === 'string') throw new Error(state);
  return state;
};

describe('a file with only the required fields', () => {
  test('is fully usable, as it is', () => {
    expect(read(required)).toEqual({ ...required, status: 'in_progress' });
  });

  test('is finished where its last phase is', () => {
    const phase = (current: number) => ({
      ...required.phase,
      current,
      status: 'completed',
    });
    expect(read({ ...required, phase: phase(5) }).status).toBe('completed');
    expect(read({ ...required, phase: phase(4) }).status).toBe('in_progress');
  });
});

describe('what was written by hand', () => {
  const unknownKeys = {
    mine: { deep: [1] },
    phase: { ...required.phase, estimate: '2d' },
    source: { kind: 'plan', path: 'p', said: { workflow: 'x' }, mine: 1 },
    sessions: {
      mine: 1,
      session_history: [{ session_id: 's', started_at: 't', mine: 1 }],
    },
    context_metadata: {
      mine: 1,
      artifacts_in_context: [{ artifact_id: 'a', mine: 1 }],
    },
  };
  const ended = {
    session_id: 'A',
    started_at: 'x',
    ended_at: null,
    handed_to: null,
  };

  test.each<[what: string, written: object, read: object]>([
    [
      'a reading entry without @ gets it',
      { required_reading: ['a.md', '@b.md'] },
      { required_reading: ['@a.md', '@b.md'] },
    ],
    [
      'an unknown type stays',
      { workflow_type: 'spike' },
      { workflow_type: 'spike' },
    ],
    ['unknown keys stay, at every level', unknownKeys, unknownKeys],
    [
      'a text in the place of a list is its entry',
      {
        required_reading: 'a.md',
        key_reminders: 'test first',
        phases: 'Build',
      },
      {
        required_reading: ['@a.md'],
        key_reminders: ['test first'],
        phases: ['Build'],
      },
    ],
    [
      'a text in the place of an object is a note',
      { context: 'remember the milk', artifacts: 'spec.md' },
      {
        context: { note: 'remember the milk' },
        artifacts: { artifact: 'spec.md' },
      },
    ],
    [
      'a source may say fewer phases than the list has',
      {
        phases: ['A', 'B', 'C'],
        phase: { total: 2 },
        source: { kind: 'plan', path: 'p', said: { phase: { total: 2 } } },
      },
      { phase: { total: 2 } },
    ],
    [
      'notes get numbers, also plain texts and those of earlier versions',
      { notes: ['a', { text: 'b', at: 't', n: '7' }, { text: 'c', phase: 2 }] },
      {
        notes: [
          { n: 8, at: '', phase: '', text: 'a' },
          { n: 7, at: 't', phase: '', text: 'b' },
          { n: 9, at: '', phase: '2', text: 'c' },
        ],
        last_note: 9,
      },
    ],
    [
      'a phase as in CLAUDE.local.md',
      { phase: '2/5 - Build' },
      { phase: required.phase },
    ],
    [
      'numbers may be texts, and no phase is past the total',
      {
        phase: { current: '3', total: 2, name: 7, line: 5, status: 'doing' },
        revision: '7',
      },
      {
        phase: {
          current: 3,
          total: 3,
          name: '',
          line: '5',
          status: 'in_progress',
        },
        revision: 7,
      },
    ],
    [
      'entries that are no texts are not lost, empty ones are',
      { key_reminders: ['a', 3, { b: 1 }, null, ' ', ''] },
      { key_reminders: ['a', '3', '{"b":1}'] },
    ],
    [
      'null is as good as nothing',
      {
        required_reading: null,
        phase: null,
        sessions: { session_history: [ended] },
      },
      {
        required_reading: [],
        phase: { current: 1, total: 1 },
        sessions: { session_history: [{ session_id: 'A', started_at: 'x' }] },
      },
    ],
    [
      'records of another form do no harm',
      {
        status: 'running',
        revision: -1,
        source: 'plan',
        sessions: {
          current_session_id: 7,
          session_history: ['x', { session_id: 's' }],
        },
        context_metadata: { artifacts_in_context: 'none' },
      },
      {
        status: 'in_progress',
        revision: 0,
        source: { kind: 'cli' },
        sessions: {
          current_session_id: null,
          session_history: [{ session_id: 's' }],
        },
        context_metadata: { artifacts_in_context: [] },
      },
    ],
    [
      'what people mean by other words',
      { status: 'on hold' },
      { status: 'paused' },
    ],
    [
      'outputs in any form',
      {
        outputs: {
          1: null,
          2: 'a text',
          3: { text: 5, artefacts: 'x', mine: true },
        },
      },
      {
        outputs: {
          1: {},
          2: { text: 'a text' },
          3: { text: '5', artefacts: ['x'], mine: true },
        },
      },
    ],
  ])('%s', (_what, written, expected) => {
    expect(read({ ...required, ...written })).toMatchObject(expected);
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
});

describe('a defect is only what has no sense as a run', () => {
  test.each([
    [null, 'it is not a JSON object'],
    [[], 'it is not a JSON object'],
    ['text', 'it is not a JSON object'],
    [{ ...required, workflow: 3 }, '"workflow" is not a name'],
    [{ ...required, workflow: ' ' }, '"workflow" is not a name'],
    [
      { ...required, phase: [] },
      '"phase" is neither an object nor text such as "2/5 - Build"',
    ],
    [
      { ...required, phase: true },
      '"phase" is neither an object nor text such as "2/5 - Build"',
    ],
  ])('%j', (json, defect) => {
    expect(readState(json, fallback)).toBe(defect);
  });
});

test('a key named __proto__ is a key like any other', () => {
  const text = `{"workflow":"X","__proto__":{"polluted":1},
    "context":{"__proto__":{"polluted":1}},"phase":{"current":1,"__proto__":{"polluted":1}}}`;
  const state = readState(JSON.parse(text), fallback);
  if (typeof state === 'string') throw new Error(state);
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
      fc.pre((state.phases ?? []).length <= state.phase.total);
      expect(JSON.stringify(read(state))).toBe(JSON.stringify(state));
    }),
  );
});

test('any JSON is read or named as a defect', () => {
  const keys = fc.constantFrom(
    ...Object.keys(required),
    'sessions',
    'source',
    'context',
    'status',
  );
  fc.assert(
    fc.property(fc.dictionary(keys, fc.jsonValue()), (json) => {
      const state = readState(json, fallback);
      expect(typeof state === 'string' ? state : state.workflow).not.toBe('');
      if (typeof state === 'string') return;
      const settled = read(read(state));
      expect(read(settled)).toEqual(settled);
    }),
  );
});
