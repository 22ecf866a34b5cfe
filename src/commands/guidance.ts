import { joined } from '../guidance/frame.ts';
import { pendingReadingText, type PendingReading } from '../guidance/reading/pending-reads.ts';
import { explain, previewGuidance, type Explanation } from '../runs/preview-guidance.ts';
import { describeRestoration } from '../guidance/restore/describe-reason.ts';
import type { RenderedRestoration } from '../guidance/restore/render-restoration.ts';
import { pluralize } from '../text/relative-time.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { command } from './command.ts';
import { choiceOption, flag } from './options.ts';
import { paragraphs, section, type CommandContext, table } from './view/output.ts';

export const guidance = command({
  usage: 'guidance [run]',
  about: 'print exactly what a session would be given; writes nothing',
  examples: ['holdfast guidance', 'holdfast guidance user-auth --source clear --explain'],
  agent: 'may',
  options: {
    source: choiceOption('how the session starts (default: compact)', 'source', [
      'compact',
      'clear',
      'resume',
      'startup',
      'fork',
    ]),
    explain: flag('show why this run, what each section costs and what was left out'),
  },
  run: (context, { run, source = 'compact' }) => previewGuidance(context, run, source),
  show: (cli, { restoration, pendingReads }, { explain: isExplained }) => {
    const explanation = { ...explain(restoration), pending_reading: pendingReads };
    const text = restoration.text ?? `No guidance: ${describeRestoration(restoration.choice)}.`;
    return {
      data: { text: restoration.text, system_message: restoration.userLine, ...explanation },
      text: isExplained ? explanationText(cli, restoration, explanation) : text,
      isExact: true,
    };
  },
});

function explanationText(
  cli: CommandContext,
  { text, guidance: parts }: RenderedRestoration,
  explanation: Explanation & { pending_reading: PendingReading | null },
): string {
  const { bold } = cli.output.colors;
  const rows = explanation.sections.map(({ name, part, characters, tokens, cut }) => [
    sanitizeLine(name),
    part,
    String(characters),
    String(tokens),
    cut ?? '',
  ]);
  const columns = ['SECTION', 'PART', 'CHARS', 'TOKENS', 'CUT'];
  const { pending_reading: pending } = explanation;
  const given = parts === null ? text : joined(parts.sections);
  return paragraphs([
    [
      `${bold('Run')}    ${explanation.run_id ?? 'none'}`,
      `${bold('Given')}  ${explanation.kind}: ${explanation.why}`,
      `${bold('Cost')}   ${pluralize(explanation.characters, 'character')}, about ${pluralize(explanation.tokens, 'token')}`,
    ].join('\n'),
    pending === null ? '' : pendingReadingText(pending),
    rows.length === 0 ? '' : table(columns, rows),
    section(bold('Left out'), explanation.left_out),
    text === null ? '' : section(bold('Text'), (given ?? '').split('\n')),
  ]);
}
