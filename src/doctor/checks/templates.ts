import { quoteForShell } from '../quote-for-shell.ts';
import { describeDefect } from '../../errors/problems.ts';
import { describeTrustProblem } from '../../errors/templates.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import { escapeInvisible, escapeInvisibleLines } from '../../util/escape-invisible.ts';
import { pluralize } from '../../util/relative-time.ts';
import { slugOf } from '../../util/slug.ts';
import {
  listProjectTemplates,
  type ListedTemplate,
} from '../../workflow/template/find-template.ts';
import { gatesOf } from '../../workflow/machine/gates.ts';
import { isTrusted, readTrust } from '../../workflow/gates/trust.ts';
import { findingsFor } from '../findings.ts';
import type { Check, DoctorContext, Finding } from '../types.ts';

const report = findingsFor('templates');

/** Whether the project's templates are valid, and whether their gates are trusted. */
export const checkTemplates: Check = {
  run: (context) => {
    const own = listProjectTemplates(context.root);
    if (own.length === 0) return [report.ok('the project has no templates of its own')];
    const fine = own.filter(({ reading }) => reading.kind === 'template').length;
    return [
      ...(fine === 0
        ? []
        : [report.ok(`${pluralize(fine, 'template')} of the project can be used`)]),
      ...own.flatMap(brokenOnes),
      ...ambiguousOnes(own),
      ...trustStore(context),
      ...own.flatMap((listed) => untrusted(context, listed)),
    ];
  },
};

function brokenOnes({ file, reading }: ListedTemplate): Finding[] {
  if (reading.kind === 'template') return [];
  const path = sanitizeLine(file);
  return [
    report.warning(`${path} cannot be used`, {
      evidence: reading.problems.map(
        (problem) =>
          `${sanitizeLine(problem.file)}:${problem.line}: ${describeDefect(problem.defect)}`,
      ),
      fix: `correct it; \`holdfast validate ${quoteForShell(file)}\` checks it again`,
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
    report.warning(
      `${pluralize(files.length, 'template')} share the name ${name}: none can be found by that name`,
      {
        evidence: files.map(sanitizeLine),
        fix: 'rename all but one of them',
      },
    ),
  );
}

function trustStore(context: DoctorContext): Finding[] {
  const { problem } = readTrust(context);
  return problem === null
    ? []
    : [
        report.warning(describeTrustProblem(problem), {
          fix: 'trust the templates again with `holdfast trust <template>`',
        }),
      ];
}

function untrusted(context: DoctorContext, { id, file, reading }: ListedTemplate): Finding[] {
  if (reading.kind !== 'template') return [];
  const gates = gatesOf(reading.template);
  if (gates.length === 0 || isTrusted(context, reading.template)) return [];
  return [
    report.note(`${sanitizeLine(file)} has untrusted gates: its runs stop before them`, {
      evidence: gates.flatMap(({ where, command }) => [
        `${escapeInvisible(where)}:`,
        ...escapeInvisibleLines(command, ''),
      ]),
      fix: `read them, then \`holdfast trust ${quoteForShell(id)}\``,
    }),
  ];
}
