import { counted } from '../guidance/words.ts';
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
      ...trustStore(examined),
      ...own.flatMap((listed) => untrusted(examined, listed)),
    ];
  },
};

function brokenOnes({ file, reading }: ListedTemplate): Finding[] {
  if (reading.kind === 'template') return [];
  return [
    say.warning(`${file} cannot be used`, {
      evidence: reading.problems.map(
        (problem) => `${problem.file}:${problem.line}: ${problem.message}`,
      ),
      fix: `correct it; \`holdfast validate ${file}\` checks it again`,
    }),
  ];
}

function trustStore({ config }: Examined): Finding[] {
  const { problem } = readTrust(config);
  return problem === null
    ? []
    : [say.warning(problem, { fix: 'trust the templates again with `holdfast trust <template>`' })];
}

function untrusted({ config }: Examined, { id, file, reading }: ListedTemplate): Finding[] {
  if (reading.kind !== 'template') return [];
  const gates = gatesOf(reading.template);
  if (gates.length === 0 || isTrusted(config, reading.template)) return [];
  return [
    say.note(`${file} has gates that nobody has trusted: its runs stop before them`, {
      evidence: gates.map(({ where, command }) => `${where}: ${command}`),
      fix: `read them, then \`holdfast trust ${id}\``,
    }),
  ];
}
