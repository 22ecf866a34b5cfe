import { describe, expect, it } from 'vitest';
import { timeline, totalCost } from '../../../../src/ui/model/timeline.ts';
import type { TimelineEntry } from '../../../../src/ui/model/types/timeline.ts';
import { aRecord, aState, minutesBefore, NOW } from '../../../support/runs.ts';

type Event = { event: string; [key: string]: unknown };

function entryOf(event: Event): TimelineEntry | undefined {
  return timeline(aState(), [{ at: minutesBefore(1), ...event }]).entries[0];
}

describe('events of the journal', () => {
  it.each<[Event, Partial<TimelineEntry>]>([
    [
      { event: 'started', phase: { current: 1, total: 3, name: 'Design' } },
      { kind: 'progress', title: 'Started, phase 1/3 Design' },
    ],
    [
      { event: 'advanced', finished: '1/3 Design', output: 'see\nspec' },
      { kind: 'progress', title: 'Finished 1/3 Design', text: 'see\nspec', facts: [] },
    ],
    [
      { event: 'advanced', finished: 'step 1', until: { command: 'npm test', met: true } },
      { title: 'Finished step 1, ended by `npm test`' },
    ],
    [
      { event: 'failed', failed: 'step 1', outcome: 'retry', attempt: 1, of: 3, reason: 'red' },
      { kind: 'trouble', title: 'step 1 failed, retry 1 of 3', text: 'red' },
    ],
    [
      { event: 'pivoted', from: 'review', to: 'design', feedback: 'too slow' },
      { kind: 'back', title: 'Went back from review to design', text: 'too slow' },
    ],
    [
      { event: 'rejected', from: 'ok', to: 'build', feedback: 'no' },
      { kind: 'back', title: 'You rejected it and sent it back from ok to build' },
    ],
    [
      { event: 'approved', step: 'ok', note: 'fine' },
      { kind: 'person', text: 'fine' },
    ],
    [
      { event: 'context', performed: '/compact' },
      { kind: 'context', title: '/compact was performed' },
    ],
    [
      { event: 'paused', reason: 'lunch' },
      { kind: 'person', title: 'Paused', text: 'lunch' },
    ],
    [{ event: 'tasks', loop: 'build', count: 2 }, { title: 'The loop "build" got 2 tasks' }],
    [
      { event: 'step_driven', step: 'build', outcome: 'finished', turns: 3, cost_usd: 0.5 },
      {
        kind: 'cost',
        title: 'Driven: build finished',
        cost: 0.5,
        facts: [{ name: 'turns', value: '3' }],
      },
    ],
    [
      { event: 'step_driven', step: 'build', outcome: 'failed', cost_usd: null },
      { title: 'Driven: build failed, cost unknown', cost: null },
    ],
    [{ event: 'driven', fresh: true }, { title: '`holdfast run` started a fresh session for it' }],
    [
      { event: 'gate_failed', command: 'npm test', reason: 'red' },
      { kind: 'trouble', title: 'The gate `npm test` failed', text: 'red' },
    ],
    [
      { event: 'primed', artifacts: ['spec'] },
      { kind: 'reading', title: 'Loaded spec' },
    ],
    [{ event: 'updated', changes: { phase: 1, name: 2 } }, { title: 'Edited: phase, name' }],
    [
      { event: 'advanced', finished: 'a', passed_by: ['docs'] },
      { title: 'Finished a; passed by docs', facts: [] },
    ],
  ])('%j', (event, entry) => {
    expect(entryOf(event)).toMatchObject(entry);
  });

  it('of an unknown kind keep their name and show all their fields', () => {
    expect(
      entryOf({ event: 'something_new', step: 'build', turns: 4, by: 'run', session_id: 's1' }),
    ).toMatchObject({
      kind: 'other',
      title: 'Something new',
      facts: [
        { name: 'step', value: 'build' },
        { name: 'turns', value: '4' },
      ],
      session: 's1',
    });
  });

  it('with a cost show it, and the total is their sum', () => {
    const events = [
      { event: 'step_driven', cost_usd: 0.25 },
      { event: 'step_driven', cost_usd: 0.5 },
      { event: 'step_driven', cost_usd: null },
      { event: 'step_driven', cost_usd: -3 },
    ];
    expect(entryOf({ event: 'step_driven', cost_usd: 0.25 })).toMatchObject({
      kind: 'cost',
      cost: 0.25,
    });
    expect(totalCost(events)).toBe(0.75);
    expect(totalCost([{ event: 'started' }])).toBeNull();
  });

  it('with names of object members are unknown events', () => {
    expect(entryOf({ event: 'constructor' })).toMatchObject({
      kind: 'other',
      title: 'Constructor',
    });
    expect(entryOf({ event: '__proto__' })).toMatchObject({ kind: 'other' });
  });

  it('with fields of the wrong type do not break the page', () => {
    expect(entryOf({ event: 'advanced', finished: 7, output: { a: 1 } })).toMatchObject({
      title: 'Finished a phase',
      text: null,
    });
    expect(
      entryOf({ event: 'restored', given: 7, characters: 'x', sections: [['a'], 7, null] }),
    ).toMatchObject({
      restored: { given: '', characters: null, sections: [] },
    });
  });
});

