import { HoldfastError } from '../text/holdfast-error.ts';
import type { SyncedClone } from './clone.ts';
import { runGitOnNetwork, type NetworkResult } from '../files/run-git.ts';
import { gitFailure, lastLine, gitSettings } from './git.ts';
import { type RefChange, refFolder, refName, runIdIn } from './refs.ts';
import { asWord } from '../text/sanitize.ts';
import { proposedWord } from '../text/shell-commands.ts';

/**
 * Brings what is known of the remote up to date: only the runs of this project, and without force. Branches, tags and
 * FETCH_HEAD stay as they are. Returns the runs whose history on the remote does not continue what it had, because
 * somebody forced it; throws if the remote cannot be asked.
 */
export async function fetchRuns(
  clone: SyncedClone,
  timeoutMs: number,
): Promise<string[]> {
  const { remote } = clone;
  const words = [
    'fetch',
    // `forcedRuns` reads the refs that git rejects from its report, so the report must not depend on how quiet git is by default.
    '--verbose',
    '--no-tags',
    '--no-write-fetch-head',
    '--no-recurse-submodules',
    '--prune',
    // Refspecs that the user has configured are not applied to these refs.
    '--refmap=',
    '--end-of-options',
    remote,
    `${refFolder(clone, 'local')}*:${refFolder(clone, 'tracking')}*`,
  ];
  const result = await callNetwork(clone, words, timeoutMs);
  if (result.kind === 'ended' && result.code === 0) return [];
  const forced = forcedRuns(clone, result);
  if (forced.length === 0) throw transportFailure(remote, result);
  return forced;
}

/** ` ! [rejected] refs/holdfast/runs/-/auth -> refs/holdfast/remotes/origin/-/auth  (non-fast-forward)` */
const REJECTED_FETCH = /^\s*!\s+\[rejected\]\s+(\S+)\s+->/;

function forcedRuns(clone: SyncedClone, result: NetworkResult): string[] {
  if (result.kind !== 'ended') return [];
  const runIds: string[] = [];
  for (const line of result.stderr.split('\n')) {
    const ref = REJECTED_FETCH.exec(line)?.[1] ?? '';
    const runId = runIdIn(clone, 'local', ref);
    if (runId !== null) runIds.push(runId);
  }
  return runIds;
}

export interface PushResult {
  accepted: string[];
  /** Of those, the runs that the remote had already. */
  unchanged: string[];
  /** The remote has moved on. */
  behind: string[];
  /** Why the remote did not take the rest. */
  failure: HoldfastError | null;
}

/** Refs in one call of git: a command line has a limited length. */
const BATCH_SIZE = 200;

/** Never forced: a ref only moves to what continues it, and is only removed if it is what it was taken to be. */
export async function pushRefs(
  clone: SyncedClone,
  pushes: readonly Omit<RefChange, 'kind'>[],
  timeoutMs: number,
): Promise<PushResult> {
  const total: PushResult = {
    accepted: [],
    unchanged: [],
    behind: [],
    failure: null,
  };
  for (let at = 0; at < pushes.length; at += BATCH_SIZE) {
    const batch = pushes
      .slice(at, at + BATCH_SIZE)
      .map((push) => ({ ...push, ref: refName(clone, 'local', push.runId) }));
    await pushBatch(clone, batch, timeoutMs, total);
    if (total.failure !== null) break;
  }
  return total;
}

type NamedPush = Omit<RefChange, 'kind'> & { ref: string };

async function pushBatch(
  clone: SyncedClone,
  batch: readonly NamedPush[],
  timeoutMs: number,
  total: PushResult,
): Promise<void> {
  const leases: string[] = [];
  for (const { ref, to, from = '' } of batch)
    if (to === null) leases.push(`--force-with-lease=${ref}:${from}`);
  const refspecs = batch.map(({ ref, to }) => `${to ?? ''}:${ref}`);
  const words = [
    'push',
    '--porcelain',
    '--no-verify',
    ...leases,
    '--end-of-options',
    clone.remote,
    ...refspecs,
  ];
  const result = await callNetwork(clone, words, timeoutMs);
  if (result.kind !== 'ended') {
    total.failure = transportFailure(clone.remote, result);
    return;
  }

  const runIds = new Map(batch.map(({ ref, runId }) => [ref, runId]));
  let isAnswered = result.code === 0;
  for (const line of result.stdout.split('\n')) {
    const answer = answerIn(line);
    const runId = runIds.get(answer?.ref ?? '');
    if (answer === null || runId === undefined) continue;
    if (answer.flag === '!') {
      isAnswered = true;
      noteRejection(clone.remote, runId, answer.reason, result.stderr, total);
    } else {
      total.accepted.push(runId);
      if (answer.flag === '=') total.unchanged.push(runId);
    }
  }
  if (!isAnswered) total.failure = transportFailure(clone.remote, result);
}

/** `!\t4b825dc…:refs/holdfast/runs/-/auth\t[rejected] (fetch first)`: a flag, what goes where, and a summary. */
const ANSWER = /^(.)\t[^\t]*:([^\t]+)\t(.*)$/;

function answerIn(
  line: string,
): { flag: string; ref: string; reason: string } | null {
  const match = ANSWER.exec(line);
  if (match === null) return null;
  const [, flag = '', ref = '', summary = ''] = match;
  const reason = /\((.*)\)/.exec(summary)?.[1] ?? summary;
  return { flag, ref, reason };
}

/** What git gives as the reason where the remote's ref is not what it was taken to be. */
const BEHIND_REASONS: ReadonlySet<string> = new Set([
  'fetch first',
  'non-fast-forward',
  'stale info',
  'already exists',
  'failed to update ref',
  'incorrect old value provided',
]);
/** It goes on with the name of the ref. */
const CANNOT_LOCK = 'cannot lock ref';

