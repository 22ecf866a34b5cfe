import { runGit } from '../../files/run-git.ts';
import type { Run } from '../../state/types.ts';
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
export function loadArtifact(
  artifact: Artifact,
  run: Run,
  root: string,
): Loaded {
  return artifact.type === 'git_info'
    ? gitInfo(root)
    : loadPlain(artifact, run, root, summarised);
}

/** Of a summary. */
const MAX_LINES = 200;
const MAX_LINE_CHARS = 200;

/** A file's content in short: the outermost entries of JSON, the headings of anything else. */
export function summarised(file: Loaded, type: Artifact['type']): Loaded {
  if (file.kind !== 'text' || file.note !== undefined) return file;
  const lines =
    type === 'json' ? jsonSummary(file.text) : markdownSummary(file.text);
  const shown = lines
    .slice(0, MAX_LINES)
    .map((line) => truncate(line, MAX_LINE_CHARS));
  const left = lines.length - MAX_LINES;
  if (left > 0) shown.push(`… and ${left} more lines`);
  return { ...file, text: shown.join('\n'), note: 'a summary' };
}

/** The headings of a text, each with the first line below it. */
function markdownSummary(text: string): string[] {
  const lines: string[] = [];
  let isFirst = true;
  for (const { heading, kind, text: content } of scanMarkdown(text)) {
    if (heading !== undefined) {
      lines.push(`${'#'.repeat(heading.level)} ${heading.text}`);
      isFirst = true;
    } else if (isFirst && kind !== 'code' && content.trim() !== '') {
      lines.push(content);
      isFirst = false;
    }
  }
  return lines;
}

/** The entries of the outermost object or list. */
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
  const deadline = Date.now() + GIT_TIME_MS;
  const commits = git(root, ['log', '-5', '--format=%h %cs %s'], deadline);
  const changes = hasFilters(root, deadline)
    ? undefined
    : git(
        root,
        ['status', '--porcelain', '--ignore-submodules=dirty'],
        deadline,
      );
  const lines = [facts.text, `dirty: ${dirtyWords(changes)}`];
  if (commits !== undefined && commits !== '')
    lines.push('last commits:', commits);
  return { kind: 'text', text: lines.join('\n') };
}

/** For all calls of git together. */
const GIT_TIME_MS = 2_000;
const MAX_GIT_BYTES = 1_000_000;

/** Settings of the repository itself that name a program: `local<tab>filter.lfs.clean` */
const OWN_FILTER = /^(?:local|worktree)\t(?:filter|lfs\.extension)\./m;

/**
 * Comparing files would start what the repository's own configuration names as a filter. Git is asked, because only git
 * knows all the files that its configuration is made of; without an answer, there may be some.
 */
function hasFilters(root: string, deadline: number): boolean {
  const words = ['config', '--show-scope', '--name-only', '--get-regexp', '.'];
  const names = git(root, words, deadline);
  return names === undefined || OWN_FILTER.test(names);
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
    maxBytes: MAX_GIT_BYTES,
  });
  return result.kind === 'ended' && result.code === 0
    ? result.stdout.trimEnd()
    : undefined;
}

export type LoadedArtifact = DueArtifact & { trigger: string };

export interface Printed {
  text: string;
  /** Those whose content stands in the text. */
  given: LoadedArtifact[];
}

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

/** Null for an artifact that has no text. */
function contentOf(artifact: LoadedArtifact): string | null {
  const { loaded } = artifact;
  if (loaded.kind !== 'text') return null;
  const { path, note, text } = loaded;
  const place = path === undefined ? '' : ` ${asWord(`@${path}`)}`;
  const size = formatSize(Buffer.byteLength(text));
  const about = note === undefined ? size : `${size}, ${sanitizeLine(note)}`;
  return `${titleOf(artifact)}${place} (${about})\n${fenced(text)}`;
}

/** An artifact that is not given whole, in one line. */
export function lineFor(artifact: LoadedArtifact): string {
  const text = loadedText(
    artifact.loaded,
    'too large to be printed here; --max-chars allows more',
  );
  return `${titleOf(artifact)}: ${sanitizeLine(text)}`;
}

const MAX_ABOUT_CHARS = 200;

function titleOf({ id, description }: DueArtifact): string {
  const about =
    description === undefined
      ? ''
      : ` (${quoted(description, MAX_ABOUT_CHARS)})`;
  return `Artifact ${sanitizeLine(id)}${about}`;
}

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
