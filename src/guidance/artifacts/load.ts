import type { StoredRun } from '../../state/types.ts';
import { scanMarkdown } from '../../text/markdown/scan.ts';
import { truncate } from '../../text/sanitize.ts';
import { loadPlain, type Artifact, type Loaded } from './load-plain.ts';

/** `loadPlain` with summaries, which it leaves out to be small enough for hooks. */
export function loadArtifact(artifact: Artifact, run: StoredRun, root: string): Loaded {
  return loadPlain(artifact, run, root, summarised);
}

const MAX_LINES = 200;
const MAX_CHARACTERS = 200;

/** A file's content in short: the outermost entries of JSON, the headings of anything else. */
export function summarised(file: Loaded, type: Artifact['type']): Loaded {
  if (file.kind !== 'text' || file.note !== undefined) return file;
  const lines = type === 'json' ? jsonSummary(file.text) : markdownSummary(file.text);
  const left = lines.length - MAX_LINES;
  const shown = lines.slice(0, MAX_LINES).map((line) => truncate(line, MAX_CHARACTERS));
  const text = [...shown, ...(left > 0 ? [`… and ${left} more lines`] : [])].join('\n');
  return { ...file, text, size: Buffer.byteLength(text), note: 'a summary' };
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

/** The entries of the outermost object or list. */
function jsonSummary(text: string): string[] {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null) return [JSON.stringify(value)];
  return Object.entries(value).map(([key, member]) => `${key}: ${JSON.stringify(member)}`);
}
