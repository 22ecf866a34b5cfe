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
const MAX_LENGTH = { id: 200, title: 500, description: 10_000 };
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
  const finished = (list: readonly Task[]): number =>
    list.filter(({ status }) => status === 'done' || status === 'failed')
      .length;
  const isPassing = tasks.length === 0 || finished(tasks) > finished(before);
  if (isPassing && isGuarded(template, step))
    throw new HoldfastError(
      'gate_not_skipped',
      `step "${step.id}" has a gate, so an empty list or a task given as done cannot skip it`,
      { hint: 'set at least one task, and only tasks that are still to do' },
    );
  const stored = { ...state, tasks: { ...state.tasks, [key]: tasks } };
  if (isAhead || state.task !== undefined) return stored;
  return (
    enterNextTask(template, stored, step, state.cameFrom) ??
    enterStep(context, stored, current.index + 1, step.id)
  );
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
  const named = new Set<string>();
  for (const [index, { id }] of checked.entries()) {
    if (id !== undefined && named.has(id))
      throw badTask(index, `the id "${id}" of an earlier task in the list`);
    if (id !== undefined) named.add(id);
  }
  const tasks = new Map(stored.map((task) => [task.id, task]));
  const sameTitle = new Map<string, string[]>();
  for (const { id, title } of stored)
    if (!named.has(id))
      sameTitle.set(title, [...(sameTitle.get(title) ?? []), id]);
  let number = 0;
  const free = (): string => {
    do number += 1;
    while (tasks.has(String(number)) || named.has(String(number)));
    return String(number);
  };
  for (const { id: own, ...task } of checked) {
    const id = own ?? sameTitle.get(task.title)?.shift() ?? free();
    const before = tasks.get(id);
    if (before === undefined || before.status === 'pending')
      tasks.set(id, { ...before, id, ...task });
  }
  if (tasks.size > MAX_TASKS)
    throw new HoldfastError(
      'too_many_tasks',
      `${tasks.size} tasks exceed the limit of ${MAX_TASKS} for a loop`,
      NOTHING_ADDED,
    );
  return [...tasks.values()];
}

function checkedTask(
  task: GivenTask,
  index: number,
): Omit<Task, 'id'> & { id: string | undefined } {
  const [id = '', title = '', description = ''] = (
    ['id', 'title', 'description'] as const
  ).map((field) => {
    const text = task[field]?.trim() ?? '';
    const max = MAX_LENGTH[field];
    if (text.length > max)
      throw badTask(
        index,
        `${text.length} characters in its ${field}; the limit is ${max}`,
      );
    return text;
  });
  if (title === '') throw badTask(index, 'no title');
  return {
    id: id === '' ? undefined : id,
    title,
    ...(description === '' ? {} : { description }),
    // The machine itself begins a task.
    status:
      task.status === 'in_progress' ? 'pending' : (task.status ?? 'pending'),
  };
}

const badTask = (index: number, has: string): HoldfastError =>
  new HoldfastError('bad_task', `task ${index + 1} has ${has}`, NOTHING_ADDED);

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
      (line) =>
        line.length > LONG_LINE ||
        ![HEADING, TICKED, RULE].some((no) => no.test(line)),
    )
    .map((line) => line.replace(LIST_MARK, '').trim())
    .filter((line) => line !== '');
  if (titles.length === 0)
    throw unreadable('none of its lines is an open task');
  return titles.map((title) => ({ title }));
}

/** Longer lines are tasks: matching the patterns against them could take long. */
const LONG_LINE = 10_000;

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

const unreadable = (why: string): HoldfastError =>
  new HoldfastError(
    'unreadable_tasks',
    `cannot read the list of tasks: ${why}`,
    {
      hint: 'give one task a line, or a JSON array, with --file <file> or on standard input; `[]` is an empty list, which skips the loop',
    },
  );
