import { syncIsOff } from '../../sync/clone.ts';
import type { OutgoingRun, RunSync, RunSyncState, SyncStatus } from '../../sync/status.ts';
import type { SyncReport } from '../../sync/sync.ts';
import { conflictValues } from '../../state/conflicts.ts';
import { pluralize, timeAgo } from '../../text/relative-time.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import type { CommandContext } from '../view/output.ts';
import { section } from '../view/layout.ts';
import { resumeText } from '../view/how-to-resume.ts';
import { table } from '../view/table.ts';

/** What a sync did. */
export function reportText(cli: CommandContext, report: SyncReport): string {
  const { bold } = cli.output.colors;
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
      arrived.map((run) => `${run}: ${resumeText(cli, run)} continues it`),
    ),
    section(bold('Ended on another machine'), ended),
    section(
      bold('Taken over on another machine'),
      report.taken_over.map((run) => `${run}: ${resumeText(cli, run)} takes it back`),
    ),
    section(bold('Changed in two places'), conflicts.map(conflictText)),
    section(
      bold('Not visible to other machines'),
      report.hidden.map(
        (run) =>
          `${run}: ${sanitizeLine(remote)} has it, but does not list it; ask its owner to show refs/holdfast/*, or use another remote`,
      ),
    ),
    section(bold('History replaced on the remote, merged again'), rewritten),
    section(
      bold('Not read'),
      skipped.map(({ run, reason }) => `${run}: ${reason}`),
    ),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function conflictText(conflict: SyncReport['conflicts'][number]): string {
  const { run, field } = conflict;
  const { kept, other } = conflictValues(conflict);
  return sanitizeLine(
    `${run}, ${field}: kept ${kept}; the other value, ${other}, is in \`holdfast history ${run}\``,
  );
}

/** What of a run will leave this machine, field by field. */
export function outgoingText(
  { output }: CommandContext,
  { run_id, fields, events }: OutgoingRun,
): string {
  const rows = Object.entries(fields).map(([field, value]) => [
    field,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return section(
    output.colors.bold(`Leaves with the next sync: ${run_id}`),
    table(
      [{ title: 'FIELD' }, { title: 'VALUE' }],
      [...rows, ['journal', pluralize(events, 'event')]],
    ).split('\n'),
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

/** What is in step and what is to be sent. */
export function statusText(cli: CommandContext, status: Omit<SyncStatus, 'outgoing'>): string {
  const { bold } = cli.output.colors;
  const { remote, remotes, machine, runs, machines, secrets } = status;
  if (remote === null) {
    const { message, hint } = syncIsOff(remotes);
    return sanitizeLine([message, hint].map((part) => `${capitalized(part)}.`).join(' '));
  }
  const shown = runs.filter(({ state }) => state !== 'ended');
  const hidden = runs.length - shown.length;
  return [
    `Sync is on with ${sanitizeLine(remote)}. This machine is ${machine}.`,
    runs.length === 0 ? 'No run has been synced yet.' : '',
    section(
      bold('Looks like a secret, stops the sync'),
      secrets.map(({ field, run, kind, remedy }) =>
        sanitizeLine(`${field} of ${run}: ${kind}; ${remedy}`),
      ),
    ),
    section(
      bold('Runs, as of the last sync'),
      shown.length === 0
        ? []
        : table(
            [{ title: 'RUN' }, { title: 'STATE' }, { title: 'CHANGED' }],
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
    secrets.length === 0
      ? 'Next: holdfast sync'
      : 'Next: change what looks like a secret as named above, then holdfast sync',
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

export function changesText({ is_new, fields, reason }: RunSync): string {
  if (reason !== undefined) return reason;
  return is_new ? 'new' : sanitizeLine(fields.join(', '));
}
