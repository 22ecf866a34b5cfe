import { sanitizeLine, truncate } from '../../text/sanitize.ts';
import { loopsOf } from '../../templates/machine/loops.ts';
import type {
  Input,
  Step,
  SubStep,
  Template,
  Transition,
} from '../../templates/template-types.generated.ts';

const MAX_LINE = 120;

/** The steps of a template as a small tree, with everything that decides how a run moves. */
export function templateTree(template: Template, file: string): string {
  const { name, description, steps, inputs = {}, transitions = [] } = template;
  return [
    line(`${name}: ${description}`),
    line(file),
    '',
    ...section('Inputs', Object.entries(inputs).map(inputLine)),
    ...steps.flatMap((step, index) => stepLines(template, step, index, index === steps.length - 1)),
    ...(transitions.length === 0 ? [] : ['']),
    ...section('Transitions', transitions.map(transitionLine)),
  ]
    .join('\n')
    .trimEnd();
}

function section(title: string, lines: string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((text) => `  ${line(text)}`), ''];
}

function inputLine([name, { description, default: fallback, required }]: [string, Input]): string {
  const value =
    fallback === undefined
      ? required === true
        ? ' (required)'
        : ''
      : ` (default: ${String(fallback)})`;
  return `${name}${value}${description === undefined ? '' : `: ${description}`}`;
}

function transitionLine({ from, to, context, preserve }: Transition): string {
  const action = context === 'keep' ? 'keep the conversation' : `/${context}`;
  const carried = preserve === undefined ? '' : `, carrying over ${preserve.join(', ')}`;
  return `${from} → ${to}: ${action}${carried}`;
}

function stepLines(template: Template, step: Step, index: number, isLast: boolean): string[] {
  const below = isLast ? '   ' : '│  ';
  const subSteps = loopsOf(template).get(step.id)?.subSteps ?? [];
  return [
    line(`${isLast ? '└─' : '├─'} ${index + 1} ${titleOf(step)}${kindOf(step)}`),
    ...factsOf(step).map((fact) => line(`${below}   ${fact}`)),
    ...subSteps.flatMap((subStep, at) => subStepLines(subStep, below, at === subSteps.length - 1)),
  ];
}

function subStepLines(subStep: SubStep, indent: string, isLast: boolean): string[] {
  const facts = sharedFacts(subStep);
  return [
    line(
      `${indent}${isLast ? '└─' : '├─'} ${subStep.id}${facts.length === 0 ? '' : `, ${facts.join(', ')}`}`,
    ),
  ];
}

function titleOf({ id, title }: Step): string {
  return title === undefined ? id : `${id}: ${title}`;
}

function kindOf({ type, n }: Step): string {
  switch (type) {
    case 'action':
      return '';
    case 'ralph':
      return ` (ralph, up to ${n ?? 1} times)`;
    case 'loop':
      return ' (loop, for each task)';
    default:
      return ' (approval by the user)';
  }
}

function factsOf(step: Step): string[] {
  const { when, until, on_reject: target, artefacts } = step;
  return [
    ...(when === undefined ? [] : [`only when ${when}`]),
    ...(until === undefined ? [] : [`until: ${until}`]),
    ...(target === undefined ? [] : [`rejected: back to ${target}`]),
    ...(artefacts === true ? ['records the files that the session writes'] : []),
    ...(Array.isArray(artefacts) && artefacts.length > 0 ? [`leaves ${artefacts.join(', ')}`] : []),
    ...sharedFacts(step),
  ];
}

function sharedFacts({
  context,
  agent,
  gate,
  on_fail: onFail,
}: Pick<Step, 'context' | 'agent' | 'gate' | 'on_fail'>): string[] {
  return [
    ...(context === undefined ? [] : [`/${context} first`]),
    ...(agent === undefined ? [] : [`by ${agent}`]),
    ...(gate === undefined ? [] : [`gate: ${gate}`]),
    ...(onFail === undefined ? [] : [`on failure: ${onFail}`]),
  ];
}

/** Templates come from repositories; indentation is ours. */
function line(text: string): string {
  const indent = /^[│├└─ ]*/.exec(text)?.[0] ?? '';
  return truncate(`${indent}${sanitizeLine(text.slice(indent.length))}`, MAX_LINE);
}
