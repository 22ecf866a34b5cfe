import { shellQuote } from '../../util/shell-quote.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import { pluralize } from '../../util/relative-time.ts';
import { listTemplates, type ListedTemplate } from '../../workflow/template/find-template.ts';
import { gatesOf } from '../../workflow/machine/gates.ts';
import { describeProblem, type DescribedProblem } from '../../errors/problems.ts';
import { isTrusted } from '../../workflow/gates/trust.ts';
import type { CommandContext } from '../context.ts';
import { fitText, paragraphs } from '../output/layout.ts';
import { table } from '../output/table.ts';

interface TemplateSummary {
  id: string;
  name: string | null;
  description: string | null;
  steps: number | null;
  origin: ListedTemplate['origin'];
  file: string;
  shadowed: boolean;
  namesakes: string[];
  gates: number;
  trusted: boolean;
  problems: DescribedProblem[];
}

/** Lists every template with its purpose, its origin and its problems. `key` names the list in the JSON. */
export function templates(cli: CommandContext, key: 'templates' | 'workflows'): void {
  const all = listTemplates(cli.root).map((listed) => summaryOf(listed, cli));
  const rows = all.map(({ id, steps, origin, description }) => [
    id,
    steps === null ? '?' : String(steps),
    origin,
    description ?? '(broken)',
  ]);
  const columns = [
    { title: 'TEMPLATE', min: 12, max: 24 },
    { title: 'STEPS', isOptional: true },
    { title: 'FROM', isOptional: true },
    { title: 'DOES', min: 10, max: 46 },
  ];
  const notes = [...new Set(all.flatMap(notesOf))];
  const text = [
    table(columns, rows, cli.output.columns ?? undefined),
    notes.join('\n'),
    'Start one: holdfast start --template <template>\nLook at one: holdfast templates show <template>',
  ];
  cli.output.result({ [key]: all }, fitText(paragraphs(text), cli.output.columns));
}

function summaryOf(
  { id, origin, file, shadowed, namesakes, reading }: ListedTemplate,
  cli: CommandContext,
): TemplateSummary {
  const location = { id, origin, file, shadowed, namesakes };
  if (reading.kind === 'invalid') {
    const unknown = { name: null, description: null, steps: null, gates: 0, trusted: false };
    return { ...location, ...unknown, problems: reading.problems.map(describeProblem) };
  }
  const { template } = reading;
  const { name, description, steps } = template;
  const gates = gatesOf(template).length;
  const trusted = gates > 0 && isTrusted(cli, template);
  return { ...location, name, description, steps: steps.length, gates, trusted, problems: [] };
}

function notesOf({
  id,
  origin,
  file,
  shadowed,
  namesakes,
  gates,
  trusted,
  problems,
}: TemplateSummary): string[] {
  const [first, ...more] = problems;
  const name = sanitizeLine(id);
  return [
    ...(shadowed ? [`${name} (${origin}) is shadowed by a project template of the same name`] : []),
    ...(namesakes.length > 0 ? [ambiguous(name, [file, ...namesakes])] : []),
    ...(gates > 0 && !trusted
      ? [
          `${name} has ${pluralize(gates, 'command')} that will not run until you trust it: holdfast trust ${sanitizeLine(shellQuote(id))}`,
        ]
      : []),
    ...(first === undefined
      ? []
      : [
          `${sanitizeLine(first.file)}:${first.line}: ${first.message}`,
          ...(more.length > 0
            ? [`  and ${more.length} more: holdfast validate ${sanitizeLine(shellQuote(file))}`]
            : []),
        ]),
  ];
}

function ambiguous(name: string, files: string[]): string {
  const list = files.map(sanitizeLine).toSorted().join(', ');
  return `${name} is ambiguous and cannot be used: rename all but one of ${list}`;
}
