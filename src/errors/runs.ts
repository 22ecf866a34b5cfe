import { shellQuote } from '../util/shell-quote.ts';
import type { Messages } from './messages.ts';
import { unreadableHint, type UnreadableFile } from './state-files.ts';

/** One copy of a run, for people. */
export interface RunVersion {
  revision: number;
  at: string;
  phase: string;
}

/** One of several runs that a name could mean. */
export interface RunCandidate {
  run: string;
  /** The file that declares it. */
  source: string | null;
}

export interface RunFailures {
  unknown_artifact: { given: string; artifacts: string[] };
  artifact_missing: {
    what: string[];
    /** The command that advances without the artifact. */
    forced: string | null;
    /** What could be loaded, as text and for --json. */
    loaded?: { text: string } | { report: object };
  };
  not_newer: { run: string; isSame: boolean; here: RunVersion; given: RunVersion };
  diverged: { run: string; here: RunVersion; given: RunVersion };
  no_workflow: {
    also: string[];
    /** The archived run that the session held. */
    ended?: { run: string; status: string };
    unreadable?: UnreadableFile[];
  };
  unknown_run: {
    name: string;
    near: string[];
    all: string[];
    /** Whether only the archive was searched. */
    isArchive?: boolean;
    unreadable?: UnreadableFile[];
  };
  ambiguous_run: { name: string | null; runs: RunCandidate[]; areStopped?: boolean };
  /** A file declares the workflow, and there is no state file yet that could be read. */
  only_declared: { run: string; source: string };
  all_held: { runs: string[] };
  session_busy: { run: string };
  plan_has_run: { plan: string; run: string; status: string };
  plan_without_phases: { plan: string };
  plan_finished: { plan: string };
  held_by_other: {
    run: string;
    session: string;
    seen: string;
    verb: 'resume' | 'release';
    /** The session that --session names. */
    given?: string | undefined;
  };
  /** A terminal has no session that could take the run. */
  no_session: {
    run: string;
    /** Whether Claude Code has the slash commands; absent if nobody has looked. */
    isInstalled?: boolean;
  };
  not_active: { run: string; status: string; command: string };
  /** Only a run that is reopened can be changed. */
  run_archived: { run: string; status: string };
  not_paused: { run: string; status: string };
  /** `reopen` is for runs in the archive. */
  not_archived: { run: string };
  nothing_paused: { unreadable?: UnreadableFile[] };
  phase_out_of_range: { phase: number; total: number; command: 'update' | 'skip' };
  unknown_entry: { what: keyof typeof ENTRIES; given: string; existing: string[] };
  nothing_to_change: object;
}

const ENTRIES = {
  required_file: 'required file',
  reminder: 'reminder',
  context_key: 'context key',
};

const FORCE_IMPORT =
  '`holdfast import <file> --force` takes the file and archives the state that is here';

function versionText({ revision, at, phase }: RunVersion): string {
  return `revision ${revision} of ${at}, at ${phase}`;
}

