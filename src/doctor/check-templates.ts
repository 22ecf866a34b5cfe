import { oneLine } from '../guidance/plain.ts';
import { visible, visibleLines } from '../guidance/visible.ts';
import { counted } from '../guidance/words.ts';
import { slugOf } from '../state/slug.ts';
import { listTemplates, type ListedTemplate } from '../workflow/find-template.ts';
import { gatesOf } from '../workflow/gates.ts';
import { isTrusted, readTrust } from '../workflow/trust.ts';
import { findingsOf } from './findings.ts';
import type { Check, Examined, Finding } from './types.ts';

const say = findingsOf('templates');

/** Whether the project's templates could be started, and whether their gates may run. */
export const checkTemplates: Check = {
  examine: (examined) => {
    const own = listTemplates(examined.root).filter(({ origin }) => origin === 'project');
    if (own.length === 0) return [say.ok('the project has no templates of its own')];
    const fine = own.filter(({ reading }) => reading.kind === 'template').length;
    return [
      ...(fine === 0 ? [] : [say.ok(`${counted(fine, 'template')} of the project can be used`)]),
      ...own.flatMap(brokenOnes),
      ...ambiguousOnes(own),
      ...trustStore(examined),
      ...own.flatMap((listed) => untrusted(examined, listed)),
    ];
  },
};

function brokenOnes({ file, reading }: ListedTemplate): Finding[] {
  if (reading.kind === 'template') return [];
  const path = oneLine(file);
  return [
    say.warning(`${path} cannot be used`, {
      evidence: reading.problems.map(
        (problem) => `${oneLine(problem.file)}:${problem.line}: ${problem.message}`,
      ),
      fix: `correct it; \`holdfast validate ${path}\` checks it again`,
    }),
  ];
}

function ambiguousOnes(own: readonly ListedTemplate[]): Finding[] {
  const names = new Map(
    own
      .filter(({ namesakes }) => namesakes.length > 0)
      .map(({ id, file, namesakes }) => [slugOf(id), [file, ...namesakes].toSorted()]),
  );
  return [...names].map(([name, files]) =>
    say.warning(
      `${counted(files.length, 'template')} go by the name ${name}: none is found by it`,
      {
        evidence: files.map(oneLine),
        fix: 'rename all but one of them',
      },
    ),
  );
}

function trustStore(examined: Examined): Finding[] {
  const { problem } = readTrust(examined);
  return problem === null
    ? []
    : [say.warning(problem, { fix: 'trust the templates again with `holdfast trust <template>`' })];
}

function untrusted(examined: Examined, { id, file, reading }: ListedTemplate): Finding[] {
  if (reading.kind !== 'template') return [];
  const gates = gatesOf(reading.template);
  if (gates.length === 0 || isTrusted(examined, reading.template)) return [];
  return [
    say.note(`${oneLine(file)} has gates that nobody has trusted: its runs stop before them`, {
      evidence: gates.flatMap(({ where, command }) => [
        `${visible(where)}:`,
        ...visibleLines(command, ''),
      ]),
      fix: `read them, then \`holdfast trust ${oneLine(id)}\``,
    }),
  ];
}
