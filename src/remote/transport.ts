import { HoldfastError } from '../errors/holdfast-error.ts';
import type { TransportProblem } from '../errors/remote.ts';
import { gitFailure, lastLine } from './call-git.ts';
import type { SyncedClone } from './clone.ts';
import type { GitResult } from './git.ts';
import { fetchRefspec, runIdIn, type RefFolders } from './ref-names.ts';

/** A remote that was not reached, or that did not take what was sent. */
export interface TransportFailure {
  problem: TransportProblem;
  reason: string;
}

const LOGIN =
  /could not read (?:Username|Password)|terminal prompts disabled|Authentication failed|Permission denied \(|Permission denied, please try again|invalid credentials|HTTP Basic: Access denied|returned error: 401|unable to get password/i;

export type FetchResult =
  | { kind: 'done' }
  /** The remote has something there that does not continue what it had: somebody forced it. */
  | { kind: 'rewritten'; runIds: string[] }
  | ({ kind: 'failed' } & TransportFailure);

/** Asks only for the runs of this project. Branches, tags and FETCH_HEAD stay as they are. */
export async function fetchRuns(
  { git, remote, folders, sshCommand }: SyncedClone,
  timeoutMs: number,
): Promise<FetchResult> {
  const words = [
    'fetch',
    '--verbose',
    '--no-tags',
    '--no-write-fetch-head',
    '--no-recurse-submodules',
    '--prune',
    // Refspecs that the user has configured are not applied to these refs.
    '--refmap=',
    '--end-of-options',
    remote,
    fetchRefspec(folders),
  ];
  const result = await git.network(words, { timeoutMs, sshCommand });
  if (result.kind === 'ended' && result.code === 0) return { kind: 'done' };
  const runIds = result.kind === 'ended' ? rejectedIn(result.stderr, folders) : [];
  return runIds.length > 0
    ? { kind: 'rewritten', runIds }
    : { kind: 'failed', ...problemOf(result) };
}

function rejectedIn(stderr: string, folders: RefFolders): string[] {
  return stderr.split('\n').flatMap((line) => {
    const ref = /^\s*!\s+\[rejected\]\s+(\S+)\s+->/.exec(line)?.[1] ?? '';
    return runIdIn(ref, folders.runs) ?? [];
  });
}

export interface PushResult {
  accepted: string[];
  /** Of those, the runs that the remote had already. */
  unchanged: string[];
  /** The remote has moved on. */
  behind: string[];
  refused: { runId: string; reason: string }[];
  failure: TransportFailure | null;
}

/** One ref that the remote should have, or should not have any more. */
export interface RefPush {
  runId: string;
  ref: string;
  /** Null removes the ref, but only if it is still `from`. */
  to: string | null;
  from?: string;
}

/** A command line has a limited length. */
const BATCH = 200;

/** Never forced: a ref only moves to what continues it, and is only removed if it is what it was taken to be. */
export async function pushRefs(
  clone: SyncedClone,
  pushes: readonly RefPush[],
  timeoutMs: number,
): Promise<PushResult> {
  const total: PushResult = {
    accepted: [],
    unchanged: [],
    behind: [],
    refused: [],
    failure: null,
  };
  for (let at = 0; at < pushes.length && total.failure === null; at += BATCH) {
    const result = await pushBatch(clone, pushes.slice(at, at + BATCH), timeoutMs);
    total.accepted.push(...result.accepted);
    total.unchanged.push(...result.unchanged);
    total.behind.push(...result.behind);
    total.refused.push(...result.refused);
    total.failure = result.failure;
  }
  return total;
}

async function pushBatch(
  { git, remote, sshCommand }: SyncedClone,
  pushes: readonly RefPush[],
  timeoutMs: number,
): Promise<PushResult> {
  const leases = pushes.flatMap(({ ref, to, from = '' }) =>
    to === null ? [`--force-with-lease=${ref}:${from}`] : [],
  );
  const refspecs = pushes.map(({ ref, to }) => `${to ?? ''}:${ref}`);
  const words = ['push', '--porcelain', '--no-verify', ...leases, '--end-of-options', remote];
  const result = await git.network([...words, ...refspecs], { timeoutMs, sshCommand });
  const runIds = new Map(pushes.map(({ ref, runId }) => [ref, runId]));
  const lines = result.kind === 'ended' ? result.stdout.toString().split('\n') : [];
  const updates = lines.flatMap((line) => {
    const [, flag = '', to = '', summary = ''] = /^(.)\t[^\t]*:([^\t]+)\t(.*)$/.exec(line) ?? [];
    const runId = runIds.get(to);
    return runId === undefined ? [] : [{ runId, flag, summary }];
  });
  const rejected = updates.filter(({ flag }) => flag === '!');
  const behind = rejected.filter(({ summary }) =>
    /\((?:fetch first|non-fast-forward|stale info|already exists|failed to update ref|cannot lock ref.*|incorrect old value provided)\)/.test(
      summary,
    ),
  );
  const refused = rejected.filter((update) => !behind.includes(update));
  const isDone = result.kind === 'ended' && (result.code === 0 || rejected.length > 0);
  return {
    accepted: updates.filter(({ flag }) => flag !== '!').map(({ runId }) => runId),
    unchanged: updates.filter(({ flag }) => flag === '=').map(({ runId }) => runId),
    behind: behind.map(({ runId }) => runId),
    refused: refused.map(({ runId, summary }) => ({ runId, reason: reasonIn(summary, result) })),
    failure: isDone ? null : problemOf(result),
  };
}

/** What the remote's own hook says is more useful than "hook declined". */
function reasonIn(summary: string, result: GitResult): string {
  const reason = /\((.*)\)/.exec(summary)?.[1] ?? summary;
  const message = result.kind === 'ended' ? remoteLines(result.stderr) : '';
  return message === '' ? reason : `${reason}: ${message}`;
}

function remoteLines(stderr: string): string {
  return stderr
    .split('\n')
    .flatMap((line) => /^remote: (.*\S)\s*$/.exec(line)?.[1] ?? [])
    .join(' ')
    .slice(0, 300);
}

function problemOf(result: GitResult): TransportFailure {
  if (result.kind === 'not_there') throw new HoldfastError({ code: 'sync_no_git' });
  if (result.kind === 'timed_out') return { problem: 'timeout', reason: '' };
  if (result.kind === 'stopped') throw gitFailure(result, 'talking to the remote');
  const { stderr } = result;
  const reason = [remoteLines(stderr), lastLine(stderr)].filter((part) => part !== '').join('; ');
  if (/Host key verification failed/i.test(stderr))
    return { problem: 'host_key', reason: lastLine(stderr) };
  if (LOGIN.test(stderr)) return { problem: 'login', reason: lastLine(stderr) };
  if (
    /returned error: 403|read.?only|not granted|denied to|insufficient permission|not allowed|service not enabled|pre-receive hook declined/i.test(
      stderr,
    )
  )
    return { problem: 'refused', reason };
  return { problem: 'unreachable', reason: lastLine(stderr) };
}
