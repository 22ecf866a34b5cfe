import { sanitizeLine, truncate } from '../../text/sanitize.ts';
import { contextBefore } from '../../templates/machine/enter-step.ts';
import { loopsOf } from '../../templates/machine/position.ts';
import type { Step, SubStep, Template } from '../../templates/template-types.generated.ts';

const MAX_LINE = 120;

/** A small tree, with everything that decides how a run moves; `markOf` marks where each step of a run stands. */
export function templateTree(
  template: Template,
  file: string,
  markOf: (n: number) => string = () => '',
): string {
  const { name, description, steps, inputs = {}, transitions = [] } = template;
  const inputLines = Object.entries(inputs).map(([key, { default: value, required, ...input }]) => {
    const needed = required === true ? ' (required)' : '';
    const how = value === undefined ? needed : ` (default: ${String(value)})`;
    return `${key}${how}${input.description === undefined ? '' : `: ${input.description}`}`;
  });
  const transitionLines = transitions.map(({ from, to, context, preserve }) => {
    const action = context === 'keep' ? 'keep the conversation' : `/${context}`;
    const carried = preserve === undefined ? '' : `, carrying over ${preserve.join(', ')}`;
    return `${from} → ${to}: ${action}${carried}`;
  });
  return [
    `${name}: ${description}`,
    file,
    '',
    ...titled('Inputs', inputLines),
    ...steps.flatMap((step, index) => stepLines(template, step, index, markOf(index + 1))),
    ...titled('\nTransitions', transitionLines),
    ...boundaryLines(template),
  ]
    .map((text) => {
      // Templates come from repositories; indentation is ours.
      const indent = /^[│├└─ ]*/.exec(text)?.[0] ?? '';
      const line = `${indent}${sanitizeLine(text.slice(indent.length))}`;
      // A command that will be run is shown whole.
      return /(?:gate|until): /.test(line) ? line : truncate(line, MAX_LINE);
    })
    .join('\n')
    .trimEnd();
}

/** How often a run asks for /compact or /clear, as each costs time and tokens; fewer where steps are passed by. */
function boundaryLines(template: Template): string[] {
  let once = 0;
  const perTask: string[] = [];
  template.steps.forEach((step, index) => {
    const cameFrom = template.steps[index - 1]?.id;
    const count = (subStep?: SubStep, from?: string): number =>
      contextBefore(template, step, subStep, from) === undefined ? 0 : 1;
    const subSteps = loopsOf(template).get(step.id)?.subSteps ?? [];
    const each = subSteps.reduce((sum, subStep) => sum + count(subStep), 0);
    if (each > 0) perTask.push(`${each} for each task of ${step.id}`);
    once +=
      step.type === 'loop'
        ? Math.max(0, count(subSteps[0], cameFrom) - count(subSteps[0]))
        : count(undefined, cameFrom) + ((step.n ?? 1) - 1) * count();
  });
  const parts = [...(once > 0 ? [`up to ${once} in a run`] : []), ...perTask];
  if (parts.length === 0) return [];
  const text = `Boundaries (/compact or /clear): ${parts.join(', ')}`;
  return (template.transitions ?? []).length === 0 ? ['', text] : [text];
}

const titled = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [...title.split('\n'), ...lines.map((line) => `  ${line}`), ''];

function stepLines(template: Template, step: Step, index: number, mark: string): string[] {
  const isLast = index === template.steps.length - 1;
  const [branch, below] = isLast ? ['└─', '   '] : ['├─', '│  '];
  const { id, title, type, n = 1, when, until, on_reject: target, artefacts } = step;
  const kind = {
    action: '',
    ralph: ` (ralph, up to ${n} times)`,
    loop: ' (loop, for each task)',
    approval: ' (approval by the user)',
  }[type];
  const facts = [
    when !== undefined && `only when ${when}`,
    until !== undefined && `until: ${until}`,
    target !== undefined && `rejected: back to ${target}`,
    artefacts === true && 'records the files that the session writes',
    Array.isArray(artefacts) && artefacts.length > 0 && `leaves ${artefacts.join(', ')}`,
  ].filter((fact) => fact !== false);
  const subSteps = loopsOf(template).get(id)?.subSteps ?? [];
  return [
    `${branch} ${mark}${index + 1} ${id}${title === undefined ? '' : `: ${title}`}${kind}`,
    ...[...facts, ...sharedFacts(step)].map((fact) => `${below}   ${fact}`),
    ...subSteps.map((subStep, at) => {
      const words = [subStep.id, ...sharedFacts(subStep)].join(', ');
      return `${below}${at === subSteps.length - 1 ? '└─' : '├─'} ${words}`;
    }),
  ];
}

function sharedFacts(step: Pick<Step, 'context' | 'agent' | 'gate' | 'on_fail'>) {
  const { context, agent, gate, on_fail: onFail } = step;
  return [
    context !== undefined && `/${context} first`,
    agent !== undefined && `by ${agent}`,
    gate !== undefined && `gate: ${gate}`,
    onFail !== undefined && `on failure: ${onFail}`,
  ].filter((fact) => fact !== false);
}
