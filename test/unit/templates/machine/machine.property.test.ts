import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HoldfastError } from '../../../../src/text/holdfast-error.ts';
import { unreachable } from '../../../../src/text/unreachable.ts';
import { loopOf } from '../../../../src/templates/machine/loops.ts';
import type { WorkflowStateMachine } from '../../../../src/templates/machine/machine.ts';
import type { GivenTask } from '../../../../src/templates/machine/tasks.ts';
import type {
  Step,
  SubStep,
  Template,
} from '../../../../src/templates/template-types.generated.ts';
import { anyTemplate, restarted, started } from '../../../support/templates.ts';
import { printed } from '../../../support/failures.ts';

const AT = '2025-06-01T12:00:00.000Z';

type Move =
  | { do: 'advance'; output: string; artefacts: string[]; isUntilMet: boolean }
  | { do: 'fail' }
  | { do: 'tasks'; id: string; tasks: GivenTask[] }
  | { do: 'ask' }
  | { do: 'happened'; what: 'compact' | 'clear' }
  | { do: 'pivot'; to: string }
  | { do: 'approve'; note: string }
  | { do: 'reject' }
  | { do: 'reopen' };

const names = fc.constantFrom('plan', 'build', 'check', 'ship', '__proto__', 'constructor');
const tasks = fc.uniqueArray(
  fc.record(
    { id: fc.constantFrom('1', '2', 'x', 'constructor', '__proto__'), title: names },
    { requiredKeys: ['title'] },
  ),
  { maxLength: 3, selector: ({ id }) => id ?? Symbol('none') },
);
const moves = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant('advance' as const),
        output: fc.constantFrom('', 'done'),
        artefacts: fc.array(fc.constantFrom('a.md', 'c.md'), { maxLength: 2 }),
        isUntilMet: fc.boolean(),
      }),
    },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('tasks' as const), id: names, tasks }) },
    { weight: 4, arbitrary: fc.constant({ do: 'ask' as const }) },
    { weight: 2, arbitrary: fc.constant({ do: 'fail' as const }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('happened' as const),
        what: fc.constantFrom('compact' as const, 'clear' as const),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('pivot' as const), to: names }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('approve' as const),
        note: fc.constantFrom('', 'fine'),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ do: 'reject' as const }) },
    { weight: 1, arbitrary: fc.constant({ do: 'reopen' as const }) },
  ),
  { maxLength: 40 },
);

/** What a caller sees of a move. */
function make(machine: WorkflowStateMachine, move: Move): unknown {
  try {
    switch (move.do) {
      case 'advance':
        return machine.advance(move.output, move.artefacts, move.isUntilMet);
      case 'fail':
        return machine.fail('stuck');
      case 'tasks':
        return machine.setTasks(move.id, move.tasks);
      case 'happened':
        return machine.performContextAction(move.what, AT);
      case 'pivot':
        return machine.pivot(move.to);
      case 'approve':
        return machine.approve(move.note);
      case 'reject':
        machine.reject();
        return undefined;
      case 'reopen':
        return machine.reopen();
      case 'ask': {
        const action = machine.getContextActionIfNeeded();
        if (action !== null) machine.markContextActionExecuted(AT);
        return action;
      }
      default:
        return unreachable(move);
    }
  } catch (error) {
    if (error instanceof HoldfastError) return printed(error);
    throw error;
  }
}

function isWaiting(machine: WorkflowStateMachine): boolean {
  const { status, stepType, task } = machine.getState();
  return status === 'running' && stepType === 'loop' && task === undefined;
}

function goOn(machine: WorkflowStateMachine): void {
  if (machine.getState().stepType === 'approval') machine.approve();
  else machine.advance();
}

