import { ID_RULE } from '../settings/settings.ts';
import { closestMatch } from '../text/closest-match.ts';
import { evaluate } from '../text/conditions.ts';
import { isObject, type JsonObject } from '../text/json.ts';
import { listed, quoted, type LineOf, type Path, type Problem } from '../text/problem.ts';
import { loopOf } from './machine/position.ts';
import { referencesIn } from './machine/status.ts';
import { elementAt, inPart, valueAt } from './schema-problems.ts';
import type { Step, Template } from './template-types.generated.ts';

const ARTICLES = { action: 'an', approval: 'an', loop: 'a', ralph: 'a' } as const;
const TYPE_OF_KEY = [
  ['n', 'ralph'],
  ['until', 'ralph'],
  ['loop', 'loop'],
  ['on_reject', 'approval'],
] as const;
const SOURCES = ['path', 'path_from_state', 'command'];

/** What a schema cannot say: every name that is used is the name of something, and only of one thing. */
export function referenceProblems(template: Template, lineOf: LineOf): Problem[] {
  const { steps, loops = {}, agents = {}, inputs = {}, transitions = [] } = template;
  const ids = steps.map(({ id }) => id);
  const problems: Problem[] = [];
  const report = (path: Path, message: string): void => {
    problems.push(problemAt(template, path, lineOf(path), message));
  };
  const requireKnown = (
    path: Path,
    noun: string,
    name: string | undefined,
    known: readonly string[],
    where = '',
  ): boolean => {
    if (name === undefined || known.includes(name)) return true;
    report(path, `${where}${unknownName(noun, name, known)}`);
    return false;
  };
  /** An input that is not declared, or an output of no step, is a slip of the pen. */
  const checkWork = ({ agent, instructions = '' }: Partial<Step>, path: Path): void => {
    requireKnown([...path, 'agent'], 'agent', agent, Object.keys(agents));
    for (const { kind, key } of referencesIn(instructions)) {
      const where = `{${kind}.${key}}: `;
      const at = [...path, 'instructions'];
      if (kind === 'inputs') requireKnown(at, 'input', key, Object.keys(inputs), where);
      if (kind === 'outputs') requireKnown(at, 'step', key.split('.')[0], ids, where);
    }
  };
  const checkLoop = (step: Step, path: Path): void => {
    const known = Object.keys(loops);
    if (loopOf(template, step) !== undefined) return;
    if (!requireKnown([...path, 'loop'], 'loop', step.loop, known)) return;
    report(
      path,
      known.length === 0
        ? 'no loop is defined for it; give its sub-steps under "loops"'
        : `which loop it walks is not clear; "loop" must be one of ${listed(known)}`,
    );
  };
  const checkStep = (step: Step, path: Path): void => {
    const { id, type, on_reject: target, when } = step;
    if (id === '__proto__') report([...path, 'id'], 'this id cannot be used');
    for (const [key, owner] of TYPE_OF_KEY)
      if (type !== owner && step[key] !== undefined)
        report(
          [...path, key],
          `"${key}" means something for ${owner} steps only, and this is ${ARTICLES[type]} ${type} step`,
        );
    if (type === 'loop') checkLoop(step, path);
    // A rejected approval can only go back.
    const at = [...path, 'on_reject'];
    if (type === 'approval' && requireKnown(at, 'step', target, ids, '"on_reject": '))
      if (target !== undefined && ids.indexOf(target) >= ids.indexOf(id))
        report(at, `"on_reject" must name an earlier step, not ${quoted(target)}`);
    const condition = when === undefined ? null : evaluate(when, {});
    if (condition?.kind === 'bad')
      report([...path, 'when'], `"when" is not a condition: ${condition.why}`);
    checkWork(step, path);
  };

  // Ids become keys of what runs store.
  for (const [section, named] of Object.entries({ agents, loops, inputs }))
    for (const id of Object.keys(named)) {
      if (!/^[\p{L}\p{N}_-]{1,100}$/u.test(id)) report([section, id], `its id ${ID_RULE}`);
      if (id === '__proto__') report([section, id], 'this id cannot be used');
    }
  for (const [index, step] of steps.entries()) checkStep(step, ['steps', index]);
  for (const [loop, subSteps] of Object.entries(loops))
    for (const [index, subStep] of subSteps.entries()) checkWork(subStep, ['loops', loop, index]);
  for (const [index, transition] of transitions.entries())
    for (const end of ['from', 'to'] as const)
      requireKnown(['transitions', index, end], 'step', transition[end], ids, `"${end}": `);
  for (const [list, artifacts] of Object.entries(template.critical_artifacts ?? {}))
    for (const [index, artifact] of listIn(artifacts).entries()) {
      if (!isObject(artifact) || artifact['type'] === 'git_info') continue;
      if (!SOURCES.some((key) => Object.hasOwn(artifact, key)))
        report(['critical_artifacts', list, index], `it needs one of ${SOURCES.join(', ')}`);
    }
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

/** What a step of its type cannot do without. */
export function incompleteSteps(template: JsonObject, lineOf: LineOf): Problem[] {
  return listIn(template['steps']).flatMap((step, index) => {
    const { type, instructions, n } = isObject(step) ? step : {};
    const path = ['steps', index];
    const problem = (message: string): Problem => problemAt(template, path, lineOf(path), message);
    return [
      ...((type === 'action' || type === 'ralph') && instructions === undefined
        ? [problem(`"instructions" is missing: ${ARTICLES[type]} ${type} step needs them`)]
        : []),
      ...(type === 'ralph' && n === undefined
        ? [problem('"n" is missing: a ralph step needs its number of iterations, 1 or more')]
        : []),
    ];
  });
}

function problemAt(template: unknown, path: Path, line: number, message: string): Problem {
  return { line, message: inPart(elementAt(template, path).part, message) };
}

function repeated(template: unknown, list: Path, keyOf: (item: JsonObject) => unknown): Path[] {
  const seen = new Set<unknown>();
  return listIn(valueAt(template, list)).flatMap((item, index) => {
    const key = isObject(item) ? keyOf(item) : undefined;
    const isRepeated = key !== undefined && seen.has(key);
    seen.add(key);
    return isRepeated ? [[...list, index]] : [];
  });
}

function listIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function unknownName(noun: string, name: string, known: readonly string[]): string {
  const missing = `there is no ${noun} ${quoted(name)}`;
  const near = closestMatch(name, known);
  if (near !== undefined) return `${missing}; did you mean ${quoted(near)}?`;
  return known.length === 0
    ? `${missing}; none is defined under "${noun}s"`
    : `${missing}; there are: ${listed(known)}`;
}
