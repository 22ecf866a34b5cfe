/** What went wrong, as data; `describe` is the one place that turns it into words. */
export type Failure =
  | { code: 'no_workflow'; also: string[] }
  | { code: 'unknown_run'; name: string; near: string[]; all: string[] }
  | { code: 'ambiguous_run'; name: string | null; runs: string[] }
  | { code: 'all_held'; runs: string[] }
  | { code: 'session_busy'; run: string; wanted: string }
  | { code: 'held_by_other'; run: string; session: string; seen: string; verb: 'claim' | 'release' }
  | { code: 'no_session'; command: string }
  | { code: 'not_active'; run: string; status: string; command: string }
  | { code: 'not_paused'; run: string; status: string }
  | { code: 'nothing_paused' }
  | { code: 'phase_out_of_range'; phase: number; total: number }
  | { code: 'unknown_entry'; what: string; given: string; existing: string[] }
  | { code: 'nothing_to_change' }
  | { code: 'bad_value'; option: string; given: string; expected: string }
  | { code: 'no_such_folder'; path: string }
  | { code: 'blocked_path'; path: string }
  | { code: 'not_a_file'; path: string }
  | { code: 'outside_project'; path: string }
  | { code: 'not_writable'; path: string; reason: string }
  | { code: 'locked'; path: string; seconds: number }
  | { code: 'invalid_files'; problems: number }
  | { code: 'unhealthy'; broken: number }
  | { code: 'unreadable_input'; what: string; reason: string }
  | { code: 'settings_not_json'; path: string; line: number; why: string }
  | { code: 'settings_misshapen'; path: string; part: string }
  | { code: 'not_text'; path: string }
  | { code: 'changed_meanwhile'; path: string }
  | { code: 'half_done'; path: string; reason: string }
  | { code: 'user_folder'; path: string; command: 'init' | 'uninstall' }
  | { code: 'no_package'; path: string };

export class HoldfastError extends Error {
  readonly code: Failure['code'];
  readonly hint: string;

  /** `data` is printed beside the error with --json. */
  constructor(
    readonly failure: Failure,
    readonly data: object = {},
  ) {
    const { message, hint } = describe(failure);
    super(message);
    this.name = 'HoldfastError';
    this.code = failure.code;
    this.hint = hint;
  }
}

