import fc from 'fast-check';
import { WorkflowStateMachine } from '../../src/templates/machine/machine.ts';
import type { Step, SubStep, Template } from '../../src/templates/template-types.generated.ts';

export function aTemplate(steps: Step[], fields: Partial<Template> = {}): Template {
  return { name: 'Feature', description: 'Builds a feature.', steps, ...fields };
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

/** Some are names of inherited object properties. */
const ids = fc.constantFrom('plan', 'build', 'check', 'ship', '__proto__', 'constructor');
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
  const subFields = fc.record({ context: contexts, on_fail: onFails }, { requiredKeys: [] });
  const subSteps = fc
    .uniqueArray(ids, { minLength: 1, maxLength: 3 })
    .chain((named) => fc.tuple(...named.map((id) => subFields.map((fields) => sub(id, fields)))));
  const walked = fc
    .tuple(
      fc.uniqueArray(ids, { minLength: 1, maxLength: 3 }),
      fc.array(subSteps, { minLength: 3 }),
    )
    .map(([names, lists]) =>
      Object.fromEntries(names.map((name, index) => [name, lists[index] ?? [sub('do')]])),
    );
  return fc
    .tuple(fc.uniqueArray(ids, { minLength: 1, maxLength: 5 }), walked)
    .chain(([named, loops]) => {
      const step = (id: string): fc.Arbitrary<Step> =>
        fc.oneof(
          own.map((fields) => action(id, fields)),
          own.map((fields) => approval(id, fields)),
          fc.tuple(own, fc.integer({ min: 1, max: 3 })).map(([fields, n]) => ralph(id, n, fields)),
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
