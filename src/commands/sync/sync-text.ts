import { syncIsOff } from '../../sync/clone.ts';
import type { OutgoingRun, RunSync, RunSyncState, SyncStatus } from '../../sync/status.ts';
import type { SyncReport } from '../../sync/sync.ts';
import { conflictValues } from '../../state/conflicts.ts';
import { pluralize, timeAgo } from '../../text/relative-time.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import type { CommandContext } from '../view/output.ts';
import { paragraphs, section } from '../view/layout.ts';
import { resumeText } from '../view/how-to-resume.ts';
import { table } from '../view/table.ts';

/** What a sync did. */
export function reportText(cli: CommandContext, report: SyncReport): string {
  const { sent, arrived, updated } = report;
  const remote = sanitizeLine(report.remote);
  const counts = [
    [sent.length, 'sent'],
    [arrived.length, 'new here'],
    [updated.length, 'updated here'],
  ] as const;
  const changed = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  const conflicts = report.conflicts.map((conflict) => {
    const { kept, other } = conflictValues(conflict);
    const where = `\`holdfast history ${conflict.run}\``;
    return sanitizeLine(
      `${conflict.run}, ${conflict.field}: kept ${kept}; the other value, ${other}, is in ${where}`,
    );
  });
  const hidden = `${remote} has it, but does not list it; ask its owner to show refs/holdfast/*, or use another remote`;
  const sections: [title: string, lines: readonly string[]][] = [
    ['New here', arrived.map((run) => `${run}: ${resumeText(cli, run)} continues it`)],
    ['Ended on another machine', report.ended],
    [
      'Taken over on another machine',
      report.taken_over.map((run) => `${run}: ${resumeText(cli, run)} takes it back`),
    ],
    ['Changed in two places', conflicts],
    ['Not visible to other machines', report.hidden.map((run) => `${run}: ${hidden}`)],
    ['History replaced on the remote, merged again', report.rewritten],
    ['Not read', report.skipped.map(({ run, reason }) => `${run}: ${reason}`)],
  ];
  return paragraphs([
    `Synced with ${remote}: ${changed.join(', ') || 'everything was in step'}.`,
    ...sections.map(([title, lines]) => section(cli.output.colors.bold(title), lines)),
  ]);
}

/** What of a run will leave this machine, field by field. */
export function outgoingText({ output }: CommandContext, run: OutgoingRun): string {
  const rows = Object.entries(run.fields).map(([field, value]) => [
    field,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const lines = table(
    [{ title: 'FIELD' }, { title: 'VALUE' }],
    [...rows, ['journal', pluralize(run.events, 'event')]],
  );
  const title = output.colors.bold(`Leaves with the next sync: ${run.run_id}`);
  return section(title, lines.split('\n'));
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
    return sanitizeLine(
      [message, hint].map((part) => `${part.charAt(0).toUpperCase()}${part.slice(1)}.`).join(' '),
    );
  }
  const shown = runs.filter(({ state }) => state !== 'ended');
  const hidden = runs.length - shown.length;
  const rows = shown.map((run) => [run.run_id, STATES[run.state], changesText(run)]);
  const columns = [{ title: 'RUN' }, { title: 'STATE' }, { title: 'CHANGED' }];
  return paragraphs([
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
      rows.length === 0 ? [] : table(columns, rows).split('\n'),
    ),
    hidden === 0 ? '' : `${pluralize(hidden, 'run')} ended.`,
    section(
      bold('Machines'),
      machines.map(
        (entry) =>
          `${entry.machine}${entry.is_here ? ' (this one)' : ''}: holdfast ${sanitizeLine(entry.version)}, last change ${timeAgo(entry.at, cli.now)}`,
      ),
    ),
    `Next: ${secrets.length === 0 ? '' : 'change what looks like a secret as named above, then '}holdfast sync`,
  ]);
}

export function changesText({ is_new, fields, reason }: RunSync): string {
  if (reason !== undefined) return reason;
  return is_new ? 'new' : sanitizeLine(fields.join(', '));
}
