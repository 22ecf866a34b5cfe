import { HoldfastError } from '../errors/holdfast-error.ts';
import type { TransportProblem } from '../errors/remote.ts';
import { gitFailure, lastLine } from './call-git.ts';
import type { SyncedClone } from './clone.ts';
import type { GitResult } from './git.ts';
import { fetchRefspec, runIdIn, runRef } from './ref-names.ts';

/** A remote that was not reached, or that did not take what was sent. */
export interface TransportFailure {
  problem: TransportProblem;
  reason: string;
}

const LOGIN =
  /could not read (?:Username|Password)|terminal prompts disabled|Authentication failed|Permission denied \(|Host key verification failed|invalid credentials|HTTP Basic: Access denied|returned error: 401|unable to get password/i;

export type FetchResult =
  | { kind: 'done' }
  /** The remote has something there that does not continue what it had: somebody forced it. */
  | { kind: 'rewritten'; runIds: string[] }
  | ({ kind: 'failed' } & TransportFailure);

/** Asks only for the runs of this project. Branches, tags and FETCH_HEAD stay as they are. */
export async function fetchRuns(clone: SyncedClone, timeoutMs: number): Promise<FetchResult> {
  const { git, remote, project, folders } = clone;
  const words = [
    'fetch',
    '--quiet',
    '--verbose',
    '--no-tags',
    '--no-write-fetch-head',
    '--no-recurse-submodules',
    '--prune',
    // Refspecs that the user has configured are not applied to these refs.
    '--refmap=',
    '--end-of-options',
    remote,
    fetchRefspec(remote, project),
  ];
  const result = await git.network(
    words.filter((word) => word !== '--quiet'),
    timeoutMs,
  );
  if (result.kind === 'ended' && result.code === 0) return { kind: 'done' };
  const runIds = result.kind === 'ended' ? rejectedIn(result.stderr, folders.runs) : [];
  return runIds.length > 0
    ? { kind: 'rewritten', runIds }
    : { kind: 'failed', ...problemOf(result) };
}

function rejectedIn(stderr: string, folder: string): string[] {
  return stderr.split('\n').flatMap((line) => {
    const ref = /^\s*!\s+\[rejected\]\s+(\S+)\s+->/.exec(line)?.[1];
    return ref === undefined ? [] : (runIdIn(ref, folder) ?? []);
  });
}

export interface PushResult {
  accepted: string[];
  /** The remote has moved on. */
  behind: string[];
  refused: { runId: string; reason: string }[];
  failure: TransportFailure | null;
}

/** A command line has a limited length. */
const BATCH = 200;

export async function pushRuns(
  clone: SyncedClone,
  runIds: readonly string[],
  timeoutMs: number,
): Promise<PushResult> {
  const total: PushResult = { accepted: [], behind: [], refused: [], failure: null };
  for (let at = 0; at < runIds.length && total.failure === null; at += BATCH) {
    const refs = runIds.slice(at, at + BATCH).map((runId) => runRef(clone.project, runId));
    const result = await push(
      clone,
      refs.map((ref) => `${ref}:${ref}`),
      timeoutMs,
    );
    total.accepted.push(...result.accepted);
    total.behind.push(...result.behind);
    total.refused.push(...result.refused);
    total.failure = result.failure;
  }
  return total;
}

/** Removes runs from the remote, each only if it is still what it was when it was looked at. */
export async function deleteRuns(
  clone: SyncedClone,
  runs: readonly { runId: string; commit: string }[],
  timeoutMs: number,
): Promise<PushResult> {
  const total: PushResult = { accepted: [], behind: [], refused: [], failure: null };
  for (let at = 0; at < runs.length && total.failure === null; at += BATCH) {
    const batch = runs.slice(at, at + BATCH).map(({ runId, commit }) => {
      const ref = runRef(clone.project, runId);
      return { lease: `--force-with-lease=${ref}:${commit}`, refspec: `:${ref}` };
    });
    const result = await push(
      clone,
      batch.map(({ refspec }) => refspec),
      timeoutMs,
      batch.map(({ lease }) => lease),
    );
    total.accepted.push(...result.accepted);
    total.behind.push(...result.behind);
    total.refused.push(...result.refused);
    total.failure = result.failure;
  }
  return total;
}

async function push(
  { git, remote, folders }: SyncedClone,
  refspecs: readonly string[],
  timeoutMs: number,
  options: readonly string[] = [],
): Promise<PushResult> {
  const words = ['push', '--porcelain', '--no-verify', ...options, '--end-of-options', remote];
  const result = await git.network([...words, ...refspecs], timeoutMs);
  const lines = result.kind === 'ended' ? result.stdout.toString().split('\n') : [];
  const updates = lines.flatMap((line) => {
    const [, flag = '', to = '', summary = ''] = /^(.)\t[^\t]*:([^\t]+)\t(.*)$/.exec(line) ?? [];
    const runId = runIdIn(to, folders.runs);
    return runId === null ? [] : [{ runId, flag, summary }];
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
  if (LOGIN.test(stderr)) return { problem: 'login', reason: lastLine(stderr) };
  if (
    /returned error: 403|read.?only|not granted|denied to|insufficient permission|not allowed|service not enabled|pre-receive hook declined/i.test(
      stderr,
    )
  )
    return { problem: 'refused', reason };
  return { problem: 'unreachable', reason: lastLine(stderr) };
}
