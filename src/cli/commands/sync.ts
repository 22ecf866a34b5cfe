import { describe } from '../../errors/describe.ts';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { NEVER_SENT, type OutgoingRun } from '../../remote/outgoing.ts';
import { pruneRuns } from '../../remote/prune.ts';
import { turnOff, turnOn } from '../../remote/switch.ts';
import {
  getSyncStatus,
  type RunSync,
  type RunSyncState,
  type SyncStatus,
} from '../../remote/sync-status.ts';
import { syncRuns, type SyncReport } from '../../remote/sync.ts';
import type { SnapshotDefect } from '../../remote/snapshot.ts';
import { pluralize, timeAgo } from '../../util/relative-time.ts';
import { sanitizeLine, truncate } from '../../util/sanitize.ts';
import { unreachable } from '../../util/unreachable.ts';
import type { CommandContext } from '../context.ts';
import { section } from '../output/layout.ts';
import { table } from '../output/table.ts';
import { print } from '../output/output.ts';

export interface SyncOptions {
  dryRun?: boolean;
  timeout?: string;
}

export async function sync(cli: CommandContext, options: SyncOptions): Promise<void> {
  if (options.dryRun === true) {
    showDryRun(cli);
    return;
  }
  const report = await syncRuns(cli, {
    timeoutMs: timeoutFrom(options),
    progress: (line) => progress(cli, line),
    sends: true,
  });
  cli.output.result(report, reportText(cli, report));
}

const DEFAULT_TIMEOUT_MS = 60_000;
const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

function timeoutFrom({ timeout }: SyncOptions): number {
  if (timeout === undefined) return DEFAULT_TIMEOUT_MS;
  const [, count = '', unit = ''] = /^(\d{1,5})([smh])$/.exec(timeout.trim()) ?? [];
  const milliseconds = Number(count) * (UNITS[unit] ?? 0);
  if (milliseconds > 0) return milliseconds;
  throw new HoldfastError({
    code: 'bad_value',
    option: '--timeout',
    given: timeout,
    expected: { kind: 'sync_timeout' },
  });
}

/** On a terminal only: a log needs no line about something that is over when it is read. */
function progress({ output }: CommandContext, line: string): void {
  if (!output.json && process.stderr.isTTY) print(2, line);
}

