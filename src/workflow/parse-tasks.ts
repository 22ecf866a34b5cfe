import { HoldfastError } from '../errors/holdfast-error.ts';
import { isObject } from '../util/json.ts';
import type { GivenTask } from './machine/tasks.ts';

/**
 * Tasks as people and agents write them: a JSON array of texts or objects, or a line each, as in a list. What is
 * ticked off there is done already, and neither a heading nor a rule is a task.
 */
export function tasksFrom(text: string): GivenTask[] {
  const plain = text.replace(/^\uFEFF/, '').trim();
  // Nothing at all is more often a mistake than a wish to skip the loop.
  if (plain === '') throw unreadable(`it is empty; ${NONE}`);
  const json = jsonIn(plain);
  if (json !== null) return tasksFromJson(json.value);
  const titles = plain
    .split(/\r\n|[\n\r]/)
    .filter((line) => line.length > LONG_LINE || !isNoTask(line))
    .map((line) => line.replace(LIST_MARK, '').trim())
    .filter((line) => line !== '');
  if (titles.length === 0) throw unreadable(`no line of it is an open task; ${NONE}`);
  return titles.map((title) => ({ title }));
}

/** No heading and no rule is that long, and patterns have their limits. */
const LONG_LINE = 10_000;

function isNoTask(line: string): boolean {
  return HEADING.test(line) || TICKED.test(line) || RULE.test(line);
}

const NONE = '`[]` is a list without tasks, which skips the loop';

export function tasksFromJson(json: unknown): GivenTask[] {
  if (!Array.isArray(json)) throw unreadable('a JSON array is expected');
  return json.map((entry, index) => {
    if (typeof entry === 'string') return { title: entry };
    const { id, title, description } = isObject(entry) ? entry : {};
    if (typeof title !== 'string') throw unreadable(`entry ${index + 1} has no "title"`);
    return { id: textOf(id), title, description: textOf(description) };
  });
}

/** Meant as an array or an object, and neither a check box nor a title such as `[BUG] the page is empty`. */
const JSON_START = /^(?:\[\s*(?:["{[]|\]$)|\{\s*["}])/;
/** `- item`, `* item`, `1. item`, each with or without a check box. */
const LIST_MARK = /^\s*(?:(?:[-*+]|\d+[.)])(?:\s+|$))?(?:\[[ xX]\](?:\s+|$))?/;
const TICKED = /^\s*(?:(?:[-*+]|\d+[.)])\s+)?\[[xX]\](?:\s|$)/;
const HEADING = /^\s{0,3}#{1,6}(?:\s|$)/;
/** `---`, and what underlines a heading. */
const RULE = /^\s*([-*_=])(?:\s*\1){2,}\s*$/;

/** Null for a text that is none, and does not look as if it were meant to be. */
function jsonIn(text: string): { value: unknown } | null {
  if (!/^[[{]/.test(text)) return null;
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    if (!JSON_START.test(text)) return null;
    throw unreadable(error instanceof Error ? error.message : String(error));
  }
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? value : undefined;
}

function unreadable(reason: string): HoldfastError {
  return new HoldfastError({ code: 'unreadable_input', what: 'the list of tasks', reason });
}
