import fc from 'fast-check';
import { contextActionState } from '../../src/machine/context-action.ts';
import { WorkflowStateMachine } from '../../src/machine/machine.ts';
import type {
  Step,
  SubStep,
  Template,
} from '../../src/machine/template-types.generated.ts';

export function aTemplate(
  steps: Step[],
  fields: Partial<Template> = {},
): Template {
  return {
    name: 'Feature',
    description: 'Builds a feature.',
    steps,
    ...fields,
  };
}

export function action(id: string, fields: Partial<Step> = {}): Step {
  return { id, type: 'action', instructions: `Do ${id}.`, ...fields };
}

export function loop(id: string, fields: Partial<Step> = {}): Step {
  return { id, type: 'loop', ...fields };
}

export function ralph(id: string, n: number, fields: Partial<Step> = {}): Step {
  return { id, type: 'ralph', n, instructions: `Improve ${id}.`, ...fields };
}

export function approval(id: string, fields: Partial<Step> = {}): Step {
  return { id, type: 'approval', ...fields };
}

export function sub(id: string, fields: Partial<SubStep> = {}): SubStep {
  return { id, instructions: `Do ${id} of {task.title}.`, ...fields };
}

export function started(template: Template): WorkflowStateMachine {
  const machine = new WorkflowStateMachine(template);
  machine.start();
  return machine;
}

/** The machine after a round trip through the text of a state file. */
export function restarted(machine: WorkflowStateMachine): WorkflowStateMachine {
  return WorkflowStateMachine.fromState(
    JSON.parse(JSON.stringify(machine.template)),
    JSON.parse(JSON.stringify(machine.getState())),
  );
}

/**
 * A template in a line: `plan items[write review] polish:2 agree? ship`. A step with sub-steps is a loop, one with a
 * number a ralph step, one with `?` an approval. After it stand `!skip` (on_fail), `@clear` (context), `#make` (gate) and
 * `-` (its condition is false).
 */
export function templateOf(
  line: string,
  fields: Partial<Template> = {},
): Template {
  const loops: NonNullable<Template['loops']> = {};
  const steps = [
    ...line.matchAll(/(\w+)(?:\[([^\]]*)\])?(?::(\d+))?(\?)?(\S*)/g),
  ].map(([, id = '', subSteps, n, isApproval, marks = '']): Step => {
    const own = marked(marks);
    if (subSteps !== undefined) {
      loops[id] = [...subSteps.matchAll(/(\w+)(\S*)/g)].map(
        ([, name = '', more = '']) => sub(name, marked(more)),
      );
      return loop(id, own);
    }
    if (n !== undefined) return ralph(id, Number(n), own);
    return isApproval === undefined ? action(id, own) : approval(id, own);
  });
  const hasLoops = Object.keys(loops).length > 0;
  return aTemplate(steps, { ...(hasLoops ? { loops } : {}), ...fields });
}

