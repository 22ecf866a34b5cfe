import { HoldfastError } from '../text/holdfast-error.ts';
import { isObject, ownEntry } from '../text/json.ts';
import { enterNextTask, enterStep } from './enter-step.ts';
import {
  runArgument,
  TASK_STATUSES,
  type MachineContext,
  type MachineState,
  type Task,
} from './machine-state.ts';
import { isGuarded, loopOfStep, loopsOf, stepOf } from './position.ts';
import type { Step, Template } from './template-types.generated.ts';

export interface GivenTask {
  id?: string | undefined;
  title: string;
  description?: string | undefined;
  /** `pending` if it is not given. */
  status?: Task['status'] | undefined;
}

const MAX_TASKS = 100_000;
const MAX_CHARS = { id: 200, title: 500, description: 10_000 };
const NOTHING_ADDED = {
  hint: 'no task was added; correct the list and set it again',
};

/** Sets the tasks of a loop that comes later, waits for them or is running; `id` names the loop or its step. */
export function giveTasks(
  context: MachineContext,
  state: MachineState,
  id: string,
  added: readonly GivenTask[],
): MachineState {
  const { template, facts } = context;
  const current = stepOf(template, state);
  const step = findLoopStep(template, current.index, id);
  if (template.steps.indexOf(step) < current.index) {
    const message = `"${id}" takes no more tasks: step "${step.id}" is over`;
    const hint = `go back to it with \`holdfast pivot ${step.id} --feedback "…"${runArgument(facts, '--run ')}\`, or start another run for them: \`holdfast start --template <name>\``;
    throw new HoldfastError('loop_over', message, { hint });
  }
  const { key } = loopOfStep(template, step);
  const isAhead = step.id !== current.step.id;
  const before = isAhead ? [] : (ownEntry(state.tasks, key) ?? []);
  const tasks = mergeTasks(before, added);

  const isPassing =
    tasks.length === 0 || countFinished(tasks) > countFinished(before);
  if (isPassing && isGuarded(template, step))
    throw new HoldfastError(
      'gate_not_skipped',
      `step "${step.id}" has a gate, so an empty list or a task given as done cannot skip it`,
      { hint: 'set at least one task, and only tasks that are still to do' },
    );
  const stored = { ...state, tasks: { ...state.tasks, [key]: tasks } };
  if (isAhead || state.task !== undefined) return stored;
  const begun = enterNextTask(template, stored, step, state.cameFrom);
  return begun ?? enterStep(context, stored, current.index + 1, step.id);
}

function countFinished(tasks: readonly Task[]): number {
  const finished = tasks.filter(
    ({ status }) => status === 'done' || status === 'failed',
  );
  return finished.length;
}

/**
 * The step whose tasks are meant by the id of a loop or of a step: the current one first, then the next one that walks
 * the loop, then the step of that name, then one that is over.
 */
export function findLoopStep(
  template: Template,
  current: number,
  id: string,
): Step {
  const loops = loopsOf(template);
  const walks = (step: Step): boolean => loops.get(step.id)?.loop === id;
  const isNamed = (step: Step): boolean => step.id === id && loops.has(id);
  const present = template.steps[current];
  if (present !== undefined && (walks(present) || isNamed(present)))
    return present;
  const ahead = template.steps.slice(current);
  const past = template.steps.slice(0, current);
  const meant =
    ahead.find(walks) ??
    ahead.find(isNamed) ??
    past.find(isNamed) ??
    past.findLast(walks);
  if (meant !== undefined) return meant;
  const names = new Set([...loops.values()].map(({ loop }) => loop));
  throw new HoldfastError('unknown_loop', `this workflow has no loop "${id}"`, {
    hint:
      names.size > 0
        ? `available: ${[...names].join(', ')}`
        : 'it has no loops, so it takes no tasks',
  });
}

/**
 * What is finished or under way stays as it is; a pending task that is named again takes the new words; the rest is
 * appended. A task without an id is the known one of the same title that nothing else in the list stands for; else it is
 * numbered, with a number that no other task has.
 */
