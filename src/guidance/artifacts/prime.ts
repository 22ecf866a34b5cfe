import { runGit } from '../../files/run-git.ts';
import type { StoredRun } from '../../state/types.ts';
import { scanMarkdown } from '../../text/markdown/scan.ts';
import { formatSize, pluralize } from '../../text/relative-time.ts';
import {
  asWord,
  fenced,
  quoted,
  sanitizeLine,
  truncate,
} from '../../text/sanitize.ts';
import {
  gitFacts,
  isMissing,
  loadedText,
  loadPlain,
  type Artifact,
  type DueArtifact,
  type Loaded,
} from './load-plain.ts';

/** `loadPlain` with all that it leaves out to be small enough for hooks. */
export const loadArtifact = (
  artifact: Artifact,
  run: StoredRun,
  root: string,
): Loaded =>
  artifact.type === 'git_info'
    ? gitInfo(root)
    : loadPlain(artifact, run, root, summarised);

const MAX_LINES = 200;
const MAX_CHARACTERS = 200;

/** A file's content in short: the outermost entries of JSON, the headings of anything else. */
export function summarised(file: Loaded, type: Artifact['type']): Loaded {
  if (file.kind !== 'text' || file.note !== undefined) return file;
  const lines =
    type === 'json' ? jsonSummary(file.text) : markdownSummary(file.text);
  const left = lines.length - MAX_LINES;
  const shown = lines
    .slice(0, MAX_LINES)
    .map((line) => truncate(line, MAX_CHARACTERS));
  const text = [
    ...shown,
    ...(left > 0 ? [`… and ${left} more lines`] : []),
  ].join('\n');
  return { ...file, text, note: 'a summary' };
}

/** The headings of a text, each with the first line below it. */
function markdownSummary(text: string): string[] {
  let isFirst = true;
  return scanMarkdown(text).flatMap((line) => {
    if (line.heading !== undefined) {
      isFirst = true;
      return [`${'#'.repeat(line.heading.level)} ${line.heading.text}`];
    }
    if (!isFirst || line.kind === 'code' || line.text.trim() === '') return [];
    isFirst = false;
    return [line.text];
  });
}

function jsonSummary(text: string): string[] {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null)
    return [JSON.stringify(value)];
  return Object.entries(value).map(
    ([key, member]) => `${key}: ${JSON.stringify(member)}`,
  );
}

/** `gitFacts` with what only git itself can tell, where it answers in time. */
export function gitInfo(root: string): Loaded {
  const facts = gitFacts(root);
  if (facts.kind !== 'text') return facts;
  const deadline = Date.now() + 2_000;
  const commits = git(root, ['log', '-5', '--format=%h %cs %s'], deadline);
  // Comparing files would start what the repository's own configuration names as a filter. Git is asked, because only git
  // knows all the files that its configuration is made of.
  const words = ['config', '--show-scope', '--name-only', '--get-regexp', '.'];
  const names = git(root, words, deadline);
  const hasFilters =
    names === undefined ||
    /^(?:local|worktree)\t(?:filter|lfs\.extension)\./m.test(names);
  const changes = hasFilters
    ? undefined
    : git(
        root,
        ['status', '--porcelain', '--ignore-submodules=dirty'],
        deadline,
      );
  const text = [
    facts.text,
    `dirty: ${dirtyWords(changes)}`,
    ...(commits === undefined || commits === ''
      ? []
      : ['last commits:', commits]),
  ].join('\n');
  return { kind: 'text', text };
}

function dirtyWords(changes: string | undefined): string {
  if (changes === undefined) return 'unknown';
  if (changes === '') return 'no';
  return `yes, ${pluralize(changes.split('\n').length, 'path')}`;
}

/** Undefined where git is not there, fails or is too slow. */
function git(
  root: string,
  words: string[],
  deadline: number,
): string | undefined {
  const timeoutMs = deadline - Date.now();
  if (timeoutMs <= 0) return undefined;
  const result = runGit(root, words, process.env, {
    timeoutMs,
    maxBytes: 1_000_000,
  });
  return result.kind === 'ended' && result.code === 0
    ? result.stdout.trimEnd()
    : undefined;
}

export type LoadedArtifact = DueArtifact & { trigger: string };

/** `given`: those whose content stands in the text. */
export type Printed = { text: string; given: LoadedArtifact[] };

const BETWEEN = '\n\n';

/** Whole contents in order, while they fit; the rest by its path and size, or by what is to be done about it. */
export function printArtifacts(
  artifacts: readonly LoadedArtifact[],
  maxChars: number,
): Printed {
  const named = artifacts.map((one) => ({
    one,
    line: `${isMissing(one) ? 'Required: ' : ''}${lineFor(one)}`,
  }));
  // Each is named at least: contents have what that leaves.
  let left = maxChars - named.map(({ line }) => line).join(BETWEEN).length;
  const given: LoadedArtifact[] = [];
  const parts = named.map(({ one, line }) => {
    const whole = contentOf(one);
    if (whole === null) return line;
    const more = whole.length - line.length;
    if (more > left) return line;
    left -= more;
    given.push(one);
    return whole;
  });
  return { text: parts.join(BETWEEN), given };
}

function contentOf(one: LoadedArtifact): string | null {
  const { loaded } = one;
  if (loaded.kind !== 'text') return null;
  const place =
    loaded.path === undefined ? '' : ` ${asWord(`@${loaded.path}`)}`;
  const note =
    loaded.note === undefined ? '' : `, ${sanitizeLine(loaded.note)}`;
  return `${titleOf(one)}${place} (${formatSize(Buffer.byteLength(loaded.text))}${note})\n${fenced(loaded.text)}`;
}

export function lineFor(one: LoadedArtifact): string {
  const text = loadedText(
    one.loaded,
    'too large to be printed here; --max-chars allows more',
  );
  return `${titleOf(one)}: ${sanitizeLine(text)}`;
}

const titleOf = ({ id, description }: DueArtifact): string =>
  `Artifact ${sanitizeLine(id)}${description === undefined ? '' : ` (${quoted(description, MAX_ABOUT)})`}`;

const MAX_ABOUT = 200;

/** Its path, what to do to get it, or why it is missing. */
export function whereIs(loaded: Loaded): string {
  const { kind, path } = loaded;
  if (path !== undefined) {
    const shown = asWord(`@${path}`);
    return kind === 'refused' ? `${shown} (${loaded.why ?? ''})` : shown;
  }
  if (kind === 'text') return '';
  return kind === 'missing' ? loaded.words.replace(/; .*/s, '') : loaded.words;
}
