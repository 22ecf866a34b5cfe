import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { isRunning } from '../../io/is-running.ts';
import { join } from 'node:path';
import { locate } from '../../io/read-file.ts';
import { readDriverFile } from '../../operations/driver-record.ts';
import { clientProcess } from '../../sessions/client-process.ts';
import { LOGS_FOLDER, driverFile } from '../../state/paths.ts';
import { isObject } from '../../util/json.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import { findingsFor } from '../findings.ts';
import { clientOnPath, DRIVING_NEEDS, isAtLeast, LEAST_DRIVEN_CLIENT } from '../host/client.ts';
import { readSettingsFiles } from '../host/settings-files.ts';
import { quoteForShell } from '../quote-for-shell.ts';
import type { Check, DoctorContext, Finding } from '../types.ts';

const report = findingsFor('headless');

/** What `holdfast run` needs, and what its drivers have left behind. */
export const checkHeadless: Check = {
  run: (context) => {
    const runs = loggedRuns(context.root);
    return [
      client(context),
      login(context, runs.length > 0),
      ...runs.flatMap((runId) => leftDriver(context, runId)),
      ...largeLogs(context, runs),
    ];
  },
};

function client(context: DoctorContext): Finding {
  const found = clientOnPath(context);
  if (found.version === null)
    return report.skipped(`\`holdfast run\` needs Claude Code: \`claude\` ${found.why}`);
  if (isAtLeast(found.version, LEAST_DRIVEN_CLIENT))
    return report.ok(`\`holdfast run\` can drive Claude Code ${found.version}`);
  return report.warning(`\`holdfast run\` cannot drive Claude Code ${found.version}`, {
    evidence: [`it has no ${DRIVING_NEEDS}`, `${LEAST_DRIVEN_CLIENT} or newer is needed`],
    fix: 'claude update',
  });
}

/** Variables by which the client logs in without a stored login. */
const LOGIN_VARIABLES = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
  'CLAUDE_CODE_USE_FOUNDRY',
];

/** Only whether there is a login: no key is read, and whether it is accepted shows in the first request. */
function login(context: DoctorContext, hasDriven: boolean): Finding {
  const { environment, config } = context;
  const variable = LOGIN_VARIABLES.find((name) => (environment[name] ?? '') !== '');
  if (variable !== undefined) return report.ok(`driven sessions log in by ${variable}`);
  const helper = readSettingsFiles(context).find(
    ({ reading }) =>
      reading.kind === 'json' &&
      isObject(reading.json) &&
      typeof reading.json['apiKeyHelper'] === 'string',
  );
  if (helper !== undefined)
    return report.ok(`driven sessions log in by the apiKeyHelper in ${helper.shown}`);
  if (existsSync(join(config, '.credentials.json')))
    return report.ok('driven sessions use your login in Claude Code');
  if (process.platform === 'darwin')
    return report.skipped('whether Claude Code is logged in cannot be seen: the keychain knows it');
  const missing = 'Claude Code has no login here that `holdfast run` could use';
  // Of no interest to someone who does not drive runs.
  if (!hasDriven) return report.skipped(missing);
  return report.note(missing, {
    evidence: [`neither ${LOGIN_VARIABLES[0]} nor a stored login in ${config}`],
    fix: 'start `claude` and type /login, or set ANTHROPIC_API_KEY',
  });
}

function loggedRuns(root: string): string[] {
  if (locate(root, join(root, LOGS_FOLDER)) !== 'inside') return [];
  return readdirSync(join(root, LOGS_FOLDER), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted();
}

/** A driver that was killed leaves its record, and perhaps a client that still works. */
function leftDriver({ root, hostname }: DoctorContext, runId: string): Finding[] {
  const record = readDriverFile(root, runId);
  const owner = record?.['owner'];
  if (!isObject(owner) || typeof owner['pid'] !== 'number') return [];
  const { pid, start, host } = owner;
  const shown = sanitizeLine(runId);
  if (host !== hostname) {
    const where = typeof host === 'string' ? sanitizeLine(host) : 'another machine';
    return [report.note(`${shown} is driven on ${where}, or was when that was last recorded`)];
  }
  if (isSameRunning(pid, start)) return [report.ok(`${shown} is being driven by process ${pid}`)];
  const worker = record?.['client'];
  const isWorking =
    isObject(worker) &&
    typeof worker['pid'] === 'number' &&
    isSameRunning(worker['pid'], worker['start']);
  return [
    report.note(`the driver of ${shown} ended without a word, as after a kill or a reboot`, {
      evidence: [
        driverFile(shown),
        isWorking
          ? `its client, process ${String(worker['pid'])}, still works; the next driver waits for it`
          : 'the step that was under way is not finished',
      ],
      fix: `holdfast run ${quoteForShell(runId)}`,
    }),
  ];
}

function isSameRunning(pid: number, start: unknown): boolean {
  const now = clientProcess(String(pid))?.start ?? null;
  if (now !== null && typeof start === 'string') return now === start;
  return isRunning(pid);
}

/** Streams of a long run take some 100 MB; more than this in all is worth a look. */
const LARGE_LOGS = 1_000_000_000;
const SHOWN_LOGS = 3;

function largeLogs({ root, store }: DoctorContext, runs: readonly string[]): Finding[] {
  const sizes = runs.map((runId) => ({ runId, size: folderSize(join(root, LOGS_FOLDER, runId)) }));
  const total = sizes.reduce((sum, { size }) => sum + size, 0);
  if (total <= LARGE_LOGS) return [];
  const active = new Set(store.list().runs.map(({ runId }) => runId));
  const finished = sizes
    .filter(({ runId }) => !active.has(runId))
    .toSorted((a, b) => b.size - a.size)
    .slice(0, SHOWN_LOGS);
  return [
    report.note(`the logs of driven runs take ${megabytes(total)}`, {
      evidence: sizes
        .toSorted((a, b) => b.size - a.size)
        .slice(0, SHOWN_LOGS)
        .map(({ runId, size }) => `${LOGS_FOLDER}/${sanitizeLine(runId)}: ${megabytes(size)}`),
      ...(finished.length === 0
        ? {}
        : {
            fix: `rm -r ${finished.map(({ runId }) => quoteForShell(`${LOGS_FOLDER}/${runId}`)).join(' ')}`,
          }),
    }),
  ];
}

function folderSize(folder: string): number {
  return readdirSync(folder)
    .map((name) => lstatSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, size) => sum + size, 0);
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`;
}
