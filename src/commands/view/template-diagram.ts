import { sanitizeLine, truncate } from '../../text/sanitize.ts';
import { contextBefore } from '../../templates/machine/context-action.ts';
import { loopsOf } from '../../templates/machine/loops.ts';
import type { Step, Template } from '../../templates/template-types.generated.ts';

const MAX_LABEL = 80;

/** The steps of a template as a Mermaid flowchart. Dotted arrows are ways that only some runs take. */
export function templateDiagram(template: Template): string {
  const { steps } = template;
  return [
    'flowchart TD',
    '  start([start])',
    ...steps.flatMap((step, index) => nodeLines(template, step, index)),
    '  done([done])',
    ...steps.flatMap((step, index) => arrowLines(template, step, index)),
    `  ${nodeOf(steps.length - 1)} --> done`,
  ].join('\n');
}

function nodeLines(template: Template, step: Step, index: number): string[] {
  const node = nodeOf(index);
  const label = labelOf(step);
  if (step.type === 'approval') return [`  ${node}{{"${label}"}}`];
  if (step.type === 'action') return [`  ${node}["${label}"]`];
  if (step.type === 'ralph') return [`  ${node}["${label}"]`, `  ${node} -->|again| ${node}`];
  const subSteps = loopsOf(template).get(step.id)?.subSteps ?? [];
  const names = subSteps.map((_, at) => `${node}_${at}`);
  return [
    `  subgraph ${node}["${label}"]`,
    ...subSteps.map(({ id }, at) => `    ${names[at] ?? ''}["${escaped(id)}"]`),
    ...(names.length > 1 ? [`    ${names.join(' --> ')}`] : []),
    '  end',
  ];
}

function arrowLines({ steps, ...template }: Template, step: Step, index: number): string[] {
  const previous = steps[index - 1];
  const from = index === 0 ? 'start' : nodeOf(index - 1);
  const context = contextBefore({ ...template, steps }, step, undefined, previous?.id);
  const next = index === steps.length - 1 ? 'done' : nodeOf(index + 1);
  const rejected = steps.findIndex(({ id }) => id === step.on_reject);
  const target = rejected < 0 ? index - 1 : rejected;
  return [
    `  ${from} -->${context === undefined ? '' : `|"/${context}"|`} ${nodeOf(index)}`,
    ...(step.when === undefined ? [] : [`  ${from} -.->|"not ${escaped(step.when)}"| ${next}`]),
    ...(step.type === 'approval' && target >= 0
      ? [`  ${nodeOf(index)} -.->|rejected| ${nodeOf(target)}`]
      : []),
  ];
}

function labelOf({ id, title, type, n, until, gate }: Step): string {
  const parts = [
    title ?? id,
    ...(type === 'ralph' ? [`up to ${n ?? 1} times`] : []),
    ...(type === 'loop' ? ['for each task'] : []),
    ...(type === 'approval' ? ['approval by the user'] : []),
    ...(until === undefined ? [] : [`until: ${until}`]),
    ...(gate === undefined ? [] : [`gate: ${gate}`]),
  ];
  return parts.map(escaped).join('<br/>');
}

function nodeOf(index: number): string {
  return `s${index + 1}`;
}

/** Mermaid reads `#…;` as a character and ends a label at a quote. */
function escaped(text: string): string {
  return truncate(sanitizeLine(text), MAX_LABEL).replace(
    /[^\p{L}\p{N} .,:_/=!?()-]/gu,
    (character) => `#${character.codePointAt(0) ?? 0};`,
  );
}
