import { expect, test } from 'vitest';
import type { WorkflowStateMachine } from '../../../src/machine/machine.ts';
import { waitId } from '../../../src/machine/wait.ts';
import {
  play,
  played,
  restarted,
  templateOf,
} from '../../support/templates.ts';

const FLOW = templateOf('plan agree? sign? ship', { max_pivots: 100 });
const REACHED = 'next=draft';

const idOf = ({ state }: WorkflowStateMachine, run = 'run-1'): string =>
  waitId({ facts: { run_id: run } }, state);
const at = (moves: string, template = FLOW): string =>
  idOf(played(template, moves));

test('what waits is named after its step', () => {
  expect(at(REACHED)).toMatch(/^agree@0[0-9a-f]{8}$/);
  expect(at(REACHED)).toBe(at(REACHED));
});

test.each([
  ['another run of the template', idOf(played(FLOW, REACHED), 'run-2')],
  ['another step', at(`${REACHED} approve`)],
  ['another output', at('next=other')],
  ['no output', at('next')],
  [
    'the same work, rejected and done again',
    at(`${REACHED} reject next=draft`),
  ],
  [
    'the same work, after the agent went back',
    at(`${REACHED} pivot:plan next=draft`),
  ],
])('it has another id: %s', (_what, id) => {
  expect(id).not.toBe(at(REACHED));
});

test('it has another id for an output that the agent made to fit the digest of the one before', () => {
  const shown = at('next=harmless-10111');
  const exchanged = at('next=draft pivot:plan next=harmful-30702');
  expect(exchanged.slice(-8)).toBe(shown.slice(-8));
  expect(exchanged).not.toBe(shown);
});

test('it has another id with other files', () => {
  const machine = played(FLOW, '');
  machine.advance('draft', ['plan.md']);
  expect(idOf(machine)).not.toBe(at(REACHED));
});

test('it has another id when it waits again after it was approved', () => {
  const last = templateOf('plan agree?');
  expect(at(`${REACHED} approve reopen`, last)).not.toBe(at(REACHED, last));
});

test.each([
  ['the context action is asked for', 'asked'],
  ['the conversation is compacted', 'compact'],
  ['the conversation is cleared', 'asked clear'],
])('it keeps its id when %s', (_what, moves) => {
  const template = templateOf('plan agree?@clear ship');
  expect(at(`${REACHED} ${moves}`, template)).toBe(at(REACHED, template));
});

test('it keeps its id in another process, and on a machine that stores the keys in another order', () => {
  const machine = played(templateOf('plan draft agree?'), 'next=a next=b');
  const { outputs } = machine.state;
  const reordered = Object.fromEntries(Object.entries(outputs).toReversed());
  expect(idOf(restarted(machine))).toBe(idOf(machine));
  expect(
    waitId(
      { facts: { run_id: 'run-1' } },
      { ...machine.state, outputs: reordered },
    ),
  ).toBe(idOf(machine));
});

test('each answer is kept with what it answered, the last twenty of them', () => {
  const machine = played(FLOW, REACHED);
  const first = waitId(machine, machine.state);
  const ids = new Set<string>();
  for (let round = 0; round < 30; round += 1) {
    ids.add(waitId(machine, machine.state));
    play(machine, 'reject');
    play(machine, 'next=draft');
  }
  expect(ids.size).toBe(30);
  expect(machine.state.answered).toHaveLength(20);
  expect(played(FLOW, `${REACHED} reject`).state.answered).toEqual([
    { wait: first, as: 'rejected' },
  ]);
  expect(played(FLOW, `${REACHED} approve`).state.answered).toEqual([
    { wait: first, as: 'approved' },
  ]);
});

test('a rejection that is refused answers nothing', () => {
  const machine = played(templateOf('plan agree?', { max_pivots: 0 }), REACHED);
  expect(() => machine.reject()).toThrow('its template allows 0');
  expect(machine.state.answered).toBeUndefined();
});
