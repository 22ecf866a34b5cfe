import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HoldfastError } from '../../../src/text/holdfast-error.ts';
import type { WorkflowStateMachine } from '../../../src/machine/machine.ts';
import {
  anyTemplate,
  play,
  restarted,
  started,
} from '../../support/templates.ts';
import { printed } from '../../support/failures.ts';

const names = fc.constantFrom(
  'plan',
  'build',
  'check',
  'ship',
  '__proto__',
  'constructor',
);
const tasks = fc.subarray(['1', '2', 'x', 'constructor', '__proto__'], {
  maxLength: 3,
});
const moves = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom('next', 'next=done', 'until') },
    {
      weight: 4,
      arbitrary: fc
        .tuple(names, tasks)
        .map(([id, list]) => `tasks:${id}=${list.join(',')}`),
    },
    { weight: 4, arbitrary: fc.constant('asked') },
    { weight: 2, arbitrary: fc.constant('fail') },
    {
      weight: 1,
      arbitrary: fc.constantFrom('compact', 'clear', 'reject', 'reopen'),
    },
    { weight: 2, arbitrary: names.map((to) => `pivot:${to}`) },
    { weight: 3, arbitrary: fc.constantFrom('approve', 'approve=fine') },
  ),
  { maxLength: 40 },
);

/** What a caller sees of a move: why it is refused, else what is asked for. */
function make(machine: WorkflowStateMachine, move: string): string | null {
  const action = machine.getContextActionIfNeeded();
  try {
    play(machine, move);
    return move === 'asked' ? action : null;
  } catch (error) {
    if (error instanceof HoldfastError) return printed(error);
    throw error;
  }
}

function isWaiting(machine: WorkflowStateMachine): boolean {
  const { status, stepType, task } = machine.state;
  return status === 'running' && stepType === 'loop' && task === undefined;
}

/** On to the end, giving what is asked for by the name under which it is asked for. */
function finish(machine: WorkflowStateMachine): void {
  for (let moved = 0; machine.state.status === 'running'; moved += 1) {
    expect(moved).toBeLessThan(1_000);
    const { step, stepType } = machine.state;
    const refusal =
      make(machine, stepType === 'approval' ? 'approve' : 'next') ?? '';
    const [, name] = /`holdfast tasks (\S+)`/.exec(refusal) ?? [];
    if (name === undefined) continue;
    play(machine, `tasks:${name}=`);
    expect([machine.state.status, machine.state.step]).not.toEqual([
      'running',
      step,
    ]);
  }
}

test('a restart at any point changes nothing', () => {
  fc.assert(
    fc.property(anyTemplate(), moves, (template, sequence) => {
      const one = started(template);
      let other = restarted(one);
      for (const move of sequence) {
        other = restarted(other);
        expect(make(other, move)).toEqual(make(one, move));
        expect(other.getState()).toEqual(one.getState());
        expect(other.getStatus()).toEqual(one.getStatus());
      }
    }),
  );
});

test('no action is asked for twice for one entry', () => {
  fc.assert(
    fc.property(anyTemplate(), moves, (template, sequence) => {
      let machine = started(template);
      let asked = 0;
      for (const move of sequence) {
        machine = restarted(machine);
        const wasWaiting = isWaiting(machine);
        const { retries } = machine.state;
        const seen = make(machine, move);
        if (move === 'asked' && seen !== null) asked += 1;
        expect(asked).toBeLessThanOrEqual(1);
        const { status, retries: after } = machine.state;
        const isSkip =
          move === 'fail' &&
          status !== 'failed' &&
          (after === undefined || after === retries);
        const isEntry =
          /^(?:next|until|approve|reject|pivot)/.test(move) ||
          (move.startsWith('tasks') && wasWaiting) ||
          isSkip;
        if (isEntry && seen === null) asked = 0;
      }
    }),
  );
});

test('a run always comes to its end, or waits for something that it names', () => {
  fc.assert(
    fc.property(anyTemplate(), moves, (template, sequence) => {
      const machine = started(template);
      for (const move of sequence) make(machine, move);
      if (machine.getState().status === 'failed') machine.reopen();
      finish(machine);
      expect(machine.getState()).toMatchObject({
        status: 'complete',
        step: template.steps.at(-1)?.id,
      });
      const ids = template.steps.map(({ id }) => id);
      const { passedBy = [] } = machine.getState();
      expect(passedBy).toEqual(ids.filter((id) => passedBy.includes(id)));
      expect(machine.getContextActionIfNeeded()).toBeNull();
    }),
  );
});

test('a refused move changes nothing, only the user gets past an approval, and conditions are kept', () => {
  fc.assert(
    fc.property(anyTemplate(), moves, (template, sequence) => {
      const always = template.steps.filter(
        ({ when = 'true' }) => when === 'true',
      );
      const never = template.steps
        .filter(({ when }) => when === 'false')
        .map(({ id }) => id);
      const indexOf = (id: string): number =>
        template.steps.findIndex((step) => step.id === id);
      const machine = started(template);
      for (const move of sequence) {
        const before = machine.getState();
        const seen = make(machine, move);
        const after = machine.getState();
        if (seen !== null && move !== 'asked') expect(after).toEqual(before);
        const { status, step, passedBy = [] } = after;
        const isPast =
          status === 'complete' || indexOf(step) > indexOf(before.step);
        if (
          before.status === 'running' &&
          before.stepType === 'approval' &&
          isPast
        )
          expect(move).toMatch(/^approve/);
        if (status === 'running') expect(never).not.toContain(step);
        for (const { id } of always) expect(passedBy).not.toContain(id);
      }
    }),
  );
});
