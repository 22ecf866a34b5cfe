import { LETTERS } from '../markdown/characters.ts';
import { withoutDecoration } from './field-line.ts';

/** Whether a line is a `Workflow State` marker. A heading may add a few words; other lines may not, so prose is not a marker. */
export function isMarker(text: string, isHeading: boolean): boolean {
  const words = withoutDecoration(text)
    .slice(0, 200)
    .replaceAll(/[*_`[\]]/g, '');
  return isHeading ? HEADING_MARKER.test(words) : LINE_MARKER.test(words);
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
