import type { WordsFor } from './words-for.ts';

export interface RunFailures {
  no_workflow: { also: string[] };
  unknown_run: { name: string; near: string[]; all: string[] };
  ambiguous_run: { name: string | null; runs: string[] };
  all_held: { runs: string[] };
  session_busy: { run: string; wanted: string };
  held_by_other: { run: string; session: string; seen: string; verb: 'claim' | 'release' };
  no_session: { command: string };
  not_active: { run: string; status: string; command: string };
  not_paused: { run: string; status: string };
  nothing_paused: object;
  phase_out_of_range: { phase: number; total: number };
  unknown_entry: { what: string; given: string; existing: string[] };
  nothing_to_change: object;
  bad_value: { option: string; given: string; expected: string };
}

export const runWords: WordsFor<RunFailures> = {
  no_workflow: (failure) =>
    failure.also.length > 0
      ? {
          message: 'no active workflow here',
          hint: `not active: ${failure.also.join(', ')}; name the one you mean, or go on with \`holdfast resume <run>\``,
        }
      : {
          message: 'no active workflow here',
          hint: 'start one with `holdfast start <name> --phases "A,B,C"`',
        },
  unknown_run: (failure) => ({
    message: `no run is named "${failure.name}"`,
    hint:
      failure.near.length > 0
        ? `did you mean ${failure.near.join(' or ')}?`
        : failure.all.length > 0
          ? `there are: ${failure.all.join(', ')}`
          : 'there are no runs here; `holdfast list --all` includes archived ones',
  }),
  ambiguous_run: (failure) => ({
    message:
      failure.name === null ? 'several runs could be meant' : `"${failure.name}" fits several runs`,
    hint: `name one of: ${failure.runs.join(', ')}`,
  }),
  all_held: (failure) => ({
    message: `other live sessions work on every active run here: ${failure.runs.join(', ')}`,
    hint: 'name the run to change it all the same, or take it with `holdfast claim <run> --force`',
  }),
  session_busy: (failure) => ({
    message: `this session already works on ${failure.run}`,
    hint: `finish it with \`holdfast complete\`, or let go of it with \`holdfast ${failure.wanted} --switch\``,
  }),
  held_by_other: (failure) => ({
    message: `${failure.run} is held by session ${failure.session}, last seen ${failure.seen}`,
    hint:
      failure.verb === 'claim'
        ? `if that session is done, take it with \`holdfast claim ${failure.run} --force\``
        : 'only that session, or a person in a terminal, lets go of it',
  }),
  no_session: (failure) => ({
    message: `\`holdfast ${failure.command}\` binds a run to a Claude Code session, and this terminal is none`,
    hint: 'run it inside Claude Code, or name the session with --session <id>',
  }),
  not_active: (failure) => ({
    message: `${failure.run} is ${failure.status}`,
    hint:
      failure.status === 'completed'
        ? `archive it with \`holdfast complete ${failure.run}\``
        : `go on with \`holdfast resume ${failure.run}\`, then ${failure.command}`,
  }),
  not_paused: (failure) => ({
    message: `${failure.run} is ${failure.status}, there is nothing to resume`,
    hint: '`holdfast list` shows which runs are paused',
  }),
  nothing_paused: () => ({
    message: 'no run here is paused',
    hint: '`holdfast list` shows the runs there are',
  }),
  phase_out_of_range: (failure) => ({
    message: `there is no phase ${failure.phase}: this run has ${failure.total}`,
    hint: `give both numbers to change the total, for example --phase ${failure.phase}/${Math.max(failure.phase, 1)}`,
  }),
  unknown_entry: (failure) => ({
    message: `there is no ${failure.what} "${failure.given}" in this run`,
    hint:
      failure.existing.length > 0
        ? `there is: ${failure.existing.join('; ')}`
        : `it has no ${failure.what} at all`,
  }),
  nothing_to_change: () => ({
    message: 'no change was given',
    hint: 'for example `holdfast update --phase 2 --remind "keep the API stable"`; `holdfast update --help` lists all',
  }),
  bad_value: (failure) => ({
    message: `${failure.option} does not take "${failure.given}"`,
    hint: `it takes ${failure.expected}`,
  }),
};