function mergeTasks(
  stored: readonly Task[],
  list: readonly GivenTask[],
): Task[] {
  const checked = list.map(checkedTask);
  const named = idsOf(checked);
  const tasks = new Map(stored.map((task) => [task.id, task]));
  const idsByTitle = new Map<string, string[]>();
  for (const { id, title } of stored) {
    if (named.has(id)) continue;
    const ids = idsByTitle.get(title);
    if (ids === undefined) idsByTitle.set(title, [id]);
    else ids.push(id);
  }

  let number = 0;
  const nextFreeNumber = (): string => {
    do number += 1;
    while (tasks.has(String(number)) || named.has(String(number)));
    return String(number);
  };

  for (const { id: ownId, ...task } of checked) {
    const id = ownId ?? idsByTitle.get(task.title)?.shift() ?? nextFreeNumber();
    const before = tasks.get(id);
    if (before === undefined || before.status === 'pending')
      tasks.set(id, { ...before, id, ...task });
  }

  if (tasks.size > MAX_TASKS) {
    const message = `${tasks.size} tasks exceed the limit of ${MAX_TASKS} for a loop`;
    throw new HoldfastError('too_many_tasks', message, NOTHING_ADDED);
  }
  return [...tasks.values()];
}

type CheckedTask = Omit<Task, 'id'> & { id: string | undefined };

/** The ids that a list of tasks gives, each of them once. */
function idsOf(tasks: readonly CheckedTask[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const [index, { id }] of tasks.entries()) {
    if (id === undefined) continue;
    if (ids.has(id))
      throw badTask(index, `the id "${id}" of an earlier task in the list`);
    ids.add(id);
  }
  return ids;
}

function checkedTask(task: GivenTask, index: number): CheckedTask {
  const id = checkedField(task, 'id', index);
  const title = checkedField(task, 'title', index);
  const description = checkedField(task, 'description', index);
  if (title === '') throw badTask(index, 'no title');

  const { status = 'pending' } = task;
  return {
    id: id === '' ? undefined : id,
    title,
    ...(description !== '' && { description }),
    // The machine itself begins a task.
    status: status === 'in_progress' ? 'pending' : status,
  };
}

function checkedField(
  task: GivenTask,
  field: 'id' | 'title' | 'description',
  index: number,
): string {
  const text = task[field]?.trim() ?? '';
  const max = MAX_CHARS[field];
  if (text.length <= max) return text;
  throw badTask(
    index,
    `${text.length} characters in its ${field}; the limit is ${max}`,
  );
}

function badTask(index: number, has: string): HoldfastError {
  const message = `task ${index + 1} has ${has}`;
  return new HoldfastError('bad_task', message, NOTHING_ADDED);
}

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
  const tasks: GivenTask[] = [];
  for (const line of plain.split(/\r\n|[\n\r]/)) {
    if (!isTaskLine(line)) continue;
    const title = line.replace(LIST_MARK, '').trim();
    if (title !== '') tasks.push({ title });
  }
  if (tasks.length === 0) throw unreadable('none of its lines is an open task');
  return tasks;
}

/** Longer lines are tasks: matching the patterns against them could take long. */
const LONG_LINE_CHARS = 10_000;

function isTaskLine(line: string): boolean {
  if (line.length > LONG_LINE_CHARS) return true;
  return !HEADING.test(line) && !TICKED.test(line) && !RULE.test(line);
}

export function tasksFromJson(json: unknown): GivenTask[] {
  if (!Array.isArray(json)) throw unreadable('it is not a JSON array');
  return json.map((entry, index) => {
    if (typeof entry === 'string') return { title: entry };
    const { id, title, description, status } = isObject(entry) ? entry : {};
    if (typeof title !== 'string')
      throw unreadable(`entry ${index + 1} has no "title"`);
    const listed = TASK_STATUSES.find((name) => name === status);
    if (status !== undefined && listed === undefined)
      throw unreadable(
        `the status of entry ${index + 1} is not ${TASK_STATUSES.join(', ')}`,
      );
    return {
      id: textOf(id),
      title,
      description: textOf(description),
      status: listed,
    };
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
  const message = `cannot read the list of tasks: ${why}`;
  return new HoldfastError('unreadable_tasks', message, {
    hint: 'give one task a line, or a JSON array, with --file <file> or on standard input; `[]` is an empty list, which skips the loop',
  });
}
