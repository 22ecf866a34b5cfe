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
  const lines = result.kind === 'ended' ? result.stderr.split('\n') : [];
  const forced = lines.flatMap((line) => {
    const ref = /^\s*!\s+\[rejected\]\s+(\S+)\s+->/.exec(line)?.[1] ?? '';
    return runIdIn(clone, 'local', ref) ?? [];
  });
  if (forced.length === 0) throw transportFailure(remote, result);
  return forced;
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

/** A command line has a limited length. */
const BATCH = 200;

const BEHIND =
  /^(?:fetch first|non-fast-forward|stale info|already exists|failed to update ref|cannot lock ref.*|incorrect old value provided)$/;

/** Never forced: a ref only moves to what continues it, and is only removed if it is what it was taken to be. */
export async function pushRefs(
  clone: SyncedClone,
  pushes: readonly Omit<RefChange, 'kind'>[],
  timeoutMs: number,
): Promise<PushResult> {
  const { remote } = clone;
  const total: PushResult = {
    accepted: [],
    unchanged: [],
    behind: [],
    failure: null,
  };
  for (let at = 0; at < pushes.length && total.failure === null; at += BATCH) {
    const batch = pushes
      .slice(at, at + BATCH)
      .map((push) => ({ ...push, ref: refName(clone, 'local', push.runId) }));
    const leases = batch.flatMap(({ ref, to, from = '' }) =>
      to === null ? [`--force-with-lease=${ref}:${from}`] : [],
    );
    const refspecs = batch.map(({ ref, to }) => `${to ?? ''}:${ref}`);
    const words = [
      'push',
      '--porcelain',
      '--no-verify',
      ...leases,
      '--end-of-options',
      remote,
    ];
    const result = await callNetwork(clone, [...words, ...refspecs], timeoutMs);
    const lines = result.kind === 'ended' ? result.stdout.split('\n') : [];
    let isAnswered = result.kind === 'ended' && result.code === 0;
    for (const line of lines) {
      const [, flag = '', to = '', summary = ''] =
        /^(.)\t[^\t]*:([^\t]+)\t(.*)$/.exec(line) ?? [];
      const runId = batch.find(({ ref }) => ref === to)?.runId;
      if (runId === undefined) continue;
      if (flag !== '!') total.accepted.push(runId);
      if (flag === '=') total.unchanged.push(runId);
      if (flag !== '!') continue;
      isAnswered = true;
      const reason = /\((.*)\)/.exec(summary)?.[1] ?? summary;
      // What the remote's own hook says is more useful than "hook declined".
      const said = remoteLines(result.kind === 'ended' ? result.stderr : '');
      const isBlocked = EXISTS.test(said);
      if (BEHIND.test(reason) && !isBlocked) total.behind.push(runId);
      else {
        const problem = isBlocked ? IN_THE_WAY : REFUSED;
        total.failure ??= notSent(
          remote,
          problem,
          said === '' ? reason : `${reason}: ${said}`,
        );
      }
    }
    if (!isAnswered) total.failure = transportFailure(remote, result);
  }
  return total;
}

const callNetwork = (
  { git: { folder, environment }, sshCommand }: SyncedClone,
  words: readonly string[],
  timeoutMs: number,
): Promise<NetworkResult> =>
  runGitOnNetwork(folder, [...gitSettings(), ...words], environment, {
    timeoutMs,
    sshCommand,
  });

function remoteLines(stderr: string): string {
  const lines = stderr
    .split('\n')
    .flatMap((line) => /^remote: (.*\S)\s*$/.exec(line)?.[1] ?? []);
  return lines.join(' ').slice(0, 300);
}

type Problem = readonly [what: string, hint: string, words?: RegExp];

const UNREACHABLE: Problem = [
  '{} cannot be reached',
  'check the connection and `git remote get-url {}`, then try again',
];
const LATE: Problem = [
  '{} did not answer in time',
  'try again, or allow more time with `holdfast sync --timeout 5m`',
];
const REFUSED: Problem = [
  '{} refused what was sent',
  'ask its owner to accept refs/holdfast/*, or use a remote of your own: `holdfast sync on <other>`',
  /returned error: 403|read.?only|not granted|denied to|insufficient permission|not allowed|service not enabled|pre-receive hook declined/i,
];
/** Git says this of a ref above or below the one that is pushed, which no further try will change. */
const EXISTS = /'[^']+' exists; cannot create/;
const IN_THE_WAY: Problem = [
  '{} has a ref in the way of what was sent',
  'remove the ref that exists with `git push {} --delete <ref>`, then sync again',
];
/** The first whose words git or ssh has said. */
const PROBLEMS: readonly Problem[] = [
  [
    '{} asks for a login or shows an unknown host key, and `holdfast sync` never prompts for either',
    'check that `git ls-remote {}` works without a question, for example with a credential helper or an ssh key',
    /Host key verification failed|could not read (?:Username|Password)|terminal prompts disabled|Authentication failed|Permission denied \(|Permission denied, please try again|invalid credentials|HTTP Basic: Access denied|returned error: 401|unable to get password/i,
  ],
  [
    '{} has an address that `holdfast sync` does not use',
    'change it with `git remote set-url {} <address>` to one for file, git, http, https or ssh',
    /transport '.*' not allowed/,
  ],
  [
    'git is too old for `holdfast sync`',
    'install git 2.29 or newer, or move a run with `holdfast export` and `holdfast import`',
    /unknown option.*(?:no-write-fetch-head|end-of-options)/,
  ],
  REFUSED,
];

function transportFailure(
  remote: string,
  result: NetworkResult,
): HoldfastError {
  if (result.kind === 'timed out') return notSent(remote, LATE, '');
  if (result.kind !== 'ended')
    return gitFailure(result, 'talking to the remote');
  const { stderr } = result;
  const problem =
    PROBLEMS.find(([, , words]) => words?.test(stderr)) ?? UNREACHABLE;
  const said = problem === REFUSED ? remoteLines(stderr) : '';
  return notSent(
    remote,
    problem,
    [said, lastLine(stderr)].filter((part) => part !== '').join('; '),
  );
}

const MAX_REASON = 300;

function notSent(
  remote: string,
  [what, hint]: Problem,
  reason: string,
): HoldfastError {
  const [message, todo] = [what, hint].map((text) =>
    text.replaceAll('{}', () => proposedWord(remote, 'the remote')),
  );
  return new HoldfastError(
    'sync_transport',
    `${message}${reason === '' ? '' : ` (${asWord(reason, MAX_REASON)})`}`,
    {
      hint: `${todo}; nothing is lost: your runs are stored here, and the next \`holdfast sync\` sends them`,
    },
  );
}