function marked(marks: string): Partial<SubStep> & Partial<Step> {
  const KEYS: Record<string, string> = {
    '!': 'on_fail',
    '@': 'context',
    '#': 'gate',
  };
  const found = [...marks.matchAll(/([!@#])(\w+)/g)].map(
    ([, mark = '', value]) => [KEYS[mark], value],
  );
  return {
    ...Object.fromEntries(found),
    ...(marks.includes('-') ? { when: 'false' } : {}),
  };
}

/**
 * The machine after moves such as `next=output tasks:items=A,B fail skip pivot:plan approve reject reopen`; `until` is a
 * `next` whose `until` command is met, `+A` a task given as done, `asked` delivers the context action, `compact` and
 * `clear` happen.
 */
export function played(
  template: Template,
  moves: string,
): WorkflowStateMachine {
  const machine = started(template);
  for (const move of moves.split(' ').filter((word) => word !== ''))
    play(machine, move);
  return machine;
}

export function play(machine: WorkflowStateMachine, move: string): void {
  const [, name = '', id = '', value] =
    /^(\w+)(?::(\w+))?(?:=(.*))?$/.exec(move) ?? [];
  const titles = (value ?? '').split(',').filter((title) => title !== '');
  const moves: Record<string, () => unknown> = {
    next: () => machine.advance(value),
    until: () => machine.advance(value, [], true),
    fail: () => machine.fail(value ?? 'x'),
    skip: () => machine.skip(),
    tasks: () =>
      machine.setTasks(
        id,
        titles.map((title) => ({
          id: title.replace('+', ''),
          title,
          status: title.startsWith('+') ? 'done' : undefined,
        })),
      ),
    pivot: () => machine.pivot(id),
    approve: () => machine.approve(value),
    reject: () => machine.reject(),
    reopen: () => machine.reopen(),
    asked: () => machine.markContextActionExecuted('2025-06-01T12:00:00.000Z'),
    compact: () =>
      machine.performContextAction('compact', '2025-06-01T12:05:00.000Z'),
    clear: () =>
      machine.performContextAction('clear', '2025-06-01T12:05:00.000Z'),
  };
  moves[name]?.();
}

/** Where a machine stands, such as `items.A.write`, `polish.2`, `failed plan`, and the context action there. */
export function placeOf(machine: WorkflowStateMachine): string {
  const { status, step, task, subStep, ralphIteration } = machine.state;
  const place = [step, task?.id, subStep, ralphIteration].filter(
    (part) => part !== undefined,
  );
  const { command, state } = contextActionState(machine.state) ?? {};
  const words = [status, place.join('.'), command, state].join(' ').trimEnd();
  return words.replace(/^running /, '');
}

/** Some are names of inherited object properties. */
const ids = fc.constantFrom(
  'plan',
  'build',
  'check',
  'ship',
  '__proto__',
  'constructor',
);
const contexts = fc.constantFrom('compact', 'clear');
const onFails = fc.constantFrom('retry', 'skip', 'abort');

/** True, false, and depending on what the run has done so far. */
const CONDITIONS = [
  'true',
  'state.context == null',
  'false',
  'state.outputs.plan == null',
  'state.machine.pivots > 0',
];

/** Any valid template that is small enough to run to its end. */
export function anyTemplate(): fc.Arbitrary<Template> {
  const own = fc.record(
    {
      context: contexts,
      on_fail: onFails,
      agent: fc.constant('helper'),
      artefacts: fc.oneof(
        fc.boolean(),
        fc.array(fc.constantFrom('a.md', 'b.md'), { maxLength: 3 }),
      ),
      when: fc.constantFrom(...CONDITIONS),
    },
    { requiredKeys: [] },
  );
  const subFields = fc.record(
    { context: contexts, on_fail: onFails },
    { requiredKeys: [] },
  );
  const subSteps = fc
    .uniqueArray(ids, { minLength: 1, maxLength: 3 })
    .chain((named) =>
      fc.tuple(
        ...named.map((id) => subFields.map((fields) => sub(id, fields))),
      ),
    );
  const walked = fc
    .tuple(
      fc.uniqueArray(ids, { minLength: 1, maxLength: 3 }),
      fc.array(subSteps, { minLength: 3 }),
    )
    .map(([names, lists]) =>
      Object.fromEntries(
        names.map((name, index) => [name, lists[index] ?? [sub('do')]]),
      ),
    );
  return fc
    .tuple(fc.uniqueArray(ids, { minLength: 1, maxLength: 5 }), walked)
    .chain(([named, loops]) => {
      const step = (id: string): fc.Arbitrary<Step> =>
        fc.oneof(
          own.map((fields) => action(id, fields)),
          own.map((fields) => approval(id, fields)),
          fc
            .tuple(own, fc.integer({ min: 1, max: 3 }))
            .map(([fields, n]) => ralph(id, n, fields)),
          fc
            .tuple(own, fc.constantFrom(...Object.keys(loops)))
            .map(([fields, name]) => loop(id, { ...fields, loop: name })),
        );
      return fc.record(
        {
          name: fc.constant('Any'),
          description: fc.constant('Any template.'),
          steps: fc.tuple(...named.map(step)),
          loops: fc.constant(loops),
          max_retries: fc.nat(2),
          agents: fc.constant({ helper: { description: 'Helps.' } }),
          transitions: fc.uniqueArray(
            fc.record({
              from: fc.constantFrom(...named),
              to: fc.constantFrom(...named),
              context: fc.constantFrom('clear', 'compact', 'keep'),
              ...(named.length > 1
                ? { preserve: fc.subarray(['summary', 'feedback', ...named]) }
                : {}),
            }),
            { maxLength: 4, selector: ({ from, to }) => `${from} ${to}` },
          ),
        },
        { requiredKeys: ['name', 'description', 'steps', 'loops'] },
      );
    });
}