/** On to the end, giving what is asked for by the name under which it is asked for. */
function finish(machine: WorkflowStateMachine): void {
  for (let moved = 0; machine.getState().status === 'running'; moved += 1) {
    expect(moved).toBeLessThan(1_000);
    if (!isWaiting(machine)) {
      goOn(machine);
      continue;
    }
    const refusal = String(
      make(machine, { do: 'advance', output: '', artefacts: [], isUntilMet: false }),
    );
    const [, name = 'not named'] = /`holdfast tasks (\S+)`/.exec(refusal) ?? [];
    const { step } = machine.getState();
    machine.setTasks(name, []);
    expect([machine.getState().status, machine.getState().step]).not.toEqual(['running', step]);
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
        const seen = make(machine, move);
        if (move.do === 'ask' && seen !== null) asked += 1;
        expect(asked).toBeLessThanOrEqual(1);
        const isSkip = typeof seen === 'object' && JSON.stringify(seen) === '{"outcome":"skip"}';
        const isEntry =
          (['advance', 'approve', 'reject', 'pivot'].includes(move.do) && seen === undefined) ||
          (move.do === 'tasks' && seen === undefined && wasWaiting) ||
          isSkip;
        if (isEntry) asked = 0;
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

test('a move that is refused leaves everything as it was', () => {
  fc.assert(
    fc.property(anyTemplate(), moves, (template, sequence) => {
      const machine = started(template);
      for (const move of sequence) {
        const before = machine.getState();
        const seen = make(machine, move);
        if (typeof seen === 'string' && move.do !== 'ask')
          expect(machine.getState()).toEqual(before);
      }
    }),
  );
});

test('a run without failures has every entry of its template once, in order, each with its action', () => {
  fc.assert(
    fc.property(anyTemplate(), fc.nat(3), (template, count) => {
      const list = Array.from({ length: count }, (_, i) => ({ id: `t${i}`, title: 'T' }));
      const machine = started(template);
      const walked: unknown[] = [];
      while (machine.getState().status === 'running') {
        const { step, task, subStep, ralphIteration } = machine.getState();
        if (isWaiting(machine)) {
          machine.setTasks(step, list);
          continue;
        }
        walked.push([step, task?.id, subStep, ralphIteration, machine.getContextActionIfNeeded()]);
        goOn(machine);
      }
      const ids = list.map(({ id }) => id);
      // Without outputs and pivots, a condition depends on nothing that changes during the walk.
      const applies = ({ when = 'true' }: Step): boolean =>
        when !== 'false' && when !== 'state.machine.pivots > 0';
      const steps = template.steps.filter(applies);
      expect(walked).toEqual(
        steps.flatMap((step, index) => entriesOf(template, step, steps[index - 1], ids)),
      );
      expect(machine.getState().passedBy ?? []).toEqual(
        template.steps.filter((step) => !applies(step)).map(({ id }) => id),
      );
    }),
  );
});

/** The rules of the context action, written down once more in the plainest way. */
function entriesOf(
  template: Template,
  step: Step,
  previous: Step | undefined,
  taskIds: string[],
): unknown[] {
  const between = template.transitions?.find(
    ({ from, to }) => from === previous?.id && to === step.id,
  )?.context;
  const command = (subStep: SubStep | undefined, isFirst: boolean): string | null => {
    const ofStep = isFirst && between !== undefined ? between : step.context;
    const context = subStep?.context ?? ofStep;
    return context === undefined || context === 'keep' ? null : context;
  };
  if (step.type === 'action' || step.type === 'approval') {
    return [[step.id, undefined, undefined, undefined, command(undefined, true)]];
  }
  if (step.type === 'ralph') {
    return Array.from({ length: step.n ?? 0 }, (_, i) => [
      step.id,
      undefined,
      undefined,
      i + 1,
      command(undefined, i === 0),
    ]);
  }
  const subSteps = template.loops?.[loopOf(template, step) ?? ''] ?? [];
  return taskIds.flatMap((id, nth) =>
    subSteps.map((subStep, i) => [
      step.id,
      id,
      subStep.id,
      undefined,
      command(subStep, nth === 0 && i === 0),
    ]),
  );
}

test('only the user gets past an approval', () => {
  fc.assert(
    fc.property(anyTemplate(), moves, (template, sequence) => {
      const machine = started(template);
      for (const move of sequence) {
        const before = machine.getState();
        make(machine, move);
        const after = machine.getState();
        if (before.status !== 'running' || before.stepType !== 'approval') continue;
        const indexOf = (id: string): number => template.steps.findIndex((step) => step.id === id);
        const isPast = after.status === 'complete' || indexOf(after.step) > indexOf(before.step);
        if (isPast) expect(move.do).toBe('approve');
      }
    }),
  );
});

test('a step whose condition is false is never entered, and every other one is never passed by', () => {
  fc.assert(
    fc.property(anyTemplate(), moves, (template, sequence) => {
      const always = template.steps.filter(({ when = 'true' }) => when === 'true');
      const never = template.steps.filter(({ when }) => when === 'false').map(({ id }) => id);
      const machine = started(template);
      for (const move of sequence) {
        make(machine, move);
        const { status, step, passedBy = [] } = machine.getState();
        if (status === 'running') expect(never).not.toContain(step);
        for (const { id } of always) expect(passedBy).not.toContain(id);
      }
    }),
  );
});
