import { contextBefore } from '../../machine/context-action.ts';
import { loopsOf } from '../../machine/position.ts';
import type {
  Step,
  SubStep,
  Template,
} from '../../machine/template-types.generated.ts';
import { asWord, sanitizeLine, truncate } from '../../text/sanitize.ts';

const MAX_LINE_CHARS = 120;

/** The lines that hold a command: what will be run is shown whole. */
const COMMAND_LINE = /(?:gate|until): /;

/** A small tree, with everything that decides how a run moves; `markOf` marks where each step of a run stands. */
export function templateTree(
  template: Template,
  file: string,
  markOf: (n: number) => string = () => '',
): string {
  const { name, description, steps } = template;
  const lines = [
    `${asWord(name)}: ${asWord(description, MAX_LINE_CHARS)}`,
    asWord(file),
    '',
    ...titled('Inputs', inputLines(template)),
    ...steps.flatMap((step, index) =>
      stepLines(template, step, index, markOf(index + 1)),
    ),
    ...titled('\nTransitions', transitionLines(template)),
    ...boundaryLines(template),
  ];
  return lines.map(safeLine).join('\n').trimEnd();
}

/** Templates come from repositories; only the indentation is ours. */
function safeLine(text: string): string {
  const indent = /^[│├└─ ]*/.exec(text)?.[0] ?? '';
  const line = `${indent}${sanitizeLine(text.slice(indent.length))}`;
  return COMMAND_LINE.test(line) ? line : truncate(line, MAX_LINE_CHARS);
}

/** Nothing without lines. A title that begins with a line break gets an empty line before it. */
function titled(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  return [...title.split('\n'), ...lines.map((line) => `  ${line}`), ''];
}

function inputLines({ inputs = {} }: Template): string[] {
  return Object.entries(inputs).map(([key, input]) => {
    const { default: value, required, description } = input;
    let line = key;
    if (value !== undefined) line += ` (default: ${String(value)})`;
    else if (required === true) line += ' (required)';
    return description === undefined ? line : `${line}: ${description}`;
  });
}

function transitionLines({ transitions = [] }: Template): string[] {
  return transitions.map(({ from, to, context, preserve }) => {
    const action = context === 'keep' ? 'keep the conversation' : `/${context}`;
    const line = `${from} → ${to}: ${action}`;
    if (preserve === undefined) return line;
    const names = preserve.map((key) => asWord(key)).join(', ');
    return `${line}, carrying over ${names}`;
  });
}

const KINDS: Readonly<Record<Step['type'], (step: Step) => string>> = {
  action: () => '',
  ralph: ({ n = 1 }) => ` (ralph, up to ${n} times)`,
  loop: () => ' (loop, for each task)',
  approval: () => ' (approval by the user)',
};

function stepLines(
  template: Template,
  step: Step,
  index: number,
  mark: string,
): string[] {
  const { id, title, type } = step;
  const isLast = index === template.steps.length - 1;
  const branch = isLast ? '└─' : '├─';
  const below = isLast ? '   ' : '│  ';
  const name = title === undefined ? id : `${id}: ${title}`;
  const lines = [`${branch} ${mark}${index + 1} ${name}${KINDS[type](step)}`];

  for (const fact of [...factsOfStep(step), ...sharedFacts(step)])
    lines.push(`${below}   ${fact}`);
  const subSteps = loopsOf(template).get(id)?.subSteps ?? [];
  for (const [at, subStep] of subSteps.entries()) {
    const subBranch = at === subSteps.length - 1 ? '└─' : '├─';
    const words = [subStep.id, ...sharedFacts(subStep)].join(', ');
    lines.push(`${below}${subBranch} ${words}`);
  }
  return lines;
}

/** What only steps may have, in words for the person who reads the tree; for the rest see `sharedFacts`. */
function factsOfStep({ when, until, on_reject, artefacts }: Step): string[] {
  const facts: string[] = [];
  if (when !== undefined) facts.push(`only when ${when}`);
  if (until !== undefined) facts.push(`until: ${until}`);
  if (on_reject !== undefined) facts.push(`rejected: back to ${on_reject}`);
  if (artefacts === true)
    facts.push('records the files that the session writes');
  if (Array.isArray(artefacts) && artefacts.length > 0)
    facts.push(`leaves ${artefacts.map((path) => asWord(path)).join(', ')}`);
  return facts;
}

/** What steps and the sub-steps of loops may both have. */
function sharedFacts(
  step: Pick<Step, 'context' | 'agent' | 'gate' | 'on_fail'>,
): string[] {
  const { context, agent, gate, on_fail } = step;
  const facts: string[] = [];
  if (context !== undefined) facts.push(`/${context} first`);
  if (agent !== undefined) facts.push(`by ${agent}`);
  if (gate !== undefined) facts.push(`gate: ${gate}`);
  if (on_fail !== undefined) facts.push(`on failure: ${on_fail}`);
  return facts;
}

/** How often a run asks for /compact or /clear, as each costs time and tokens; fewer where steps are passed by. */
function boundaryLines(template: Template): string[] {
  const parts: string[] = [];
  const once = boundariesOnce(template);
  if (once > 0) parts.push(`up to ${once} in a run`);
  for (const step of template.steps) {
    const count = boundariesPerTask(template, step);
    if (count > 0) parts.push(`${count} for each task of ${step.id}`);
  }
  if (parts.length === 0) return [];
  const text = `Boundaries (/compact or /clear): ${parts.join(', ')}`;
  const hasTransitions = (template.transitions ?? []).length > 0;
  return hasTransitions ? [text] : ['', text];
}

/** The context actions of a run, without those before each task of its loops. */
function boundariesOnce(template: Template): number {
  let once = 0;
  for (const [index, step] of template.steps.entries()) {
    const from = template.steps[index - 1]?.id;
    if (step.type === 'loop') {
      const [first] = loopsOf(template).get(step.id)?.subSteps ?? [];
      const atEntry = hasBoundary(template, step, first, from);
      // Counted with the tasks.
      const atEachTask = hasBoundary(template, step, first, undefined);
      if (atEntry && !atEachTask) once += 1;
      continue;
    }
    if (hasBoundary(template, step, undefined, from)) once += 1;
    // A repeated step begins anew with each iteration.
    const furtherIterations = (step.n ?? 1) - 1;
    if (hasBoundary(template, step, undefined, undefined))
      once += furtherIterations;
  }
  return once;
}

/** The context actions before the sub-steps of a loop; 0 for any other step. */
function boundariesPerTask(template: Template, step: Step): number {
  const subSteps = loopsOf(template).get(step.id)?.subSteps ?? [];
  const bounded = subSteps.filter((subStep) =>
    hasBoundary(template, step, subStep, undefined),
  );
  return bounded.length;
}

/** `from` is the step that the run comes from; undefined within a step. */
function hasBoundary(
  template: Template,
  step: Step,
  subStep: SubStep | undefined,
  from: string | undefined,
): boolean {
  return (
    contextBefore(template, { step, subStep, cameFrom: from }) !== undefined
  );
}
