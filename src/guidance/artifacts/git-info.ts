import { runGit } from '../../files/run-git.ts';
import { gitFacts, type Loaded } from './load-plain.ts';

const TIME_LIMIT_MS = 2_000;
const MAX_BYTES = 1_000_000;

/** `gitFacts` with what only git itself can tell, where it answers in time. */
export function gitInfo(root: string): Loaded {
  const facts = gitFacts(root);
  if (facts.kind !== 'text') return facts;
  const deadline = Date.now() + TIME_LIMIT_MS;
  const commits = git(root, ['log', '-5', '--format=%h %cs %s'], deadline);
  const changes = hasOwnFilters(root, deadline)
    ? undefined
    : git(root, ['status', '--porcelain', '--ignore-submodules=dirty'], deadline);
  const text = [
    facts.text,
    `dirty: ${dirtyWords(changes)}`,
    ...(commits === undefined || commits === '' ? [] : ['last commits:', commits]),
  ].join('\n');
  return { kind: 'text', text, size: Buffer.byteLength(text) };
}

/**
 * Comparing files would start what the repository's own configuration names as a filter. Git is asked, because only git
 * knows all the files that its configuration is made of.
 */
function hasOwnFilters(root: string, deadline: number): boolean {
  const words = ['config', '--show-scope', '--name-only', '--get-regexp', '.'];
  const names = git(root, words, deadline);
  return names === undefined || /^(?:local|worktree)\t(?:filter|lfs\.extension)\./m.test(names);
}

function dirtyWords(changes: string | undefined): string {
  if (changes === undefined) return 'unknown';
  if (changes === '') return 'no';
  const count = changes.split('\n').length;
  return `yes, ${count} ${count === 1 ? 'path' : 'paths'}`;
}

/** Undefined where git is not there, fails or is too slow. */
function git(root: string, words: string[], deadline: number): string | undefined {
  const timeoutMs = deadline - Date.now();
  if (timeoutMs <= 0) return undefined;
  const result = runGit(root, words, process.env, { timeoutMs, maxBytes: MAX_BYTES });
  return result.kind === 'ended' && result.code === 0 ? result.stdout.trimEnd() : undefined;
}
