import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { unlessRefused, readTextFile } from '../files/read-file.ts';
import { join, relative, resolve, sep } from 'node:path';
import { digestOf } from '../text/slug.ts';
import { isInside } from '../files/environment.ts';
import { hostOf } from '../hosts/hosts.ts';
import { checkedOutCommit } from '../files/git.ts';
import type { Environment } from '../state/types.ts';
import { isObject, parseJson, type JsonObject } from '../text/json.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { driverFile } from '../state/paths.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** Stays the same across `/clear`. An id alone is no identity: containers reuse pid 1, and ids are given again. */
export interface ClientProcess {
  pid: string;
  /** When and in which process namespace it was started; null where that cannot be read. */
  start: string | null;
}

export function clientProcess(pid: string | undefined): ClientProcess | null {
  if (pid === undefined || !/^[0-9]{1,10}$/.test(pid)) return null;
  const start = processStart(pid);
  return start === ENDED ? null : { pid, start };
}

const ENDED = 'ended';

/** Known on Linux only, from /proc; elsewhere it would take a child process. Null also without permission. */
export const processStart = (pid: string): string | null =>
  unlessRefused(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain anything, so fields are counted from its end. The start is field 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // It has ended and keeps its id, because its parent has not asked how: in a container there may be nobody who asks.
    if (fields[0] === 'Z') return ENDED;
    const ticks = fields[19];
    return ticks === undefined
      ? null
      : `${bootId()}-${namespaceOf(pid)}-${ticks}`;
  });

/** Changes when the machine restarts; null where it cannot be read. Node reads text as UTF-8 fastest. */
export const bootId = (): string | null =>
  (boot ??= unlessRefused(() =>
    readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim().slice(0, 8),
  ));

/** It is asked for with every run. */
let boot: string | null = null;

const namespaceOf = (pid: string): string =>
  readlinkSync(`/proc/${pid}/ns/pid`).replace(/\D/g, '');

/**
 * Whether the client of a session is proved gone: the machine was restarted since, the process is no longer there, or it
 * runs another session by now, as after a fork. Where nothing can be read, nothing is proved.
 */
export function isClientGone(
  environment: Environment | undefined,
  caller: { client: ClientProcess | null; isSameSession: boolean },
): boolean {
  const current = bootId();
  if (current === null) return false;
  if (environment?.boot !== undefined && environment.boot !== current)
    return true;
  const client = clientFrom(environment);
  if (client === null || client.start === null) return false;
  if (isSameProcess(client, caller.client) === true)
    return !caller.isSameSession;
  const [, space] = client.start.split('-');
  // A process of another container cannot be looked at from here.
  const isVisible = space === unlessRefused(() => namespaceOf('self'));
  return isVisible && processStart(client.pid) !== client.start;
}

/** Null if it cannot be told. */
export function isSameProcess(
  a: ClientProcess | null,
  b: ClientProcess | null,
): boolean | null {
  if (a === null || b === null) return null;
  if (a.pid !== b.pid) return false;
  return a.start === null || b.start === null ? null : a.start === b.start;
}

export function clientFields({ pid, start }: ClientProcess): Environment {
  return {
    claude_pid: pid,
    ...(start === null ? {} : { claude_start: start }),
  };
}

export function clientFrom(
  environment: Environment | undefined,
): ClientProcess | null {
  const { claude_pid: pid, claude_start: start } = environment ?? {};
  return pid === undefined ? null : { pid, start: start ?? null };
}

/** In the environment of a client that `holdfast run` drives, and of everything that this client starts. */
const DRIVER_VARIABLE = 'HOLDFAST_DRIVER';

export interface DrivenClient {
  /** Changes with every client that is started. */
  token: string;
  runId: string;
  agent: string | null;
}

export const driverVariable = ({ token, runId, agent }: DrivenClient): string =>
  [token, runId, ...(agent === null ? [] : [agent])].join(' ');

export function drivenClient(environment: Variables): DrivenClient | null {
  const match = /^(\S+) (\S+)(?: (.+))?$/s.exec(
    environment[DRIVER_VARIABLE] ?? '',
  );
  if (match === null) return null;
  const [, token = '', runId = '', agent = null] = match;
  return { token, runId, agent };
}

export function environmentOf(
  root: string,
  cwd: string,
  client: ClientProcess | null,
  variables: Variables,
): Environment {
  const commit = checkedOutCommit(root);
  const current = bootId();
  const host = hostOf(variables);
  return {
    hostname: hostname(),
    platform: process.platform,
    cwd: withProjectRoot(root, cwd),
    checkout: checkoutOf(root),
    ...(host === 'claude' ? {} : { host }),
    ...(current === null ? {} : { boot: current }),
    ...(commit === undefined ? {} : { git_commit: commit }),
    ...(client === null ? {} : clientFields(client)),
  };
}

/** Identifies the checkout: sessions in a state folder that was copied from another one are not live here. */
export const checkoutOf = (root: string): string => digestOf(root);

/** Writes a path inside the project relative to `{project_root}`, so that it is valid on other machines. */
export function withProjectRoot(root: string, path: string): string {
  const full = resolve(path);
  if (!isInside(root, full)) return path;
  return ['{project_root}', ...relative(root, full).split(sep)]
    .join('/')
    .replace(/\/$/, '');
}

/**
 * Hooks and MCP servers are told. A command is not, but the Bash tool starts in the launch folder; one that has
 * changed into a sub-folder is treated like a client launched there, which loads less.
 */
export function launchFolderOf(environment: Variables, cwd: string): string {
  // Other hosts do not load the memory files of Claude Code: as if launched outside the project.
  if (hostOf(environment) !== 'claude') return sep;
  const launched = environment['CLAUDE_PROJECT_DIR'] ?? '';
  return launched === '' ? cwd : launched;
}

const MAX_BYTES = 100_000;

/** The record that `holdfast run` keeps of a run that it drives; null if there is none that can be read. */
export function readDriverFile(root: string, runId: string): JsonObject | null {
  const file = readTextFile(
    join(root, driverFile(runId)),
    MAX_BYTES,
    'refused',
  );
  const json = file.kind === 'text' ? parseJson(file.text) : null;
  return isObject(json) ? json : null;
}

/** Whether `holdfast run` has driven the run, which is not over yet. */
export const wasDriven = (root: string, runId: string): boolean =>
  readDriverFile(root, runId) !== null;

/** Whether this process works for the run in a client that `holdfast run` drives. */
export const isDriven = (environment: Variables, runId: string): boolean =>
  drivenClient(environment)?.runId === runId;

/** A command that outlived its client must not move the run: the step may be under way again in another client. */
export function requireCurrentClient(
  { root, environment }: { root: string; environment: Variables },
  { runId }: { runId: string },
): void {
  const driven = drivenClient(environment);
  if (driven === null || driven.runId !== runId) return;
  const client = readDriverFile(root, runId)?.['client'];
  if (isObject(client) && client['token'] === driven.token) return;
  throw new HoldfastError(
    'client_replaced',
    `another client works on ${runId} now`,
    {
      hint: 'nothing was changed; this command belongs to a client that `holdfast run` has replaced',
    },
  );
}

/** For the environment of a gate: the runs whose gates this process is part of. They must not be moved from here. */
export const GATE_VARIABLE = 'HOLDFAST_GATE';

export const runsOfGates = (environment: Variables): string[] =>
  (environment[GATE_VARIABLE] ?? '').split(',').filter((run) => run !== '');