export const runMessages: Messages<RunFailures> = {
  unknown_artifact: ({ given, artifacts }) => ({
    message: `this run has no artifact "${given}"`,
    hint:
      artifacts.length > 0
        ? `available: ${artifacts.join(', ')}`
        : 'this run declares no artifacts',
  }),
  artifact_missing: ({ what, forced, loaded }) => ({
    message: `required artifact missing: ${what.join('; ')}`,
    hint:
      forced === null
        ? 'create it, then try again'
        : `the run was not advanced; create it, or advance without it: \`${forced}\``,
    ...(loaded === undefined
      ? {}
      : 'text' in loaded
        ? { details: loaded.text }
        : { data: loaded.report }),
  }),
  not_newer: ({ run, isSame, here, given }) => ({
    message: isSame
      ? `${run} is already here, at ${here.phase} (revision ${here.revision})`
      : `${run} is newer here: ${versionText(here)}; the file has ${versionText(given)}`,
    hint: `nothing was changed; ${FORCE_IMPORT}`,
  }),
  diverged: ({ run, here, given }) => ({
    message: `${run} moved on in both places: here it has ${versionText(here)}; the file has ${versionText(given)}`,
    hint: `nothing was changed; ${FORCE_IMPORT}`,
  }),
  no_workflow: ({ also, ended, unreadable = [] }) => ({
    message:
      ended === undefined
        ? 'no active workflow here'
        : `no active workflow here: ${ended.run}, the run of this session, is ${ended.status}`,
    hint: missingRunHint(
      unreadable,
      ended !== undefined
        ? `bring it back with \`holdfast reopen ${ended.run}\`, or start another with \`holdfast start <name> --phases "A,B,C"\``
        : also.length > 0
          ? `not active: ${also.join(', ')}; name one, or resume it with \`holdfast resume <run>\``
          : null,
      'start one with `holdfast start <name> --phases "A,B,C"`',
    ),
  }),
  not_archived: (failure) => ({
    message: `${failure.run} has not ended`,
    hint: `\`holdfast status ${failure.run}\` shows where it stands`,
  }),
  unknown_run: ({ name, near, all, isArchive, unreadable = [] }) => ({
    message: `no run is named "${name}"`,
    hint: missingRunHint(
      unreadable,
      near.length > 0
        ? `did you mean ${near.join(' or ')}?`
        : all.length > 0
          ? `available: ${shortList(all)}`
          : null,
      isArchive === true
        ? 'no run is archived here; `holdfast list` shows the runs that are not'
        : 'there are no runs here; `holdfast list --all` includes archived ones',
    ),
  }),
  ambiguous_run: (failure) => ({
    message:
      failure.name === null
        ? `several runs are ${failure.areStopped === true ? 'paused or failed' : 'active'}`
        : `"${failure.name}" matches several runs`,
    hint: `name one of: ${candidateList(failure.runs)}`,
  }),
  only_declared: ({ run, source }) => ({
    message: `${run} is only declared in ${source}; it has no state file yet`,
    hint: `\`holdfast status ${run}\` shows it; the first command that changes it stores it, or in a Claude Code session \`holdfast resume ${run}\``,
  }),
  all_held: (failure) => ({
    message: `every active run here belongs to another session: ${failure.runs.join(', ')}`,
    hint: 'continue one with `holdfast resume <run>` (with `--force` if its session is still live)',
  }),
  session_busy: (failure) => ({
    message: `this session already works on ${failure.run}`,
    hint: 'finish it with `holdfast complete`, or release it: the same command with --switch',
  }),
  plan_has_run: ({ plan, run, status }) => ({
    message: `${plan} already has a run: ${run}${status === 'in_progress' ? '' : ` (${status})`}`,
    hint: `continue it with \`holdfast resume ${run}\`, or end it with \`holdfast cancel ${run} --reason "…"\` first`,
  }),
  plan_without_phases: ({ plan }) => ({
    message: `${plan} has no phases: no check boxes and no numbered headings`,
    hint: 'add items such as `- [ ] write the tests` below headings, or name the phases yourself with `holdfast start <name> --phases "A,B,C" --read <file>`',
  }),
  plan_finished: ({ plan }) => ({
    message: `every item of ${plan} is done: there is nothing to start`,
    hint: 'add an open item, such as `- [ ] write the tests`, or start another run with `holdfast start <name>`',
  }),
  held_by_other: (failure) => ({
    message: `${failure.run} is held by session ${failure.session}, last seen ${failure.seen}`,
    hint:
      failure.verb === 'resume'
        ? `if that session is done, take it with \`holdfast resume ${failure.run} --force${failure.given === undefined ? '' : ` --session ${shellQuote(failure.given)}`}\``
        : 'only that session, or you from a terminal, can release it',
  }),
  no_session: (failure) => ({
    message: `${failure.run} is active, and this terminal is not a Claude Code session that could take it`,
    hint: `${failure.isInstalled === false ? 'run `holdfast init`, then in Claude Code type' : 'in Claude Code, type'} \`/holdfast:resume ${failure.run}\`, or name its session with --session <id>`,
  }),
  not_active: (failure) => ({
    message: `${failure.run} is ${failure.status}`,
    hint:
      failure.status === 'completed'
        ? `archive it with \`holdfast complete ${failure.run}\``
        : `resume it with \`holdfast resume ${failure.run}\`, then ${failure.command}`,
  }),
  run_archived: (failure) => ({
    message: `${failure.run} is ${failure.status} and in the archive`,
    hint: `reopen it with \`holdfast reopen ${failure.run}\`, then try again`,
  }),
  not_paused: (failure) => ({
    message: `${failure.run} is ${failure.status}, not paused`,
    hint: '`holdfast list` shows which runs are paused',
  }),
  nothing_paused: ({ unreadable = [] }) => ({
    message: 'no run here is paused',
    hint: missingRunHint(
      unreadable,
      null,
      '`holdfast list --all` shows all runs, archived ones too',
    ),
  }),
  phase_out_of_range: (failure) => ({
    message: `there is no phase ${failure.phase}: this run has ${failure.total} ${failure.total === 1 ? 'phase' : 'phases'}`,
    hint: phaseRangeHint(failure),
  }),
  unknown_entry: (failure) => ({
    message: `this run has no ${ENTRIES[failure.what]} "${failure.given}"`,
    hint:
      failure.existing.length > 0
        ? `available: ${failure.existing.join('; ')}`
        : `it has no ${ENTRIES[failure.what]} at all`,
  }),
  nothing_to_change: () => ({
    message: 'no change was given',
    hint: 'for example `holdfast update --phase 2 --remind "keep the API stable"`; `holdfast update --help` lists all',
  }),
};

/** That there is no run is only certain if every state file could be read. */
function missingRunHint(
  unreadable: readonly UnreadableFile[],
  others: string | null,
  none: string,
): string {
  const hints = [...unreadableHint(unreadable), ...(others === null ? [] : [others])];
  return hints.length === 0 ? none : hints.join('; ');
}

const MAX_LISTED = 12;

/** Runs with the same name differ only in their files. Either can be typed. */
export function candidateList(runs: readonly RunCandidate[]): string {
  return shortList(runs.map(({ run, source }) => (source === null ? run : `${run} (${source})`)));
}

function shortList(names: readonly string[]): string {
  const left = names.length - MAX_LISTED;
  return left <= 0
    ? names.join(', ')
    : `${names.slice(0, MAX_LISTED).join(', ')} and ${left} more (\`holdfast list\`)`;
}

function phaseRangeHint({ phase, command }: { phase: number; command: 'update' | 'skip' }): string {
  if (phase < 1) return 'phases count from 1; `holdfast status` shows which there are';
  return command === 'update'
    ? `give both numbers to change the total, for example --phase ${phase}/${phase}`
    : '`holdfast status` shows which there are';
}
