import { HoldfastError } from '../text/holdfast-error.ts';
import { isObject } from '../text/json.ts';
import { TASK_STATUSES } from './machine/machine-state.ts';
import type { GivenTask } from './machine/tasks.ts';

/**
 * Tasks as people and agents write them: a JSON array of texts or objects, or one task a line, as in a Markdown list.
 * Ticked entries are done already; headings and rules are not tasks.
 */
export function tasksFrom(text: string): GivenTask[] {
  const plain = text.replace(/^\uFEFF/, '').trim();
  // Empty input is more often a mistake than a wish to skip the loop.
  if (plain === '') throw unreadable('it is empty');
  const json = jsonIn(plain);
  if (json !== null) return tasksFromJson(json.value);
  const titles = plain
    .split(/\r\n|[\n\r]/)
    .filter(
      (line) => line.length > LONG_LINE || ![HEADING, TICKED, RULE].some((no) => no.test(line)),
    )
    .map((line) => line.replace(LIST_MARK, '').trim())
    .filter((line) => line !== '');
  if (titles.length === 0) throw unreadable('none of its lines is an open task');
  return titles.map((title) => ({ title }));
}

/** Longer lines are tasks: matching the patterns against them could take long. */
const LONG_LINE = 10_000;

export function tasksFromJson(json: unknown): GivenTask[] {
  if (!Array.isArray(json)) throw unreadable('it is not a JSON array');
  return json.map((entry, index) => {
    if (typeof entry === 'string') return { title: entry };
    const { id, title, description, status } = isObject(entry) ? entry : {};
    if (typeof title !== 'string') throw unreadable(`entry ${index + 1} has no "title"`);
    const known = TASK_STATUSES.find((name) => name === status);
    if (status !== undefined && known === undefined)
      throw unreadable(`the status of entry ${index + 1} is not ${TASK_STATUSES.join(', ')}`);
    return { id: textOf(id), title, description: textOf(description), status: known };
  });
}

/** Starts like an array or an object, not like a check box or a title such as `[BUG] the page is empty`. */
const JSON_START = /^(?:\[\s*(?:["{[]|\]$)|\{\s*["}])/;
/** `- item`, `* item`, `1. item`, each with or without a check box. */
const LIST_MARK = /^\s*(?:(?:[-*+]|\d+[.)])(?:\s+|$))?(?:\[[ xX]\](?:\s+|$))?/;
const TICKED = /^\s*(?:(?:[-*+]|\d+[.)])\s+)?\[[xX]\](?:\s|$)/;
const HEADING = /^\s{0,3}#{1,6}(?:\s|$)/;
/** `---`, and what underlines a heading. */
const RULE = /^\s*([-*_=])(?:\s*\1){2,}\s*$/;

/** Null if the text is not JSON and does not start like JSON. */
function jsonIn(text: string): { value: unknown } | null {
  if (!/^[[{]/.test(text)) return null;
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    if (!JSON_START.test(text)) return null;
    throw unreadable(`it is not JSON (${error.message})`);
  }
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? value : undefined;
}

function unreadable(why: string): HoldfastError {
  return new HoldfastError('unreadable_tasks', `cannot read the list of tasks: ${why}`, {
    hint: 'give one task a line, or a JSON array, with --file <file> or on standard input; `[]` is an empty list, which skips the loop',
  });
}
