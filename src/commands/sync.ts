import { HoldfastError } from '../text/holdfast-error.ts';
import * as clones from '../sync/clone.ts';
import { getSyncStatus, isWaiting, type SyncStatus } from '../sync/status.ts';
import { conflictValues } from '../state/conflicts.ts';
import { forgetRemoved, pruneRuns } from '../sync/prune.ts';
import type { SyncReport } from '../sync/report.ts';
import { syncRuns } from '../sync/sync.ts';
import type { WithheldField } from '../sync/withheld.ts';
import { humanizeStatus, pluralize } from '../text/relative-time.ts';
import { asWord, sanitizeLine } from '../text/sanitize.ts';
import { proposedWord } from '../text/shell-commands.ts';
import {
  print,
  type CommandContext,
  paragraphs,
  section,
  table,
} from './view/output.ts';
import { command, requirePerson, type Shown } from './command.ts';
import type {
  SyncAllowDocument,
  SyncDocument,
  SyncDryRunDocument,
  SyncOffDocument,
  SyncOnDocument,
  SyncPruneDocument,
  SyncStatusDocument,
} from './json/documents.ts';
import { flag, parsedOption } from './options.ts';
import { durationFrom } from './run.ts';
import { resumeText } from './view/report-run.ts';

const TIMEOUT_MS = 60_000;
const timeout = parsedOption(
  'how long the remote may take to answer: 40s, 5m (default: 60s)',
  'time',
  durationFrom,
);

/** What `sync` keeps here, in the words of the state file. */
const NEVER_SENT = [
  'facts set with --set-local',
  'whole session ids (their first 8 characters are sent)',
  'host names, process ids, user names, absolute paths of the project and of your home folder',
  'which files a session has read, what it has in context, how often it was compacted',
  'the content of any file of the project, and the todo list',
  'transcripts, settings, trust in templates',
];

const on = command({
  usage: 'on <remote>',
  about:
    'switch it on in this clone; shows what will leave this machine, and sends nothing yet',
  examples: ['holdfast sync on origin'],
  options: { timeout },
  run: async (
    cli,
    { remote, timeout: timeoutMs = TIMEOUT_MS },
  ): Promise<Shown<SyncOnDocument>> => {
    requireUser(cli, 'on');
    const before = clones.openClone(cli);
    clones.requireRemote(before, remote);
    const clone = clones.requireOn(clones.switchOn(before, remote), cli);
    forgetRemoved(cli, clone);
    const received = await receive(cli, timeoutMs);
    const arrived = received?.arrived ?? [];
    const status = getSyncStatus(cli);
    const runs = status.outgoing;
    const { bold } = cli.output.colors;
    const name = asWord(remote);
    const lead = [
      `Sync is on with ${name} in this clone. Nothing was sent.`,
      received !== null && arrived.length === 0
        ? `There is nothing new on ${name}.`
        : '',
      section(bold(`New here, from ${name}`), arrivedLines(cli, arrived)),
      ...runs.map((run) => outgoingText(cli, run)),
      withheldText(cli, status.secrets),
      section(bold('Never leaves this machine'), NEVER_SENT),
    ];
    const next =
      arrived.length > 0 && !status.runs.some(isWaiting)
        ? `${resumeText(cli, arrived.length === 1 ? (arrived[0] ?? '') : '<run>')}; \`holdfast sync\` sends what you change`
        : 'holdfast sync';
    const { project, place } = clone;
    const { machine } = place;
    const { secrets } = status;
    const data = {
      remote,
      project,
      machine,
      runs,
      secrets,
      never_sent: NEVER_SENT,
      arrived,
    };
    return { data, text: statusText(cli, status.runs, lead, next) };
  },
});

/** Receiving sends nothing. It is on even if the remote cannot be reached now. */
async function receive(
  cli: CommandContext,
  timeoutMs: number,
): Promise<SyncReport | null> {
  sayBusy(cli);
  try {
    return await syncRuns(cli, { timeoutMs, sends: false });
  } catch (error) {
    if (!(error instanceof HoldfastError) || error.code !== 'sync_transport')
      throw error;
    cli.output.warn(
      `${error.message}; runs of other machines come with the next \`holdfast sync\``,
    );
    return null;
  }
}

const off = command({
  usage: 'off',
  about: 'switch it off in this clone; runs and refs stay',
  examples: ['holdfast sync off'],
  run: (cli): Shown<SyncOffDocument> => {
    requireUser(cli, 'off');
    const clone = clones.openClone(cli);
    const { remote, remotes } = clone;
    // The refs stay: switching it on again continues where it was.
    if (remote !== null) clones.switchOff(clone);
    const again =
      remote !== null && remotes.includes(remote)
        ? proposedWord(remote, '<remote>')
        : '<remote>';
    return {
      data: { remote: null, was: remote },
      text:
        remote === null
          ? 'Sync is off in this clone already.'
          : `Sync is off in this clone. Runs stay, here and on ${asWord(remote)}; \`holdfast sync on ${again}\` continues.`,
    };
  },
});

