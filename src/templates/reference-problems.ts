import { isObject, type JsonObject } from '../text/json.ts';
import { evaluate } from '../text/conditions.ts';
import { loopOf } from './machine/loops.ts';
import { referencesIn } from './machine/placeholders.ts';
import { closestMatch } from '../text/closest-match.ts';
import { ID_RULE } from '../settings/describe-schema-error.ts';
import { listed, quoted, type LineOf, type Path, type Problem } from '../text/problem.ts';
import { elementAt, inPart, valueAt } from './schema-problems.ts';
import type { Step, Template } from './template-types.generated.ts';

type Report = (path: Path, message: string) => void;

/** What a schema cannot say: every name that is used is the name of something, and only of one thing. */
export function referenceProblems(template: Template, lineOf: LineOf): Problem[] {
  const problems: Problem[] = [];
  const report: Report = (path, message) => {
    problems.push(problemAt(template, path, lineOf(path), message));
  };
  checkNames(template, report);
  template.steps.forEach((step, index) => checkStep(template, step, ['steps', index], report));
  for (const [loop, subSteps] of Object.entries(template.loops ?? {})) {
    subSteps.forEach(({ agent, instructions }, index) => {
      const path = ['loops', loop, index];
      checkAgent(template, agent, [...path, 'agent'], report);
      checkPlaceholders(template, instructions, [...path, 'instructions'], report);
    });
  }
  checkTransitions(template, report);
  checkArtifacts(template, report);
  return problems;
}

/** Ids that are there twice in one file: what `extends` brings together is meant to share them. */
export function duplicateProblems(template: unknown, lineOf: LineOf): Problem[] {
  const lists: Path[] = [
    ['steps'],
    ...['loops', 'critical_artifacts'].flatMap((section) =>
      Object.keys(valueAt(template, [section]) ?? {}).map((list) => [section, list]),
    ),
  ];
  const ids = lists.flatMap((list) =>
    repeated(template, list, (item) => item['id']).map((path) =>
      problemAt(template, path, lineOf([...path, 'id']), 'this id is there twice'),
    ),
  );
  const ends = ({ from, to }: JsonObject): string => JSON.stringify([from, to]);
  const transitions = repeated(template, ['transitions'], ends).map((path) =>
    problemAt(template, path, lineOf(path), 'the same "from" and "to" are there twice'),
  );
  return [...ids, ...transitions];
}

function problemAt(template: unknown, path: Path, line: number, message: string): Problem {
  return { line, message: inPart(elementAt(template, path).part, message) };
}

function repeated(template: unknown, list: Path, keyOf: (item: JsonObject) => unknown): Path[] {
  const items = valueAt(template, list);
  const seen = new Set<unknown>();
  return (Array.isArray(items) ? items : []).flatMap((item: unknown, index) => {
    const key = isObject(item) ? keyOf(item) : undefined;
    const isRepeated = key !== undefined && seen.has(key);
    seen.add(key);
    return isRepeated ? [[...list, index]] : [];
  });
}

/** Ids become keys of what runs store. */
function checkNames(template: Template, report: Report): void {
  for (const section of ['agents', 'loops', 'inputs'] as const) {
    for (const id of Object.keys(template[section] ?? {})) {
      if (!/^[\p{L}\p{N}_-]{1,100}$/u.test(id)) report([section, id], `its id ${ID_RULE}`);
      if (id === '__proto__') report([section, id], 'this id cannot be used');
    }
  }
  template.steps.forEach(({ id }, index) => {
    if (id === '__proto__') report(['steps', index, 'id'], 'this id cannot be used');
  });
}

function checkStep(template: Template, step: Step, path: Path, report: Report): void {
  const { type, instructions, agent } = step;
  checkComplete(step, path, report);
  for (const [key, owner] of TYPE_OF_KEY) {
    if (type === owner || step[key] === undefined) continue;
    report(
      [...path, key],
      `"${key}" means something for ${owner} steps only, and this is ${ARTICLES[type]} ${type} step`,
    );
  }
  if (type === 'loop') checkLoop(template, step, path, report);
  if (type === 'approval') checkRejection(template, step, path, report);
  checkCondition(step, path, report);
  checkAgent(template, agent, [...path, 'agent'], report);
  checkPlaceholders(template, instructions, [...path, 'instructions'], report);
}

/** What a step of its type cannot do without. */
function checkComplete({ type, instructions, n }: StepLike, path: Path, report: Report): void {
  if ((type === 'action' || type === 'ralph') && instructions === undefined) {
    report(path, `"instructions" is missing: ${ARTICLES[type]} ${type} step needs them`);
  }
  if (type === 'ralph' && n === undefined)
    report(path, '"n" is missing: a ralph step needs its number of iterations, 1 or more');
}

