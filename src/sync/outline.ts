import { TICKS } from '../detect/marks.ts';
import { digestOf } from '../io/digest.ts';

const BOX = new RegExp(`\\[[ ${TICKS}]\\]`, 'g');
const TICKED_BOX = new RegExp(`\\[[${TICKS}]\\]`, 'g');
const DONE_MARK = /[✅☑✔✓]/g;
const MARK = /(?:[✅☑✔✓⏳⬜]|🔄)\ufe0f?/g;

/** A text without its ticks and marks, and how many say done: ticking off work does not make it another plan. */
export function outlineOf(text: string): { outline: string; ticks: number } {
  const boxes = text.match(TICKED_BOX)?.length ?? 0;
  const plain = text.replace(BOX, '[ ]');
  const marks = plain.match(DONE_MARK)?.length ?? 0;
  const outline = plain
    .replace(MARK, '')
    .split(/\r?\n/)
    .map((line) => line.replace(/[ \t]+/g, ' ').trimEnd())
    .join('\n');
  return { outline: digestOf(outline.trimEnd()), ticks: boxes + marks };
}
