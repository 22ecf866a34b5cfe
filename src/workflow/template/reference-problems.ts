import { isObject, type JsonObject } from '../../util/json.ts';
import { loopOf } from '../machine/loop-of.ts';
import { closestMatch } from '../../util/closest-match.ts';
import { listed, quoted, type LineOf, type Path, type Problem } from '../../util/problem.ts';
import { elementAt, valueAt } from './elements.ts';
import { ID_RULE } from '../../errors/schema-errors.ts';
import type { Step, Template } from './template-types.generated.ts';

type Report = (path: Path, what: string) => void;

/** What a schema cannot say: every name that is used is the name of something, and only of one thing. */
export function referenceProblems(template: Template, lineOf: LineOf): Problem[] {
  const problems: Problem[] = [];
  const report: Report = (path, what) => {
    const { words } = elementAt(template, path);
    problems.push({ line: lineOf(path), message: words === '' ? what : `${words}: ${what}` });
  };
  checkNames(template, report);
  template.steps.forEach((step, index) => checkStep(template, step, ['steps', index], report));
  for (const [loop, subSteps] of Object.entries(template.loops ?? {})) {
    subSteps.forEach(({ agent }, index) => {
      checkAgent(template, agent, ['loops', loop, index, 'agent'], report);
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
    ...['loops', 'critical_artifacts'].flatMap((room) =>
      Object.keys(valueAt(template, [room]) ?? {}).map((list) => [room, list]),
    ),
  ];
  const ids = lists.flatMap((list) =>
    repeated(template, list, (item) => item['id']).map((path) => ({
      line: lineOf([...path, 'id']),
      message: `${elementAt(template, path).words}: this id is there twice`,
    })),
  );
  const ends = ({ from, to }: JsonObject): string => JSON.stringify([from, to]);
  const transitions = repeated(template, ['transitions'], ends).map((path) => ({
    line: lineOf(path),
    message: `${elementAt(template, path).words}: the same "from" and "to" are there twice`,
  }));
  return [...ids, ...transitions];
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
  for (const room of ['agents', 'loops'] as const) {
    for (const id of Object.keys(template[room] ?? {})) {
      if (!/^[\p{L}\p{N}_-]{1,100}$/u.test(id)) report([room, id], `its id ${ID_RULE}`);
      if (id === '__proto__') report([room, id], 'this id cannot be used');
    }
  }
  template.steps.forEach(({ id }, index) => {
    if (id === '__proto__') report(['steps', index, 'id'], 'this id cannot be used');
  });
}

function checkStep(template: Template, step: Step, path: Path, report: Report): void {
  const { type, instructions, n, loop, agent } = step;
  if (type !== 'loop' && instructions === undefined) {
    report(path, `"instructions" is missing: ${article(type)} step needs them`);
  }
  if (type === 'ralph' && n === undefined) {
    report(path, '"n" is missing: a ralph step needs its number of iterations, 1 or more');
  }
  if (type !== 'ralph' && n !== undefined) {
    report(
      [...path, 'n'],
      `"n" means something for ralph steps only, and this is ${article(type)} step`,
    );
  }
  if (type !== 'loop' && loop !== undefined) {
    report(
      [...path, 'loop'],
      `"loop" means something for loop steps only, and this is ${article(type)} step`,
    );
  }
  if (type === 'loop') checkLoop(template, step, path, report);
  checkAgent(template, agent, [...path, 'agent'], report);
}

function article(type: Step['type']): string {
  return type === 'action' ? 'an action' : `a ${type}`;
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

function unknownName(noun: string, name: string, names: string[]): string {
  const meant = closestMatch(name, names);
  if (meant !== undefined)
    return `there is no ${noun} ${quoted(name)}; did you mean ${quoted(meant)}?`;
  return names.length === 0
    ? `there is no ${noun} ${quoted(name)}; none is defined under "${noun}s"`
    : `there is no ${noun} ${quoted(name)}; there are: ${listed(names)}`;
}