function describe(failure: Failure): { message: string; hint: string } {
  switch (failure.code) {
    case 'no_workflow':
      return failure.also.length > 0
        ? {
            message: 'no active workflow here',
            hint: `not active: ${failure.also.join(', ')}; name the one you mean, or go on with \`holdfast resume <run>\``,
          }
        : {
            message: 'no active workflow here',
            hint: 'start one with `holdfast start <name> --phases "A,B,C"`',
          };
    case 'unknown_run':
      return {
        message: `no run is named "${failure.name}"`,
        hint:
          failure.near.length > 0
            ? `did you mean ${failure.near.join(' or ')}?`
            : failure.all.length > 0
              ? `there are: ${failure.all.join(', ')}`
              : 'there are no runs here; `holdfast list --all` includes archived ones',
      };
    case 'ambiguous_run':
      return {
        message:
          failure.name === null
            ? 'several runs could be meant'
            : `"${failure.name}" fits several runs`,
        hint: `name one of: ${failure.runs.join(', ')}`,
      };
    case 'all_held':
      return {
        message: `other live sessions work on every active run here: ${failure.runs.join(', ')}`,
        hint: 'name the run to change it all the same, or take it with `holdfast claim <run> --force`',
      };
    case 'session_busy':
      return {
        message: `this session already works on ${failure.run}`,
        hint: `finish it with \`holdfast complete\`, or let go of it with \`holdfast ${failure.wanted} --switch\``,
      };
    case 'held_by_other':
      return {
        message: `${failure.run} is held by session ${failure.session}, last seen ${failure.seen}`,
        hint:
          failure.verb === 'claim'
            ? `if that session is done, take it with \`holdfast claim ${failure.run} --force\``
            : 'only that session, or a person in a terminal, lets go of it',
      };
    case 'no_session':
      return {
        message: `\`holdfast ${failure.command}\` binds a run to a Claude Code session, and this terminal is none`,
        hint: 'run it inside Claude Code, or name the session with --session <id>',
      };
    case 'not_active':
      return {
        message: `${failure.run} is ${failure.status}`,
        hint:
          failure.status === 'completed'
            ? `archive it with \`holdfast complete ${failure.run}\``
            : `go on with \`holdfast resume ${failure.run}\`, then ${failure.command}`,
      };
    case 'not_paused':
      return {
        message: `${failure.run} is ${failure.status}, there is nothing to resume`,
        hint: '`holdfast list` shows which runs are paused',
      };
    case 'nothing_paused':
      return { message: 'no run here is paused', hint: '`holdfast list` shows the runs there are' };
    case 'phase_out_of_range':
      return {
        message: `there is no phase ${failure.phase}: this run has ${failure.total}`,
        hint: `give both numbers to change the total, for example --phase ${failure.phase}/${Math.max(failure.phase, 1)}`,
      };
    case 'unknown_entry':
      return {
        message: `there is no ${failure.what} "${failure.given}" in this run`,
        hint:
          failure.existing.length > 0
            ? `there is: ${failure.existing.join('; ')}`
            : `it has no ${failure.what} at all`,
      };
    case 'nothing_to_change':
      return {
        message: 'no change was given',
        hint: 'for example `holdfast update --phase 2 --remind "keep the API stable"`; `holdfast update --help` lists all',
      };
    case 'bad_value':
      return {
        message: `${failure.option} does not take "${failure.given}"`,
        hint: `it takes ${failure.expected}`,
      };
    case 'no_such_folder':
      return { message: `there is no folder ${failure.path}`, hint: 'check --cwd' };
    case 'blocked_path':
      return {
        message: `${failure.path} is in the way: holdfast needs a folder there`,
        hint: 'move or rename it, then try again',
      };
    case 'not_a_file':
      return {
        message: `${failure.path} is in the way: holdfast needs a file there`,
        hint: 'move or rename it, then try again; nothing was changed',
      };
    case 'outside_project':
      return {
        message: `${failure.path} is a link that leads out of the project`,
        hint: 'holdfast writes inside the project only; replace the link with a folder',
      };
    case 'not_writable':
      return {
        message: `cannot write ${failure.path} (${failure.reason})`,
        hint: 'check the permissions and the free space; nothing was changed',
      };
    case 'locked':
      return {
        message: `another holdfast process has held ${failure.path} for more than ${failure.seconds} s`,
        hint: 'try again; if no holdfast is running, delete that file',
      };
    case 'invalid_files':
      return {
        message: `${failure.problems} ${failure.problems === 1 ? 'problem' : 'problems'} found`,
        hint: 'correct the lines named above; schemas/ describes the format',
      };
    case 'unhealthy':
      return {
        message: `${failure.broken} ${failure.broken === 1 ? 'thing is' : 'things are'} broken`,
        hint: 'each has its `fix` beside it; then run `holdfast doctor` again',
      };
    case 'unreadable_input':
      return {
        message: `cannot read ${failure.what}: ${failure.reason}`,
        hint: 'check the path, and that you may read it',
      };
    case 'settings_not_json':
      return {
        message: `${failure.path}:${failure.line}: this is not strict JSON (${failure.why}), and Claude Code ignores the whole file for it`,
        hint: 'correct that line, then try again; nothing was changed',
      };
    case 'settings_misshapen':
      return {
        message: `${failure.part} in ${failure.path} has not the form that Claude Code reads`,
        hint: 'correct it, then try again; nothing was changed',
      };
    case 'not_text':
      return {
        message: `${failure.path} is not text in UTF-8`,
        hint: 'save it as UTF-8, then try again; nothing was changed',
      };
    case 'changed_meanwhile':
      return {
        message: `${failure.path} is being changed by another program`,
        hint: 'try again in a moment; nothing was changed',
      };
    case 'half_done':
      return {
        message: `${failure.path} could not be put back (${failure.reason}) after a later step had failed`,
        hint: 'check the permissions and the free space, then run the same command again, or `holdfast uninstall`',
      };
    case 'user_folder':
      return {
        message: `${failure.path} holds your settings for all projects, so this is no project to install into`,
        hint: `use \`holdfast ${failure.command} --scope user\`; nothing was changed`,
      };
    case 'no_package':
      return {
        message: `the files of holdfast are not complete: there is no ${failure.path}`,
        hint: 'install it again; in a clone, `npm run build` makes them',
      };
    default:
      return unreachable(failure);
  }
}

export function unreachable(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
