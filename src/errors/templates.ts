import type { Messages } from './messages.ts';

export interface TemplateFailures {
  unknown_template: { name: string; near: string | null; all: string[] };
  ambiguous_template: { name: string; files: string[] };
  invalid_template: { file: string; line: number; message: string; more: number };
  trust_from_agent: { template: string };
  trust_unconfirmed: { template: string; answered: boolean };
  trust_in_project: { path: string };
  never_trusted: { template: string; trusted: string[] };
  gate_untrusted: { template: string; command: string; run: string };
  gate_not_started: { command: string; reason: string };
  gate_cancelled: { command: string };
  gate_timed_out: { command: string; seconds: number };
  gate_failed: { command: string; exitCode: number };
}

export const templateMessages: Messages<TemplateFailures> = {
  unknown_template: (failure) => ({
    message: `no template is named "${failure.name}"`,
    hint:
      failure.near === null
        ? `there are: ${failure.all.join(', ')}`
        : `did you mean ${failure.near}? \`holdfast workflows\` lists them`,
  }),
  ambiguous_template: (failure) => ({
    message: `several templates go by the name "${failure.name}"`,
    hint: `give the path of the one you mean: ${failure.files.join(', ')}`,
  }),
  invalid_template: (failure) => ({
    message: `${failure.file}:${failure.line}: ${failure.message}`,
    hint:
      failure.more === 0
        ? 'correct it, then try again'
        : `${failure.more} more; \`holdfast validate ${failure.file}\` lists them`,
  }),
  trust_from_agent: (failure) => ({
    message: `"${failure.template}" runs commands, and only a person may trust it, not an agent's session`,
    hint: 'ask the user to run `holdfast trust` in a terminal of their own',
  }),
  trust_unconfirmed: (failure) => ({
    message: `"${failure.template}" was not trusted${failure.answered ? '' : ': there is no terminal to ask on'}`,
    hint: failure.answered
      ? 'its gates do not run, and runs stop before them'
      : 'read the commands above, then repeat it with --yes',
  }),
  trust_in_project: (failure) => ({
    message: `${failure.path} lies inside the project, where trust does not count`,
    hint: 'point CLAUDE_CONFIG_DIR to a folder outside of it, or unset it',
  }),
  never_trusted: (failure) => ({
    message: `"${failure.template}" was never trusted`,
    hint:
      failure.trusted.length === 0 ? 'no template is' : `these are: ${failure.trusted.join(', ')}`,
  }),
  gate_untrusted: (failure) => ({
    message: `"${failure.template}" wants to run a command here (${failure.command}), and nobody has trusted it`,
    hint: `the user reads and allows it with \`holdfast trust ${failure.run}\` in a terminal of their own`,
  }),
  gate_not_started: (failure) => ({
    message: `the gate could not be run: ${failure.command} (${failure.reason})`,
    hint: 'correct the command in the template, or what it needs',
  }),
  gate_cancelled: (failure) => ({
    message: `the gate was ended before its time: ${failure.command}`,
    hint: 'whoever asked for it no longer waits; the run stays where it is',
  }),
  gate_timed_out: (failure) => ({
    message: `the gate was stopped after ${failure.seconds} s: ${failure.command}`,
    hint: 'the run stays where it is; make the command faster, or see what it waits for',
  }),
  gate_failed: (failure) => ({
    message: `the gate failed with exit code ${failure.exitCode}: ${failure.command}`,
    hint: 'the run stays where it is; solve what it reports, then advance again',
  }),
};