function isBehind(reason: string): boolean {
  return BEHIND_REASONS.has(reason) || reason.startsWith(CANNOT_LOCK);
}

function noteRejection(
  remote: string,
  runId: string,
  reason: string,
  stderr: string,
  total: PushResult,
): void {
  // What the remote's own hook says is more useful than "hook declined".
  const remoteWords = remoteLines(stderr);
  const isBlocked = REF_IN_THE_WAY.test(remoteWords);
  if (isBehind(reason) && !isBlocked) {
    total.behind.push(runId);
    return;
  }
  const problem = isBlocked ? BLOCKED : REFUSED;
  const words = remoteWords === '' ? reason : `${reason}: ${remoteWords}`;
  total.failure ??= notSent(remote, problem, words);
}

function callNetwork(
  { git, sshCommand }: SyncedClone,
  words: readonly string[],
  timeoutMs: number,
): Promise<NetworkResult> {
  return runGitOnNetwork(
    git.folder,
    [...gitSettings(), ...words],
    git.environment,
    { timeoutMs, sshCommand },
  );
}

const MAX_REMOTE_CHARS = 300;

/** What the remote itself says. Git marks its lines: "remote: Permission to ann/shop.git denied". */
function remoteLines(stderr: string): string {
  const lines: string[] = [];
  for (const line of stderr.split('\n')) {
    const words = /^remote: (.*\S)\s*$/.exec(line)?.[1];
    if (words !== undefined) lines.push(words);
  }
  return lines.join(' ').slice(0, MAX_REMOTE_CHARS);
}

/** `{}` stands for the remote. */
interface Problem {
  what: string;
  hint: string;
}

const UNREACHABLE: Problem = {
  what: '{} cannot be reached',
  hint: 'check the connection and `git remote get-url {}`, then try again',
};
const LATE: Problem = {
  what: '{} did not answer in time',
  hint: 'try again, or allow more time with `holdfast sync --timeout 5m`',
};
const REFUSED: Problem = {
  what: '{} refused what was sent',
  hint: 'ask its owner to accept refs/holdfast/*, or use a remote of your own: `holdfast sync on <other>`',
};
const BLOCKED: Problem = {
  what: '{} has a ref in the way of what was sent',
  hint: 'remove the ref that exists with `git push {} --delete <ref>`, then sync again',
};
const LOGIN: Problem = {
  what: '{} asks for a login or shows an unknown host key, and `holdfast sync` never prompts for either',
  hint: 'check that `git ls-remote {}` works without a question, for example with a credential helper or an ssh key',
};
const OTHER_TRANSPORT: Problem = {
  what: '{} has an address that `holdfast sync` does not use',
  hint: 'change it with `git remote set-url {} <address>` to one for file, git, http, https or ssh',
};
const OLD_GIT: Problem = {
  what: 'git is too old for `holdfast sync`',
  hint: 'install git 2.29 or newer, or move a run with `holdfast export` and `holdfast import`',
};

/** Git says this of a ref above or below the one that is pushed, which no further try will change. */
const REF_IN_THE_WAY = /'[^']+' exists; cannot create/;

/** What git, ssh or a remote writes, and the problem that it means. The first that is found counts. */
const SIGNS: readonly (readonly [RegExp, Problem])[] = [
  [/Host key verification failed/i, LOGIN],
  [/could not read (?:Username|Password)/i, LOGIN],
  [/terminal prompts disabled/i, LOGIN],
  [/Authentication failed/i, LOGIN],
  // From ssh: "git@github.com: Permission denied (publickey)."
  [/Permission denied \(/i, LOGIN],
  [/Permission denied, please try again/i, LOGIN],
  [/invalid credentials/i, LOGIN],
  [/HTTP Basic: Access denied/i, LOGIN],
  [/returned error: 401/i, LOGIN],
  [/unable to get password/i, LOGIN],

  [/transport '.*' not allowed/, OTHER_TRANSPORT],
  [/unknown option.*(?:no-write-fetch-head|end-of-options)/, OLD_GIT],

  [/returned error: 403/i, REFUSED],
  [/read.?only/i, REFUSED],
  [/not granted/i, REFUSED],
  [/denied to/i, REFUSED],
  [/insufficient permission/i, REFUSED],
  [/not allowed/i, REFUSED],
  [/service not enabled/i, REFUSED],
  [/pre-receive hook declined/i, REFUSED],
];

function transportFailure(
  remote: string,
  result: NetworkResult,
): HoldfastError {
  if (result.kind === 'timed out') return notSent(remote, LATE, '');
  if (result.kind !== 'ended')
    return gitFailure(result, 'talking to the remote');
  const { stderr } = result;
  const sign = SIGNS.find(([words]) => words.test(stderr));
  const problem = sign === undefined ? UNREACHABLE : sign[1];
  const remoteWords = problem === REFUSED ? remoteLines(stderr) : '';
  const reasons = [remoteWords, lastLine(stderr)];
  const reason = reasons.filter((words) => words !== '').join('; ');
  return notSent(remote, problem, reason);
}

const MAX_REASON_CHARS = 300;

function notSent(
  remote: string,
  { what, hint }: Problem,
  reason: string,
): HoldfastError {
  const shownRemote = proposedWord(remote, 'the remote');
  const withRemote = (text: string): string =>
    text.replaceAll('{}', () => shownRemote);
  const details = reason === '' ? '' : ` (${asWord(reason, MAX_REASON_CHARS)})`;
  return new HoldfastError('sync_transport', `${withRemote(what)}${details}`, {
    hint: `${withRemote(hint)}; nothing is lost: your runs are stored here, and the next \`holdfast sync\` sends them`,
  });
}
