import type { MarkdownLine } from '../markdown/types.ts';
import { parseValue } from '../util/parse-value.ts';
import { LETTERS } from '../markdown/characters.ts';
import { Declaration } from './declaration.ts';
import { cleanText, withoutDecoration } from './field-line.ts';
import { scanMarkdown } from '../markdown/scan.ts';
import { MAX_LINES } from '../markdown/lines.ts';
import { parsePhase } from '../state/phase-line.ts';
import type { DeclaredWorkflow, SourceStatus } from './types.ts';

/** More than anybody reads; a file may list any number. */
const MAX_LISTED = 1_000;

/** A workflow is declared by a `Workflow State` marker, a `Workflow:` line and a `Phase:` line. */
export function readLocalFile(text: string): SourceStatus {
  if (!/workflow\s+state/i.test(text)) return { state: 'none' };
  const lines = scanMarkdown(text, MAX_LINES).filter(({ kind }) => kind === 'text');
  const marker = lines.findIndex(isMarker);
  if (marker < 0) return { state: 'none' };

  const below = new Declaration(lines.slice(marker + 1));
  const above = new Declaration(lines.slice(0, marker));
  const field = (label: string): string | undefined =>
    below.fields.get(label) ?? above.fields.get(label);
  const workflow = field('workflow');
  const phaseLine = field('phase');
  if (workflow === undefined || phaseLine === undefined) return { state: 'none' };

  const type = field('type');
  const phase = parsePhase(phaseLine);
  const said: DeclaredWorkflow = {
    workflow,
    ...(type !== undefined && { workflow_type: type }),
    ...(phase && { phase }),
    required_reading: [...below.reading].slice(0, MAX_LISTED),
    key_reminders: below.listed('key reminders').slice(0, MAX_LISTED),
    context: contextOf(below.listed('context').slice(0, MAX_LISTED)),
  };
  const isFinished =
    phase?.status === 'completed' && phase.total !== undefined && phase.current === phase.total;
  return { state: isFinished ? 'finished' : 'active', said };
}

/** A heading may say a little more than the words; other lines hardly any, so that prose is none. */
function isMarker({ text, heading }: MarkdownLine): boolean {
  const words = withoutDecoration(text)
    .slice(0, 200)
    .replaceAll(/[*_`[\]]/g, '');
  return heading ? HEADING_MARKER.test(words) : LINE_MARKER.test(words);
}

const MARKER = String.raw`(?:(?:current|active)\s+)?workflow\s+state`;
const HEADING_MARKER = new RegExp(
  String.raw`^(?:(?:the|my|our)\s+)?${MARKER}\b|\bworkflow\s+state[^${LETTERS}]*$|^(?:[${LETTERS}'’-]+\s+){0,2}workflow\s+state\s*[^${LETTERS}\s]`,
  'i',
);
const LINE_MARKER = new RegExp(
  String.raw`^${MARKER}(?:\s*:|\s+[-–—]\s|\s*\([^()]*\)[^${LETTERS}]*$|[^${LETTERS}]*$)`,
  'i',
);

/** Built from entries, so that a key `__proto__` is a key like any other. */
function contextOf(items: string[]): Record<string, unknown> {
  return Object.fromEntries(items.map(contextEntry).filter(([key]) => key !== ''));
}

function contextEntry(item: string): [key: string, value: unknown] {
  const text = item.replaceAll('**', '').trim();
  const colon = text.search(/:(?=\s|$)/);
  const end = colon >= 0 ? colon : (/^[^\s:]+(?=:(?!\/\/))/.exec(text)?.[0].length ?? -1);
  if (end < 0) return [cleanText(text), true];
  // Underscores are left to a key: it may be an identifier like `__name__`.
  return [cleanText(text.slice(0, end), ['*', '`']), parseValue(cleanText(text.slice(end + 1)))];
}
