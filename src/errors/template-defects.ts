import type { ConditionError } from '../util/conditions.ts';
import { listed, quoted } from '../util/problem.ts';
import { unreachable } from '../util/unreachable.ts';
import { describeConditionError } from './conditions.ts';
import type { Refusal } from './refusal.ts';
import { describeSchemaError, ID_RULE, type SchemaError } from './schema-errors.ts';

/** What is wrong with a template. */
export type TemplateDefect =
  | { kind: 'not_a_mapping' }
  | { kind: 'no_parent'; name: string; why: NoParent }
  | { kind: 'circular_extends'; files: string[] }
  | { kind: 'too_many_ancestors'; max: number; files: string[] }
  | { kind: 'namesake'; path: string }
  | { kind: 'part'; part: TemplatePart; defect: PartDefect };

/** Why the template that `extends` names cannot be used. */
export type NoParent =
  | { kind: 'no_such_file' }
  | { kind: 'refused'; why: Refusal }
  | { kind: 'several'; paths: string[] }
  | { kind: 'unknown'; near: string | null; known: string[] };

/** A part of a template. Those in a list are named by their id, or by their place if they have none. */
export type TemplatePart =
  | { kind: 'template' | 'critical_artifacts' }
  | { kind: 'step' | 'transition'; name: PartName }
  | { kind: 'agent' | 'input' | 'loop'; name: string }
  | { kind: 'sub_step'; loop: string; name: PartName }
  | { kind: 'artifact'; list: string; name: PartName };

export type PartName = { id: string } | { place: number };

type StepType = 'action' | 'loop' | 'ralph' | 'approval';

export type PartDefect =
  | { kind: 'merge_key' }
  | { kind: 'unknown_key'; key: string; near: string | null; known: string[] }
  /** `field` is null if the part itself does not fit. */
  | { kind: 'value'; field: PartField | null; problem: ValueProblem }
  | { kind: 'duplicate_id' | 'duplicate_transition' | 'bad_id' | 'reserved_id' }
  | { kind: 'no_instructions'; type: StepType }
  | { kind: 'no_iterations' | 'no_loops' }
  | { kind: 'key_of_other_type'; key: string; owner: StepType; type: StepType }
  | { kind: 'later_on_reject'; step: string }
  | { kind: 'bad_condition'; why: ConditionError }
  | { kind: 'unclear_loop'; loops: string[] }
  | { kind: 'no_artifact_source'; keys: readonly string[] }
  | ({ kind: 'unknown_name'; usedIn: NameUse | null } & UnknownName);

export interface PartField {
  key: string;
  /** The place in the list that the key holds; null if the whole value does not fit. */
  entry: number | null;
}

export type ValueProblem =
  | { kind: 'missing' | 'empty' }
  | { kind: 'missing_type'; types: string[] }
  | { kind: 'not_in_range'; min: number; max: number }
  | { kind: 'schema'; error: SchemaError };

/** A key whose value is the name, or a placeholder in instructions. */
export type NameUse = { key: 'on_reject' | 'from' | 'to' } | { placeholder: string };

export interface UnknownName {
  noun: 'step' | 'input' | 'loop' | 'agent';
  name: string;
  near: string | null;
  known: string[];
}

export function describeTemplateDefect(defect: TemplateDefect): string {
  switch (defect.kind) {
    case 'not_a_mapping':
      return 'a template is a mapping with name, description and steps';
    case 'no_parent':
      return `"extends" names ${quoted(defect.name)}: ${describeNoParent(defect.why)}`;
    case 'circular_extends':
      return `"extends" goes in a circle: ${listed(defect.files)}`;
    case 'too_many_ancestors':
      return `"extends" leads through more than ${defect.max} templates: ${listed(defect.files)}`;
    case 'namesake':
      return `${defect.path} goes by the same name, so neither is found by it: rename one`;
    case 'part':
      return describePartDefect(describePart(defect.part), defect.defect);
    default:
      return unreachable(defect);
  }
}

function describeNoParent(why: NoParent): string {
  switch (why.kind) {
    case 'no_such_file':
      return 'there is no such file in the project';
    case 'refused':
      return `it cannot be read: ${why.why}`;
    case 'several':
      return `several have that name: ${listed(why.paths)}`;
    case 'unknown':
      return why.near === null
        ? `there is no such template here; there are: ${listed(why.known)}`
        : `there is no such template here; did you mean ${why.near}?`;
    default:
      return unreachable(why);
  }
}