const statusCommand = command({
  usage: 'status',
  about:
    'show what is in step and what is to be sent, without asking the remote',
  examples: ['holdfast sync status --json'],
  isLook: true,
  run: (cli): Shown<SyncStatusDocument> => {
    const { outgoing: _outgoing, ...data } = getSyncStatus(cli);
    const { remote, remotes, machine, secrets } = data;
    if (remote === null)
      return {
        data,
        text: sanitizeLine(`Sync is off; ${clones.syncIsOff(remotes).hint}.`),
      };
    const lead = [
      `Sync is on with ${asWord(remote)}. This machine is ${machine}.`,
      withheldText(cli, secrets),
    ];
    return { data, text: statusText(cli, data.runs, lead) };
  },
});

const allow = command({
  usage: 'allow <fingerprint>',
  about:
    'allow a value that looks like a secret but is none to be sent from this clone',
  examples: ['holdfast sync allow 5f0c31a97be2d846'],
  run: (cli, { fingerprint }): Shown<SyncAllowDocument> => {
    requireUser(cli, 'allow');
    const clone = clones.requireOn(clones.openClone(cli), cli);
    if (clone.allowed.includes(fingerprint))
      return {
        data: { fingerprint, fields: [] },
        text: 'It is allowed in this clone already.',
      };
    const fields = getSyncStatus(cli).secrets.filter(
      (found) => found.fingerprint === fingerprint,
    );
    if (fields.length === 0)
      throw new HoldfastError(
        'sync_unknown_fingerprint',
        'no value that sync leaves out here has this fingerprint',
        { hint: '`holdfast sync status` names those that it leaves out' },
      );
    clones.allowValue(clone, fingerprint);
    const named = fields.map(({ run, field, kind }) =>
      sanitizeLine(`${asWord(field)} of ${run} (${kind})`),
    );
    return {
      data: { fingerprint, fields },
      text: `Allowed in this clone: ${named.join(', ')}. \`holdfast sync\` sends it; \`git config --unset holdfast.allowed ${fingerprint}\` takes that back.`,
    };
  },
});

const prune = command({
  usage: 'prune',
  about:
    'remove runs that ended more than 30 days ago from the remote; archives stay',
  examples: ['holdfast sync prune --dry-run'],
  options: { dryRun: flag('name the runs without removing them'), timeout },
  run: async (
    cli,
    { dryRun, timeout: timeoutMs = TIMEOUT_MS },
  ): Promise<Shown<SyncPruneDocument>> => {
    requireUser(cli, 'prune');
    const { remote, pruned } = await pruneRuns(cli, { dryRun, timeoutMs });
    const count = pluralize(pruned.length, 'run');
    const verb = dryRun ? 'Would remove' : 'Removed';
    const lead =
      pruned.length === 0
        ? `No run on ${asWord(remote)} ended more than 30 days ago.`
        : `${verb} ${count} from ${asWord(remote)}; records stay in the archives of each machine.`;
    return {
      data: { remote, pruned, dry_run: dryRun },
      text: [lead, ...pruned.map((run) => `  ${run}`)].join('\n'),
    };
  },
});

export const sync = command({
  usage: 'sync',
  about: 'exchange runs with other machines and people through a git remote',
  examples: [
    'holdfast sync on origin',
    'holdfast sync',
    'holdfast sync --dry-run',
  ],
  options: {
    dryRun: flag(
      'show what would be sent, without asking the remote or sending anything',
    ),
    timeout,
  },
  run: async (
    cli,
    { dryRun, timeout: timeoutMs = TIMEOUT_MS },
  ): Promise<Shown<SyncDocument | SyncDryRunDocument>> => {
    if (dryRun) return showDryRun(cli);
    sayBusy(cli);
    const report = await syncRuns(cli, { timeoutMs, sends: true });
    return { data: report, text: reportText(cli, report) };
  },
  subcommands: [on, off, statusCommand, allow, prune],
});

/** On a terminal only: a log needs no line about something that is over when it is read. */
function sayBusy({ output }: CommandContext): void {
  if (!output.json && process.stderr.isTTY) print(2, 'talking to the remote …');
}

/** What leaves a machine is for its user to decide. */
function requireUser(
  cli: CommandContext,
  name: 'on' | 'off' | 'allow' | 'prune',
): void {
  const typed = `\`holdfast sync ${name}\``;
  requirePerson(
    cli,
    'sync',
    `run ${typed}`,
    () => 'it in a terminal of their own',
  );
}

function showDryRun(cli: CommandContext): Shown<SyncDryRunDocument> {
  const { remote, remotes, runs, secrets } = getSyncStatus(cli);
  if (remote === null) throw clones.syncIsOff(remotes);
  const lead = `Nothing was sent, and ${asWord(remote)} was not asked; what it has is merged first.`;
  return {
    data: { remote, would_send: runs.filter(isWaiting), secrets },
    text: statusText(cli, runs, [lead, withheldText(cli, secrets)]),
  };
}