const ARTICLES = { action: 'an', approval: 'an', loop: 'a', ralph: 'a' } as const;

interface StepLike {
  type?: unknown;
  instructions?: unknown;
  n?: unknown;
}

/** For a template that the schema rejects: its steps may lack more than that. */
export function incompleteSteps(template: JsonObject, lineOf: LineOf): Problem[] {
  const problems: Problem[] = [];
  const { steps } = template;
  (Array.isArray(steps) ? steps : []).forEach((step: unknown, index) => {
    if (!isObject(step)) return;
    const { type, instructions, n } = step;
    checkComplete({ type, instructions, n }, ['steps', index], (path, message) => {
      problems.push(problemAt(template, path, lineOf(path), message));
    });
  });
  return problems;
}

const TYPE_OF_KEY = [
  ['n', 'ralph'],
  ['until', 'ralph'],
  ['loop', 'loop'],
  ['on_reject', 'approval'],
] as const;

/** A rejected approval can only go back. */
function checkRejection(template: Template, step: Step, path: Path, report: Report): void {
  const { on_reject: target } = step;
  if (target === undefined) return;
  const ids = template.steps.map(({ id }) => id);
  if (!ids.includes(target)) {
    report([...path, 'on_reject'], `"on_reject": ${unknownName('step', target, ids)}`);
  } else if (ids.indexOf(target) >= ids.indexOf(step.id)) {
    report([...path, 'on_reject'], `"on_reject" must name an earlier step, not ${quoted(target)}`);
  }
}

function checkCondition({ when }: Step, path: Path, report: Report): void {
  if (when === undefined) return;
  const result = evaluate(when, {});
  if (result.kind === 'bad') report([...path, 'when'], `"when" is not a condition: ${result.why}`);
}

/** An input that is not declared, or an output of no step, is a slip of the pen. */
function checkPlaceholders(
  template: Template,
  text: string | undefined,
  path: Path,
  report: Report,
): void {
  const inputs = Object.keys(template.inputs ?? {});
  const ids = template.steps.map(({ id }) => id);
  for (const { kind, key } of referencesIn(text ?? '')) {
    if (kind === 'inputs' && !inputs.includes(key)) {
      report(path, `{inputs.${key}}: ${unknownName('input', key, inputs)}`);
    }
    const [step = ''] = key.split('.');
    if (kind === 'outputs' && !ids.includes(step)) {
      report(path, `{outputs.${key}}: ${unknownName('step', step, ids)}`);
    }
  }
}

function checkLoop(template: Template, step: Step, path: Path, report: Report): void {
  if (loopOf(template, step) !== undefined) return;
  const loops = Object.keys(template.loops ?? {});
  if (step.loop !== undefined) {
    report([...path, 'loop'], unknownName('loop', step.loop, loops));
  } else if (loops.length === 0) {
    report(path, 'no loop is defined for it; give its sub-steps under "loops"');
  } else {
    report(path, `which loop it walks is not clear; "loop" must be one of ${listed(loops)}`);
  }
}

function checkAgent(
  template: Template,
  agent: string | undefined,
  path: Path,
  report: Report,
): void {
  const agents = template.agents ?? {};
  if (agent === undefined || Object.hasOwn(agents, agent)) return;
  report(path, unknownName('agent', agent, Object.keys(agents)));
}

function checkTransitions(template: Template, report: Report): void {
  const ids = template.steps.map(({ id }) => id);
  template.transitions?.forEach((transition, index) => {
    for (const end of ['from', 'to'] as const) {
      const id = transition[end];
      if (!ids.includes(id))
        report(['transitions', index, end], `"${end}": ${unknownName('step', id, ids)}`);
    }
  });
}

const SOURCES = ['path', 'path_from_state', 'command'];

function checkArtifacts(template: Template, report: Report): void {
  for (const [list, artifacts] of Object.entries(template.critical_artifacts ?? {})) {
    (Array.isArray(artifacts) ? artifacts : []).forEach((artifact: unknown, index) => {
      if (!isObject(artifact) || artifact['type'] === 'git_info') return;
      if (SOURCES.some((key) => Object.hasOwn(artifact, key))) return;
      report(['critical_artifacts', list, index], `it needs one of ${SOURCES.join(', ')}`);
    });
  }
}

function unknownName(noun: string, name: string, known: string[]): string {
  const missing = `there is no ${noun} ${quoted(name)}`;
  const near = closestMatch(name, known);
  if (near !== undefined) return `${missing}; did you mean ${quoted(near)}?`;
  return known.length === 0
    ? `${missing}; none is defined under "${noun}s"`
    : `${missing}; there are: ${listed(known)}`;
}