/** Empty for the template itself. */
function describePart(part: TemplatePart): string {
  switch (part.kind) {
    case 'template':
      return '';
    case 'critical_artifacts':
      return 'critical_artifacts';
    case 'step':
    case 'transition':
      return `${part.kind} ${describeName(part.name)}`;
    case 'agent':
    case 'input':
    case 'loop':
      return `${part.kind} ${quoted(part.name)}`;
    case 'sub_step':
      return `loop ${quoted(part.loop)}, sub-step ${describeName(part.name)}`;
    case 'artifact':
      return `${part.list}, artifact ${describeName(part.name)}`;
    default:
      return unreachable(part);
  }
}

function describeName(name: PartName): string {
  return 'id' in name ? quoted(name.id) : String(name.place);
}

function describePartDefect(part: string, defect: PartDefect): string {
  if (defect.kind === 'value' && defect.field === null) {
    return `${part === '' ? 'the template' : part} ${describeValueProblem(defect.problem)}`;
  }
  return `${part === '' ? '' : `${part}: `}${withinPart(defect)}`;
}

function withinPart(defect: PartDefect): string {
  switch (defect.kind) {
    case 'merge_key':
      return 'merge keys (<<) are not supported; use "extends", or repeat the lines';
    case 'unknown_key':
      return defect.near === null
        ? `unknown key ${quoted(defect.key)}; available: ${defect.known.join(', ')}`
        : `unknown key ${quoted(defect.key)}; did you mean "${defect.near}"?`;
    case 'value':
      return `${describeField(defect.field)}${describeValueProblem(defect.problem)}`;
    case 'duplicate_id':
      return 'this id is there twice';
    case 'duplicate_transition':
      return 'the same "from" and "to" are there twice';
    case 'bad_id':
      return `its id ${ID_RULE}`;
    case 'reserved_id':
      return 'this id cannot be used';
    case 'no_instructions':
      return `"instructions" is missing: ${withArticle(defect.type)} step needs them`;
    case 'no_iterations':
      return '"n" is missing: a ralph step needs its number of iterations, 1 or more';
    case 'no_loops':
      return 'no loop is defined for it; give its sub-steps under "loops"';
    case 'key_of_other_type':
      return `"${defect.key}" means something for ${defect.owner} steps only, and this is ${withArticle(defect.type)} step`;
    case 'later_on_reject':
      return `"on_reject" must name an earlier step, not ${quoted(defect.step)}`;
    case 'bad_condition':
      return `"when" is not a condition: ${describeConditionError(defect.why)}`;
    case 'unclear_loop':
      return `which loop it walks is not clear; "loop" must be one of ${listed(defect.loops)}`;
    case 'no_artifact_source':
      return `it needs one of ${defect.keys.join(', ')}`;
    case 'unknown_name':
      return describeUse(defect.usedIn) + describeUnknownName(defect);
    default:
      return unreachable(defect);
  }
}

function describeField(field: PartField | null): string {
  if (field === null) return '';
  return field.entry === null
    ? `${quoted(field.key)} `
    : `entry ${field.entry} of ${quoted(field.key)} `;
}

function describeValueProblem(problem: ValueProblem): string {
  switch (problem.kind) {
    case 'missing':
      return 'is missing';
    case 'missing_type':
      return `is missing; it must be one of ${problem.types.join(', ')}`;
    case 'empty':
      return 'is empty';
    case 'not_in_range':
      return `must be a whole number from ${problem.min} to ${problem.max}`;
    case 'schema':
      return describeSchemaError(problem.error);
    default:
      return unreachable(problem);
  }
}

function describeUse(use: NameUse | null): string {
  if (use === null) return '';
  return 'key' in use ? `"${use.key}": ` : `{${use.placeholder}}: `;
}

function describeUnknownName({ noun, name, near, known }: UnknownName): string {
  const missing = `there is no ${noun} ${quoted(name)}`;
  if (near !== null) return `${missing}; did you mean ${quoted(near)}?`;
  return known.length === 0
    ? `${missing}; none is defined under "${noun}s"`
    : `${missing}; there are: ${listed(known)}`;
}

function withArticle(type: StepType): string {
  return type === 'action' || type === 'approval' ? `an ${type}` : `a ${type}`;
}
