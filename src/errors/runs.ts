import type { Messages } from './messages.ts';

/** A state of a run, and how far it has come. */
interface Version {
  revision: number;
  at: string;
}

export interface RunFailures {
  unknown_artifact: { given: string; artifacts: string[] };
  /** `forced`: the command that goes on all the same. */
  artifact_missing: { what: string[]; forced: string | null };
  not_newer: { run: string; here: Version; given: Version };
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
  todo_refused: { path: string; why: string };
  todo_not_ours: { path: string };
  todo_no_place: { path: string };
  no_such_item: { path: string; n: number; total: number };
  bad_value: { option: string; given: string; expected: string };
}

export const runMessages: Messages<RunFailures> = {
  unknown_artifact: ({ given, artifacts }) => ({
    message: `this run has no artifact "${given}"`,
    hint: artifacts.length > 0 ? `there is: ${artifacts.join(', ')}` : 'it declares none at all',
  }),
  artifact_missing: ({ what, forced }) => ({
    message: `required, and not there: ${what.join('; ')}`,
    hint:
      forced === null
        ? 'bring it, then try again'
        : `the run stays where it is; bring it, or go on all the same with \`${forced}\``,
  }),
  not_newer: ({ run, here, given }) => ({
    message:
      here.revision === given.revision
        ? `${run} is here already, as new as the one in the file (revision ${here.revision})`
        : `the ${run} that is here is newer: revision ${here.revision} of ${here.at}, the one in the file has ${given.revision} of ${given.at}`,
    hint: 'nothing was changed; `holdfast show` prints what is here, and to take the older one all the same, complete this one with --purge first',
  }),
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
  todo_refused: (failure) => ({
    message: `${failure.path} cannot be the todo list: ${failure.why}`,
    hint: 'move it away, or name another file as "todo.file" in .claude/holdfast.json; nothing was changed',
  }),
  todo_not_ours: (failure) => ({
    message: `${failure.path} has content that is not from \`holdfast todo set\` by this run`,
    hint: 'change it with `holdfast todo add` and `holdfast todo done`, or replace all of it with --force',
  }),
  todo_no_place: (failure) => ({
    message: `${failure.path} ends within code or a comment, where a check box does not count`,
    hint: 'close it in the file, then try again; nothing was changed',
  }),
  no_such_item: (failure) => ({
    message: `there is no item ${failure.n}: ${failure.path} has ${failure.total}`,
    hint:
      failure.total === 0
        ? 'write the first one with `holdfast todo add <text>`'
        : '`holdfast todo` shows them with their numbers',
  }),
  bad_value: (failure) => ({
    message: `${failure.option} does not take "${failure.given}"`,
    hint: `it takes ${failure.expected}`,
  }),
};