/** Each value by its field, with what keeps it here and what lets it pass; never the value itself. */
function withheldText(
  { output }: CommandContext,
  secrets: readonly WithheldField[],
): string {
  const lines = secrets.flatMap(({ run, field, kind, fingerprint, remedy }) => [
    sanitizeLine(`${asWord(field)} of ${run}: ${kind}`),
    `  ${sanitizeLine(remedy)}`,
    `  or, if it is no secret, \`holdfast sync allow ${fingerprint}\` in a terminal`,
  ]);
  const title = 'Runs with values that look like secrets are left out';
  return section(output.colors.bold(title), lines);
}

function arrivedLines(cli: CommandContext, runs: readonly string[]): string[] {
  return runs.map((run) => `${run}: ${resumeText(cli, run)} continues it`);
}

function reportText(cli: CommandContext, report: SyncReport): string {
  const { sent, arrived, updated } = report;
  const remote = asWord(report.remote);
  const counts = [
    [sent.length, 'sent'],
    [arrived.length, 'new here'],
    [updated.length, 'updated here'],
  ] as const;
  const changed = counts
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count} ${what}`);
  const conflicts = report.conflicts.map((conflict) => {
    const { kept, other } = conflictValues(conflict);
    const where = `\`holdfast history ${conflict.run}\``;
    return sanitizeLine(
      `${conflict.run}, ${asWord(conflict.field)}: kept ${kept}; the other value, ${other}, is in ${where}`,
    );
  });
  const hidden = `${remote} has it, but does not list it; ask its owner to show refs/holdfast/*, or use another remote`;
  const sections: [title: string, lines: readonly string[]][] = [
    ['New here', arrivedLines(cli, arrived)],
    ['Ended on another machine', report.ended],
    [
      'Taken over on another machine',
      report.taken_over.map(
        (run) => `${run}: ${resumeText(cli, run)} takes it back`,
      ),
    ],
    ['Changed in two places', conflicts],
    [
      'Not visible to other machines',
      report.hidden.map((run) => `${run}: ${hidden}`),
    ],
    ['History replaced on the remote, merged again', report.rewritten],
    [
      'Not synced',
      report.skipped.map(({ run, reason }) =>
        sanitizeLine(`${run}: ${reason}`),
      ),
    ],
  ];
  const nothing =
    report.secrets.length === 0 ? 'everything was in step' : 'nothing was sent';
  return paragraphs([
    `Synced with ${remote}: ${changed.join(', ') || nothing}.`,
    withheldText(cli, report.secrets),
    ...sections.map(([title, lines]) =>
      section(cli.output.colors.bold(title), firstOf(lines)),
    ),
  ]);
}

/** Anybody who can push decides how many refs there are, of runs and of what is none. `--json` has all of them. */
const MAX_NAMED = 10;

function firstOf(lines: readonly string[]): string[] {
  const more = lines.length - MAX_NAMED;
  return more > 0
    ? [...lines.slice(0, MAX_NAMED), `and ${more} more`]
    : [...lines];
}

function outgoingText(
  { output }: CommandContext,
  run: SyncStatus['outgoing'][number],
): string {
  const rows = Object.entries(run.fields).map(([field, value]) => [
    field,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const lines = table(
    ['FIELD', 'VALUE'],
    [...rows, ['journal', pluralize(run.events, 'event')]],
  );
  const title = output.colors.bold(`Leaves with the next sync: ${run.run_id}`);
  return section(title, lines.split('\n'));
}

/** After `lead`: the runs here and on the remote, as far as is known without asking it. */
function statusText(
  { output }: CommandContext,
  runs: SyncStatus['runs'],
  lead: readonly string[],
  next = 'holdfast sync',
): string {
  const shown = runs.filter(
    ({ state }) => state !== 'ended' && state !== 'unreadable',
  );
  const unreadable = runs.filter(({ state }) => state === 'unreadable');
  const ended = runs.length - shown.length - unreadable.length;
  const rows = shown.map((run) => [
    run.run_id,
    humanizeStatus(run.state),
    changesText(run),
  ]);
  const reasons = unreadable.map((run) =>
    sanitizeLine(`${run.run_id}: ${changesText(run)}`),
  );
  return paragraphs([
    ...lead,
    runs.length === 0 ? 'There is no run here yet.' : '',
    section(
      output.colors.bold('Runs, as of the last sync'),
      rows.length === 0
        ? []
        : table(['RUN', 'STATE', 'CHANGED'], rows).split('\n'),
    ),
    section(output.colors.bold('Not synced'), firstOf(reasons)),
    ended === 0 ? '' : `${pluralize(ended, 'run')} ended.`,
    `Next: ${next}`,
  ]);
}

function changesText(run: SyncStatus['runs'][number]): string {
  if ('reason' in run) return run.reason;
  return run.is_new
    ? 'new'
    : run.fields.map((field) => asWord(field)).join(', ');
}
