import { describe } from '../../errors/describe.ts';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { isRunByAgent } from '../../operations/require-person.ts';
import { NEVER_SENT, outgoingRuns } from '../../remote/outgoing.ts';
import { pruneRuns } from '../../remote/prune.ts';
import { turnOff, turnOn } from '../../remote/switch.ts';
import { getSyncStatus, waitingRuns } from '../../remote/sync-status.ts';
import type { SyncReport } from '../../remote/sync-report.ts';
import { syncRuns } from '../../remote/sync.ts';
import { pluralize } from '../../util/relative-time.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import type { CommandContext } from '../context.ts';
import { section } from '../output/layout.ts';
import { resumeText } from '../output/how-to-resume.ts';
import { print } from '../output/output.ts';
import { changesText, outgoingText, reportText, statusText } from '../output/sync-text.ts';

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

export async function switchOn(
  cli: CommandContext,
  remote: string,
  options: SyncOptions,
): Promise<void> {
  const timeoutMs = timeoutFrom(options);
  const { wasOn, ...on } = turnOn(cli, remote);
  const received = await receive(cli, timeoutMs);
  const arrived = received?.arrived ?? [];
  const status = getSyncStatus(cli);
  const waiting = waitingRuns(status);
  const runs = outgoingRuns(
    cli,
    waiting.map(({ run_id: run }) => run),
  );
  const shown = new Set(runs.map(({ run_id: run }) => run));
  const isInStep = waiting.length === 0 && status.runs.length > arrived.length;
  const { bold } = cli.output.colors;
  const name = sanitizeLine(remote);
  const text = [
    `Sync is ${wasOn ? 'already ' : ''}on with ${name} in this clone. ${sentText(isInStep, wasOn)}`,
    section(
      bold(`New here, from ${name}`),
      arrived.map((run) => `${run}: ${resumeText(cli, run)} continues it`),
    ),
    ...runs.map((run) => outgoingText(cli, run)),
    section(
      bold('Leaves with the next sync'),
      waiting
        .filter(({ run_id: run }) => !shown.has(run))
        .map((run) => `${run.run_id}: ${changesText(run)}`),
    ),
    status.runs.length === 0
      ? `There is no run here yet${received === null ? '' : `, and none on ${name}`}. \`holdfast sync\` sends the fields of a run's state file and its journal.`
      : '',
    section(bold('Never leaves this machine'), NEVER_SENT),
    waiting.length === 0 && arrived.length > 0
      ? `Next: ${resumeText(cli, arrived.length === 1 ? (arrived[0] ?? '') : '<run>')}; \`holdfast sync\` sends what you change`
      : 'Next: holdfast sync',
  ];
  cli.output.result(
    { ...on, runs, never_sent: NEVER_SENT, arrived },
    text.filter((part) => part !== '').join('\n\n'),
  );
}

function sentText(isInStep: boolean, wasOn: boolean): string {
  if (isInStep) return 'Nothing here is waiting to be sent.';
  return wasOn ? 'Nothing was sent now.' : 'Nothing was sent yet.';
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

export function switchOff(cli: CommandContext): void {
  const { remote, isThere } = turnOff(cli);
  const again = isThere && remote !== null ? sanitizeLine(remote) : '<remote>';
  cli.output.result(
    { remote: null, was: remote },
    remote === null
      ? 'Sync is off in this clone already.'
      : `Sync is off in this clone. Runs stay, here and on ${sanitizeLine(remote)}; \`holdfast sync on ${again}\` continues.`,
  );
}

export function showStatus(cli: CommandContext): void {
  const status = getSyncStatus(cli);
  cli.output.result(status, statusText(cli, status));
}

function showDryRun(cli: CommandContext): void {
  const status = getSyncStatus(cli);
  if (status.remote === null)
    throw new HoldfastError({
      code: 'sync_is_off',
      remotes: status.remotes,
      isAgent: isRunByAgent(cli),
    });
  if (status.secrets.length > 0)
    throw new HoldfastError({ code: 'sync_secrets', found: status.secrets });
  const waiting = waitingRuns(status);
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
      ? `No run on ${sanitizeLine(remote)} ended more than 30 days ago.`
      : `${verb} ${count} from ${sanitizeLine(remote)}; records stay in the archives of each machine.`;
  cli.output.result(
    { remote, pruned, dry_run: dryRun },
    [lead, ...pruned.map((run) => `  ${run}`)].join('\n'),
  );
}
