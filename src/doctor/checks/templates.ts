import { isTrusted, readTrust } from '../../templates/gates/trust.ts';
import { gatesOf } from '../../templates/machine/gates.ts';
import { listTemplates, type ListedTemplate } from '../../templates/find-template.ts';
import { pluralize } from '../../text/relative-time.ts';
import { escapeInvisible, escapeInvisibleLines, sanitizeLine } from '../../text/sanitize.ts';
import type { Facts } from '../facts.ts';
import { note, ok, quoteForShell, warning, type Finding } from '../finding.ts';

/** Whether the project's templates are valid, and whether their gates are trusted. */
export function checkTemplates(facts: Facts): Finding[] {
  const own = listTemplates(facts.root).filter(({ origin }) => origin === 'project');
  if (own.length === 0) return [ok('the project has no templates of its own')];
  const { problem } = readTrust(facts);
  const found = own.flatMap((listed) => [...unusable(listed), ...untrusted(facts, listed)]);
  if (problem !== null)
    found.push(warning(problem, 'trust the templates again with `holdfast trust <template>`'));
  return found.length > 0
    ? found
    : [ok(`${pluralize(own.length, 'template')} of the project can be used`)];
}

function unusable({ file, reading }: ListedTemplate): Finding[] {
  if (reading.kind === 'template') return [];
  const fix = `correct it; \`holdfast validate ${quoteForShell(file)}\` checks it again`;
  const lines = reading.problems.map(
    (problem) => `${sanitizeLine(problem.file)}:${problem.line}: ${problem.message}`,
  );
  return [warning(`${sanitizeLine(file)} cannot be used`, fix, lines)];
}

function untrusted(facts: Facts, { id, file, reading }: ListedTemplate): Finding[] {
  if (reading.kind !== 'template') return [];
  const gates = gatesOf(reading.template);
  if (gates.length === 0 || isTrusted(facts, reading.template)) return [];
  return [
    note(
      `${sanitizeLine(file)} has untrusted gates: its runs stop before them`,
      `read them, then \`holdfast trust ${quoteForShell(id)}\``,
      gates.flatMap(({ where, command }) => [
        `${escapeInvisible(where)}:`,
        ...escapeInvisibleLines(command, ''),
      ]),
    ),
  ];
}
