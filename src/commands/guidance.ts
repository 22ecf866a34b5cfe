import {
  explain,
  previewGuidance,
  type Explanation,
} from '../runs/preview-guidance.ts';
import { pluralize } from '../text/relative-time.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { command, type Shown } from './command.ts';
import type { GuidanceDocument } from './json/documents.ts';
import { choiceOption, flag } from './options.ts';
import {
  paragraphs,
  section,
  type CommandContext,
  table,
} from './view/output.ts';

export const guidance = command({
  usage: 'guidance [run]',
  about: 'print exactly what a session would be given; writes nothing',
  examples: [
    'holdfast guidance',
    'holdfast guidance user-auth --source clear --explain',
  ],
  options: {
    source: choiceOption(
      'how the session starts (default: compact)',
      'source',
      ['compact', 'clear', 'resume', 'startup', 'fork'],
    ),
    explain: flag(
      'show why this run, what each section costs and what was left out',
    ),
  },
  run: (
    cli,
    { run, source = 'compact', explain: isExplained },
  ): Shown<GuidanceDocument> => {
    const restoration = previewGuidance(cli, run, source);
    const explanation = explain(restoration);
    const text = restoration.text ?? `No guidance: ${explanation.why}.`;
    return {
      data: {
        text: restoration.text,
        system_message: restoration.userLine,
        ...explanation,
      },
      text: isExplained
        ? explanationText(cli, restoration.text, explanation)
        : text,
    };
  },
});

function explanationText(
  cli: CommandContext,
  text: string | null,
  explanation: Explanation,
) {
  const { bold } = cli.output.colors;
  const rows = explanation.sections.map(({ name, characters, tokens, cut }) => [
    sanitizeLine(name),
    String(characters),
    String(tokens),
    cut ?? '',
  ]);
  const columns = ['SECTION', 'CHARS', 'TOKENS', 'CUT'];
  return paragraphs([
    [
      `${bold('Run')}    ${explanation.run_id ?? 'none'}`,
      `${bold('Given')}  ${explanation.kind}: ${explanation.why}`,
      `${bold('Cost')}   ${pluralize(explanation.characters, 'character')}, about ${pluralize(explanation.tokens, 'token')}`,
    ].join('\n'),
    rows.length === 0 ? '' : table(columns, rows),
    section(bold('Left out'), explanation.left_out),
    text === null ? '' : section(bold('Text'), text.split('\n')),
  ]);
}