function reportText({ output }: CommandContext, report: SyncReport): string {
  const { bold } = output.colors;
  const { remote, sent, arrived, updated, ended, conflicts, skipped, rewritten } = report;
  const counts = [
    [sent.length, 'sent'],
    [arrived.length, 'new here'],
    [updated.length, 'updated here'],
  ] as const;
  const changed = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  const lead = `Synced with ${sanitizeLine(remote)}: ${changed.length === 0 ? 'everything was in step' : changed.join(', ')}.`;
  return [
    lead,
    section(
      bold('New here'),
      arrived.map((run) => `${run}: continue it with \`holdfast resume ${run}\``),
    ),
    section(bold('Ended on another machine'), ended),
    section(
      bold('Taken over on another machine'),
      report.taken_over.map(
        (run) => `${run}: take it back with \`holdfast resume ${run} --force\``,
      ),
    ),
    section(bold('Changed in two places'), conflicts.map(conflictText)),
    section(bold('History replaced on the remote, merged again'), rewritten),
    section(
      bold('Not read'),
      skipped.map(({ run, defect }) => `${run}: ${defectText(defect)}`),
    ),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function conflictText({ run, field, kept, other }: SyncReport['conflicts'][number]): string {
  return sanitizeLine(
    `${run}, ${field}: kept ${valueText(kept)}; the other value, ${valueText(other)}, is in \`holdfast history ${run}\``,
  );
}

function valueText(value: unknown): string {
  return truncate(JSON.stringify(value) ?? 'nothing', 80);
}

function defectText(defect: SnapshotDefect): string {
  switch (defect.kind) {
    case 'newer':
      return `a newer version of holdfast${defect.version === null ? '' : ` (${sanitizeLine(defect.version)})`} wrote it; update holdfast here`;
    case 'not_a_run':
      return 'its ref holds something else, which stays as it is';
    case 'bad_state':
      return 'its state cannot be read; it stays as it is';
    default:
      return unreachable(defect);
  }
}

export async function switchOn(
  cli: CommandContext,
  remote: string,
  options: SyncOptions,
): Promise<void> {
  const timeoutMs = timeoutFrom(options);
  const on = turnOn(cli, remote);
  const received = await receive(cli, timeoutMs);
  const arrived = received?.arrived ?? [];
  const { bold } = cli.output.colors;
  const name = sanitizeLine(remote);
  const text = [
    `Sync is on with ${name} in this clone. Nothing was sent yet.`,
    ...(on.runs.length === 0
      ? [
          'There is no run here yet. `holdfast sync` sends the fields of its state file and its journal.',
        ]
      : on.runs.map((run) => outgoingText(cli, run))),
    section(bold('Never leaves this machine'), NEVER_SENT),
    section(
      bold(`New here, from ${name}`),
      arrived.map((run) => `${run}: continue it with \`holdfast resume ${run}\``),
    ),
    on.runs.length === 0 && arrived.length > 0
      ? 'Next: resume a run in a Claude Code session; holdfast sync sends what you change'
      : 'Next: holdfast sync',
  ];
  cli.output.result(
    { ...on, never_sent: NEVER_SENT, arrived },
    text.filter((part) => part !== '').join('\n\n'),
  );
}

/** Receiving sends nothing. It is on even if the remote cannot be reached now. */
async function receive(cli: CommandContext, timeoutMs: number): Promise<SyncReport | null> {
  try {
    return await syncRuns(cli, {
      timeoutMs,
      progress: (line) => progress(cli, line),
      sends: false,
    });
  } catch (error) {
    if (!(error instanceof HoldfastError) || error.code !== 'sync_transport') throw error;
    const { message } = describe(error.failure);
    cli.output.warn(`${message}; runs of other machines come with the next \`holdfast sync\``);
    return null;
  }
}

function outgoingText({ output }: CommandContext, { run_id, fields, events }: OutgoingRun): string {
  const rows = Object.entries(fields).map(([field, value]) => [
    field,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return section(
    output.colors.bold(`Leaves with the next sync: ${run_id}`),
    table(
      [
        { title: 'FIELD', max: 34 },
        { title: 'VALUE', max: 72 },
      ],
      [...rows, ['journal', pluralize(events, 'event')]],
    ).split('\n'),
  );
}

export function switchOff(cli: CommandContext): void {
  const { remote } = turnOff(cli);
  cli.output.result(
    { remote: null, was: remote },
    `Sync is off in this clone. Runs stay, here and on ${sanitizeLine(remote)}; \`holdfast sync on ${sanitizeLine(remote)}\` continues.`,
  );
}

const STATES: Readonly<Record<RunSyncState, string>> = {
  in_step: 'in step',
  to_send: 'to send',
  to_receive: 'to receive',
  to_merge: 'to merge',
  ended: 'ended',
  removed_here: 'removed here',
  unreadable: 'not readable',
};

export function showStatus(cli: CommandContext): void {
  const status = getSyncStatus(cli);
  cli.output.result(status, statusText(cli, status));
}

function statusText(cli: CommandContext, status: SyncStatus): string {
  const { bold } = cli.output.colors;
  const { remote, remotes, machine, runs, machines, secrets } = status;
  if (remote === null) {
    const [first = 'origin'] = remotes.includes('origin') ? ['origin'] : remotes;
    return `Sync is off in this clone. \`holdfast sync on ${sanitizeLine(first)}\` switches it on and shows what will leave this machine.`;
  }
  const shown = runs.filter(({ state }) => state !== 'ended');
  const hidden = runs.length - shown.length;
  return [
    `Sync is on with ${sanitizeLine(remote)}. This machine is ${machine}.`,
    runs.length === 0 ? 'No run has been synced yet.' : '',
    section(
      bold('Looks like a secret, stops the sync'),
      secrets.map(({ run, field, kind }) => sanitizeLine(`${field} of ${run}: ${kind}`)),
    ),
    section(
      bold('Runs, as of the last sync'),
      shown.length === 0
        ? []
        : table(
            [
              { title: 'RUN', max: 44 },
              { title: 'STATE', max: 13 },
              { title: 'CHANGED', max: 60 },
            ],
            shown.map((run) => [run.run_id, STATES[run.state], changesText(run)]),
          ).split('\n'),
    ),
    hidden === 0 ? '' : `${pluralize(hidden, 'run')} ended.`,
    section(
      bold('Machines'),
      machines.map(
        (entry) =>
          `${entry.machine}${entry.is_here ? ' (this one)' : ''}: holdfast ${sanitizeLine(entry.version)}, last change ${timeAgo(entry.at, cli.now)}`,
      ),
    ),
    'Next: holdfast sync',
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function changesText({ is_new, fields, defect }: RunSync): string {
  if (defect !== undefined) return defectText(defect);
  return is_new ? 'new' : sanitizeLine(fields.join(', '));
}

function showDryRun(cli: CommandContext): void {
  const status = getSyncStatus(cli);
  if (status.remote === null)
    throw new HoldfastError({ code: 'sync_is_off', remotes: status.remotes });
  if (status.secrets.length > 0)
    throw new HoldfastError({ code: 'sync_secrets', found: status.secrets });
  const waiting = status.runs.filter(({ state }) => state === 'to_send' || state === 'to_merge');
  const lead =
    waiting.length === 0
      ? `Nothing here is waiting to be sent to ${sanitizeLine(status.remote)}.`
      : `Would send ${pluralize(waiting.length, 'run')} to ${sanitizeLine(status.remote)}:`;
  const lines = waiting.map((run) => `  ${run.run_id}: ${changesText(run)}`);
  cli.output.result(
    { remote: status.remote, would_send: waiting },
    [lead, ...lines, '', 'The remote was not asked; what it has is merged first.'].join('\n'),
  );
}

export async function prune(cli: CommandContext, options: SyncOptions): Promise<void> {
  const { dryRun = false } = options;
  const { remote, pruned } = await pruneRuns(cli, { timeoutMs: timeoutFrom(options), dryRun });
  const count = pluralize(pruned.length, 'run');
  const verb = dryRun ? 'Would remove' : 'Removed';
  const lead =
    pruned.length === 0
      ? `No run on ${sanitizeLine(remote)} ended more than 90 days ago.`
      : `${verb} ${count} from ${sanitizeLine(remote)}; records stay in the archives of each machine.`;
  cli.output.result(
    { remote, pruned, dry_run: dryRun },
    [lead, ...pruned.map((run) => `  ${run}`)].join('\n'),
  );
}
