import schema from '../../schemas/template.schema.json' with { type: 'json' };
import {
  describeSchemaError,
  ID_RULE,
  schemaErrors,
  type SchemaError,
} from '../settings/schema-error.ts';
import { closestMatch } from '../text/closest-match.ts';
import { evaluate } from '../text/conditions.ts';
import { isObject, ownMember } from '../text/json.ts';
import {
  listed,
  type LineOf,
  type Path,
  type Problem,
} from '../text/problem.ts';
import { quoted } from '../text/sanitize.ts';
import { loopOf } from '../machine/position.ts';
import { referencesIn } from '../machine/status.ts';
import type { Step, Template } from '../machine/template-types.generated.ts';
import validate from '../machine/template-validator.generated.js';

export const isTemplate = (value: unknown): value is Template =>
  validate(value);

type Report = (path: Path, message: string) => void;

/** A `part` extends another template: it inherits all keys but those that identify its elements, and may refer to them. */
export function templateProblems(
  value: unknown,
  lineOf: LineOf,
  completeness: 'whole' | 'part',
): Problem[] {
  const problems: Problem[] = [];
  const report: Report = (path, message) => {
    problems.push({
      line: lineOf(path),
      message: inPart(elementAt(value, path).part, message),
    });
  };
  for (const error of schemaErrors(validate, value)) {
    if (completeness === 'part' && isInherited(error)) continue;
    const message = describe(error, elementAt(value, error.path));
    problems.push({ line: lineOf(error.path), message });
  }
  if (completeness === 'whole' && isTemplate(value))
    reportReferences(value, report);
  reportDuplicates(value, report);
  return problems;
}

/** Whether the template that this one extends may have the key that is missing. */
const isInherited = ({ keyword, path }: SchemaError): boolean =>
  keyword === 'required' && !NEVER_INHERITED.has(path.at(-1) ?? '');

const NEVER_INHERITED = new Set(['name', 'id', 'from', 'to']);

function describe(
  error: SchemaError,
  { part, properties, rest: [key, entry] }: Element,
): string {
  if (error.keyword === 'additionalProperties')
    return inPart(part, unknownKey(String(key), Object.keys(properties)));
  // `description:` without a value is null in YAML.
  const problem =
    error.value === null ? 'is empty' : describeSchemaError(error);
  const allowed = ownMember(ownMember(properties, String(key)), 'enum');
  const choice =
    error.keyword === 'required' && Array.isArray(allowed)
      ? `; it must be one of ${allowed.join(', ')}`
      : '';
  if (key === undefined)
    return `${part === '' ? 'the template' : part} ${problem}`;
  const field = `${entry === undefined ? '' : `entry ${Number(entry) + 1} of `}${quoted(String(key))}`;
  return inPart(part, `${field} ${problem}${choice}`);
}

function unknownKey(key: string, keys: string[]): string {
  if (key === '<<')
    return 'merge keys (<<) are not supported; use "extends", or repeat the lines';
  const near = closestMatch(key, keys);
  const available = keys.filter((name) => name !== '$schema').join(', ');
  return `unknown key ${quoted(key)}; ${near === undefined ? `available: ${available}` : `did you mean "${near}"?`}`;
}

/** A part of a template that has a name of its own, and the rest of a path inside it. */
interface Element {
  /** As messages name it; empty for the template itself. */
  part: string;
  properties: object;
  rest: Path;
}

function elementAt(template: unknown, path: Path): Element {
  const [section, first, second] = path;
  const { step, transition, agent, input, subStep, artifact } =
    schema.definitions;
  const element = (
    part: string,
    { properties }: { properties: object },
    at: number,
  ): Element => ({
    part,
    properties,
    rest: path.slice(at),
  });
  const name = quoted(String(first));
  /** Parts in a list are named by their id, or by their place if they have none. */
  const nameAt = (at: number): string => {
    const id = valueAt(template, [...path.slice(0, at), 'id']);
    return typeof id === 'string'
      ? quoted(id)
      : String(Number(path[at - 1]) + 1);
  };
  switch (first === undefined ? '' : section) {
    case 'steps':
      return element(`step ${nameAt(2)}`, step, 2);
    case 'transitions':
      return element(`transition ${nameAt(2)}`, transition, 2);
    case 'agents':
      return element(`agent ${name}`, agent, 2);
    case 'inputs':
      return element(`input ${name}`, input, 2);
    case 'loops':
      return second === undefined
        ? { part: `loop ${name}`, properties: {}, rest: [] }
        : element(`loop ${name}, sub-step ${nameAt(3)}`, subStep, 3);
    case 'critical_artifacts':
      return second === undefined
        ? element('critical_artifacts', schema.properties.critical_artifacts, 1)
        : element(`${String(first)}, artifact ${nameAt(3)}`, artifact, 3);
    default:
      return element('', schema, 0);
  }
}

const inPart = (part: string, message: string): string =>
  part === '' ? message : `${part}: ${message}`;

const valueAt = (value: unknown, path: Path): unknown =>
  path.map(String).reduce(ownMember, value);

/** What identifies an element of a list, also in the template that extends this one; empty if nothing does. */
export function keyOf(item: unknown): string {
  const { id, from, to } = isObject(item) ? item : {};
  // Transitions have no id: their ends name them.
  if (id === undefined)
    return from === undefined ? '' : JSON.stringify([from, to]);
  return JSON.stringify([id]);
}

