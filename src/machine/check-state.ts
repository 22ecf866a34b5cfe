import { schemaErrors, TYPES } from '../settings/schema-error.ts';
import { isObject } from '../text/json.ts';
import { quoted } from '../text/sanitize.ts';
import type { MachineState, Parts } from './machine-types.generated.ts';
import validate from './machine-validator.generated.js';
import { broken, BrokenRunError, placeOf, stepOf } from './position.ts';
import type { Template } from './template-types.generated.ts';

/** The copy of a template in a state file, which somebody may have edited; a failure names what is wrong in it. */
export function checkedSnapshot(value: unknown): Template {
  requireFitting('template', value);
  requireDistinctIds(value.steps, 'template.steps');
  requirePlainIds(value);
  return value;
}

/** Ids are words of commands that holdfast proposes. That of a template was checked, its copy anybody may have written. */
function requirePlainIds({ steps, loops = {} }: Template): void {
  for (const [index, { id }] of steps.entries())
    requirePlainId(id, `template.steps[${index}].id`);
  for (const [loop, subSteps] of Object.entries(loops)) {
    requirePlainId(loop, 'each name in template.loops');
    for (const { id } of subSteps)
      requirePlainId(id, `each id in template.loops.${loop}`);
  }
}

function requirePlainId(id: string, field: string): void {
  // The second pattern has letters of all scripts and takes a hook longer to compile.
  const isPlain =
    /^[\w-]{1,100}$/.test(id) || /^[\p{L}\p{N}_-]{1,100}$/u.test(id);
  if (!isPlain)
    throw new BrokenRunError(
      field,
      'letters, digits, - and _, at most 100 of them',
    );
}

/** A state that somebody may have edited, or that belongs to an older template; a failure names what is wrong in it. */
export function checkedState(template: Template, value: unknown): MachineState {
  const state = withArtefactsByStep(value);
  requireFitting('machine', state);
  stepOf(template, state);
  const place = placeOf(template, state);
  const current = place?.kind === 'task' ? place : null;
  if (place !== null && current === null && state.task !== undefined)
    throw broken('task', 'absent, as this step has no tasks');
  if (current !== null && state.task?.id !== current.task.id)
    throw broken(
      'task.id',
      `${quoted(current.task.id)}, the id of the task at that index`,
    );
  for (const [key, list] of Object.entries(state.tasks))
    requireDistinctIds(list, `machine.tasks.${key}`);
  // The state of another program says only whether the action was executed; which one it is, the template says.
  const context = current?.subStep.context ?? place?.step.context;
  const isKnown = (state.contextAction ?? state.cameFrom) !== undefined;
  return isKnown || context === undefined || place?.kind === 'waiting'
    ? state
    : { ...state, contextAction: { command: `/${context}` } };
}

/** A plain list of artefacts counts as the current step's. Whether a step records what is written, its template says. */
function withArtefactsByStep(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { currentStepArtefacts: current, ...rest } = value;
  const { step, artefacts } = value;
  const kept = typeof current === 'boolean' ? rest : value;
  if (!Array.isArray(artefacts)) return kept;
  const isAttributable = typeof step === 'string' && artefacts.length > 0;
  return { ...kept, artefacts: isAttributable ? { [step]: artefacts } : {} };
}

function requireDistinctIds(
  list: readonly { id: string }[],
  field: string,
): void {
  if (new Set(list.map(({ id }) => id)).size < list.length)
    throw new BrokenRunError(field, 'a list without an id that is there twice');
}

/** A failure names the field by its path, such as `template.steps[2].id`. Keys that are not listed may have any value. */
function requireFitting(
  part: 'template',
  value: unknown,
): asserts value is Template;
function requireFitting(
  part: 'machine',
  value: unknown,
): asserts value is MachineState;
function requireFitting(part: keyof Parts, value: unknown): void {
  // The validator takes a part that is undefined for one that is left out.
  const [error] = schemaErrors(validate, { [part]: value ?? null });
  if (error === undefined) return;
  const { path, keyword, expected } = error;
  // `template.steps.0.id` → `template.steps[0].id`
  const field = path.join('.').replace(/\.(\d+)(?=\.|$)/g, '[$1]');
  throw new BrokenRunError(field, requirement(keyword, expected));
}

/** What the value must be, in words that follow "must be", by the keyword of the schema that it breaks. */
function requirement(keyword: string, expected: unknown): string {
  switch (keyword) {
    case 'required':
      return 'present';
    case 'enum':
      return `one of ${[expected].flat().join(', ')}`;
    case 'minimum':
      return `at least ${String(expected)}`;
    case 'maximum':
      return `at most ${String(expected)}`;
    default:
      return TYPES[String(expected)] ?? 'valid';
  }
}