it('a restore tells what it gave and how large each section was', () => {
  const event = {
    event: 'restored',
    source: 'compact',
    given: 'full',
    characters: 30,
    sections: [
      ['head', 10],
      ['ACTION REQUIRED', 18],
    ],
  };
  expect(entryOf(event)).toMatchObject({
    kind: 'restore',
    title: 'Compacted, then restored',
    restored: {
      given: 'full',
      characters: 30,
      sections: [
        { name: 'Title and phase', characters: 10 },
        { name: 'ACTION REQUIRED', characters: 18 },
      ],
    },
  });
});

it('a move names the gates that it has passed', () => {
  const gates = ['npm test', 'make check'];
  expect(entryOf({ event: 'advanced', finished: 'step 1 of 2 (plan)', gates })).toMatchObject({
    title: 'Finished step 1 of 2 (plan), the gate `npm test` passed, the gate `make check` passed',
    facts: [],
  });
  expect(entryOf({ event: 'approved', step: 'ok', gates: ['npm test', 7] })).toMatchObject({
    title: 'You approved ok, the gate `npm test` passed',
  });
  expect(entryOf({ event: 'advanced', finished: 'step 1', gates: 'x' })).toMatchObject({
    title: 'Finished step 1',
  });
});

it('sessions and reading are part of it, the latest first', () => {
  const state = aState({
    sessions: {
      current_session_id: 's1',
      session_history: [aRecord('s1', { started_at: minutesBefore(9) })],
    },
    context_metadata: {
      artifacts_in_context: [
        { artifact_id: '@docs/a.md', loaded_at: minutesBefore(5), load_trigger: 'read' },
      ],
    },
  });
  const { entries } = timeline(state, [{ event: 'advanced', at: minutesBefore(7), finished: 'x' }]);
  expect(entries.map(({ title }) => title)).toEqual([
    'docs/a.md was read',
    'Finished x',
    'A session on this-machine began to work on it',
  ]);
});

it('reading before the last compaction stays in it, each file once', () => {
  const state = aState({
    context_metadata: {
      artifacts_in_context: [
        { artifact_id: '@docs/a.md', loaded_at: minutesBefore(3), load_trigger: 'compaction' },
        { artifact_id: '@docs/b.md', loaded_at: minutesBefore(2), load_trigger: 'read' },
        { artifact_id: 'spec', loaded_at: minutesBefore(1), load_trigger: 'manual' },
      ],
    },
  });
  const { entries } = timeline(state, [
    { event: 'read', at: minutesBefore(5), file: 'docs/b.md', session_id: 's1' },
    { event: 'restored', at: minutesBefore(3), source: 'compact', loaded: ['@docs/a.md', 'x'] },
    { event: 'read', at: minutesBefore(2), file: 'docs/b.md', session_id: 's1' },
    { event: 'primed', at: minutesBefore(1), artifacts: ['spec'] },
  ]);
  expect(entries.map(({ title }) => title)).toEqual([
    'Loaded spec',
    'docs/b.md was read',
    'docs/a.md, x were included in the guidance',
    'Compacted, then restored',
    'docs/b.md was read',
  ]);
  expect(entries.filter(({ kind }) => kind === 'reading')).toHaveLength(4);
});

it('a long journal is cut, and the newest events stay', () => {
  const journal = Array.from({ length: 2_500 }, (_, index) => ({
    event: 'updated',
    n: index,
    at: new Date(NOW.getTime() + index * 1_000).toISOString(),
  }));
  const { entries, leftOut } = timeline(aState(), journal);
  expect(entries).toHaveLength(2_000);
  expect(leftOut).toBe(500);
  expect(entries[0]?.facts).toEqual([{ name: 'n', value: '2499' }]);
});

it('unreadable times do not break the order of the others', () => {
  const { entries } = timeline(aState(), [
    { event: 'a', at: 'yesterday' },
    { event: 'b', at: minutesBefore(1) },
  ]);
  expect(entries.map(({ title }) => title)).toEqual(['B', 'A']);
});