/** What is there twice in one file: what `extends` brings together is meant to share ids. */
function reportDuplicates(template: unknown, report: Report): void {
  const lists = ['loops', 'critical_artifacts'].flatMap((section) =>
    Object.keys(valueAt(template, [section]) ?? {}).map((list) => [
      section,
      list,
    ]),
  );
  for (const list of [['steps'], ['transitions'], ...lists]) {
    const seen = new Set<string>();
    for (const [index, item] of listIn(valueAt(template, list)).entries()) {
      const key = keyOf(item);
      if (key !== '' && seen.has(key))
        report(
          // A transition has no id: then the line of its entry is told.
          [...list, index, 'id'],
          list[0] === 'transitions'
            ? 'the same "from" and "to" are there twice'
            : 'this id is there twice',
        );
      seen.add(key);
    }
  }
}

const TYPE_OF_KEY = [
  ['n', 'ralph'],
  ['until', 'ralph'],
  ['loop', 'loop'],
  ['on_reject', 'approval'],
] as const;
const SOURCES = ['path', 'path_from_state', 'command'];

/** What a schema cannot say: every name that is used is the name of something. */
function reportReferences(template: Template, report: Report): void {
  const {
    steps,
    loops = {},
    agents = {},
    inputs = {},
    transitions = [],
  } = template;
  const ids = steps.map(({ id }) => id);
  const requireKnown = (
    path: Path,
    noun: string,
    name: string | undefined,
    names: readonly string[],
    where = '',
  ): boolean => {
    if (name === undefined || names.includes(name)) return true;
    report(path, `${where}${unknownName(noun, name, names)}`);
    return false;
  };
  /** An input that is not declared, or an output of no step, is a slip of the pen. */
  const checkWork = (
    { agent, instructions = '' }: Partial<Step>,
    path: Path,
  ): void => {
    requireKnown([...path, 'agent'], 'agent', agent, Object.keys(agents));
    for (const { kind, key } of referencesIn(instructions)) {
      const where = `{${kind}.${key}}: `;
      const at = [...path, 'instructions'];
      if (kind === 'inputs')
        requireKnown(at, 'input', key, Object.keys(inputs), where);
      if (kind === 'outputs')
        requireKnown(at, 'step', key.split('.')[0], ids, where);
    }
  };
  const checkLoop = (step: Step, path: Path): void => {
    const names = Object.keys(loops);
    if (loopOf(template, step) !== undefined) return;
    if (!requireKnown([...path, 'loop'], 'loop', step.loop, names)) return;
    report(
      path,
      names.length === 0
        ? 'no loop is defined for it; give its sub-steps under "loops"'
        : `which loop it walks is not clear; "loop" must be one of ${listed(names)}`,
    );
  };
  const checkStep = (step: Step, path: Path): void => {
    const { id, type, on_reject: target, when } = step;
    if (id === '__proto__') report([...path, 'id'], 'this id cannot be used');
    for (const [key, owner] of TYPE_OF_KEY)
      if (type !== owner && step[key] !== undefined)
        report(
          [...path, key],
          `"${key}" means something for ${owner} steps only, and this one is of type ${type}`,
        );
    if (type === 'loop') checkLoop(step, path);
    // A rejected approval can only go back.
    const at = [...path, 'on_reject'];
    if (
      type === 'approval' &&
      requireKnown(at, 'step', target, ids, '"on_reject": ')
    )
      if (target !== undefined && ids.indexOf(target) >= ids.indexOf(id))
        report(
          at,
          `"on_reject" must name an earlier step, not ${quoted(target)}`,
        );
    const condition = when === undefined ? null : evaluate(when, {});
    if (condition?.kind === 'bad')
      report([...path, 'when'], `"when" is not a condition: ${condition.why}`);
    checkWork(step, path);
  };

  // Ids become keys of what runs store.
  for (const [section, named] of Object.entries({ agents, loops, inputs }))
    for (const id of Object.keys(named)) {
      if (!/^[\p{L}\p{N}_-]{1,100}$/u.test(id))
        report([section, id], `its id ${ID_RULE}`);
      if (id === '__proto__') report([section, id], 'this id cannot be used');
    }
  for (const [index, step] of steps.entries())
    checkStep(step, ['steps', index]);
  for (const [loop, subSteps] of Object.entries(loops))
    for (const [index, subStep] of subSteps.entries())
      checkWork(subStep, ['loops', loop, index]);
  for (const [index, transition] of transitions.entries())
    for (const end of ['from', 'to'] as const)
      requireKnown(
        ['transitions', index, end],
        'step',
        transition[end],
        ids,
        `"${end}": `,
      );
  for (const [list, artifacts] of Object.entries(
    template.critical_artifacts ?? {},
  ))
    for (const [index, artifact] of listIn(artifacts).entries()) {
      if (!isObject(artifact) || artifact['type'] === 'git_info') continue;
      if (!SOURCES.some((key) => Object.hasOwn(artifact, key)))
        report(
          ['critical_artifacts', list, index],
          `it needs one of ${SOURCES.join(', ')}`,
        );
    }
}

const listIn = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : [];

function unknownName(
  noun: string,
  name: string,
  names: readonly string[],
): string {
  const missing = `there is no ${noun} ${quoted(name)}`;
  const near = closestMatch(name, names);
  if (near !== undefined) return `${missing}; did you mean ${quoted(near)}?`;
  return names.length === 0
    ? `${missing}; none is defined under "${noun}s"`
    : `${missing}; there are: ${listed(names)}`;
}
