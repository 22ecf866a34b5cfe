import { shellQuote } from '../util/shell-quote.ts';
import { unreachable } from '../util/unreachable.ts';
import type { Refusal } from './refusal.ts';
import type { Messages } from './messages.ts';
import { describeProblem, type DescribedProblem, type FileProblem } from './problems.ts';

/** Why the record of trusted templates counts for nothing. */
export type TrustProblem = { path: string } & (
  | { kind: 'in_project' | 'not_json' | 'misshapen' }
  | { kind: 'refused'; why: Refusal }
);

export interface TemplateFailures {
  unknown_template: { name: string; near: string | null; all: string[] };
  ambiguous_template: { name: string; files: string[] };
  invalid_template: { problems: FileProblem[] };
  trust_in_project: { path: string };
  gate_untrusted: {
    template: string;
    command: string;
    run: string;
    problem: TrustProblem | null;
  };
  gate_not_started: { command: string; reason: string };
  gate_cancelled: { command: string };
  gate_timed_out: { command: string; seconds: number; output: string };
  gate_failed: { command: string; exitCode: number; output: string };
}

const NO_PROBLEM: DescribedProblem = { file: 'template', line: 1, message: 'invalid' };

export const templateMessages: Messages<TemplateFailures> = {
  unknown_template: (failure) => ({
    message: `no template is named "${failure.name}"`,
    hint:
      failure.near === null
        ? `available: ${failure.all.join(', ')}`
        : `did you mean ${failure.near}? \`holdfast templates\` lists them`,
  }),
  ambiguous_template: (failure) => ({
    message: `template name "${failure.name}" is ambiguous`,
    hint: `give a path instead: ${failure.files.join(', ')}`,
  }),
  invalid_template: (failure) => {
    const problems = failure.problems.map(describeProblem);
    const [{ file, line, message } = NO_PROBLEM, ...more] = problems;
    return {
      message: `${file}:${line}: ${message}`,
      hint:
        more.length === 0
          ? 'correct it, then try again'
          : `${more.length} more; \`holdfast validate ${shellQuote(file)}\` lists them`,
      data: { problems },
    };
  },
  trust_in_project: (failure) => ({
    message: `${failure.path} is inside the project, where trust does not count`,
    hint: 'set CLAUDE_CONFIG_DIR to a directory outside the project, or unset it',
  }),
  gate_untrusted: (failure) => ({
    message: `"${failure.template}" is not trusted to run commands here (${failure.command})`,
    hint: `the user can review and trust it with \`holdfast trust ${failure.run}\` in a terminal of their own`,
    ...(failure.problem === null ? {} : { details: describeTrustProblem(failure.problem) }),
  }),
  gate_not_started: (failure) => ({
    message: `the gate could not be started: ${failure.command} (${failure.reason})`,
    hint: 'correct the command in the template, or install what it needs',
  }),
  gate_cancelled: (failure) => ({
    message: `gate cancelled: ${failure.command}`,
    hint: 'the run was not advanced',
  }),
  gate_timed_out: (failure) => ({
    message: `the gate timed out after ${failure.seconds} s: ${failure.command}`,
    hint: 'the run was not advanced; make the command faster, or find out what it waits for',
    ...gateOutput(failure),
  }),
  gate_failed: (failure) => ({
    message: `the gate failed with exit code ${failure.exitCode}: ${failure.command}`,
    hint: 'the run was not advanced; fix what the gate reports, then advance again',
    ...gateOutput(failure),
  }),
};

function gateOutput(gate: { command: string; output: string }): { details: string; data: object } {
  const { command, output } = gate;
  return { details: output, data: { gate: { command, output } } };
}

export function describeTrustProblem(problem: TrustProblem): string {
  return `${problem.path} ${trustReason(problem)}; no template is trusted`;
}

function trustReason(problem: TrustProblem): string {
  switch (problem.kind) {
    case 'in_project':
      return 'is inside the project';
    case 'refused':
      return `was not read (${problem.why})`;
    case 'not_json':
      return 'is not JSON';
    case 'misshapen':
      return 'is not in the expected format';
    default:
      return unreachable(problem);
  }
}
