import { HoldfastError } from '../../text/holdfast-error.ts';
import type { Task } from './machine-state.ts';

export interface GivenTask {
  id?: string | undefined;
  title: string;
  description?: string | undefined;
}

const TASK_LIMITS = { tasks: 100_000, id: 200, title: 500, description: 10_000 } as const;

/**
 * What is finished or under way stays as it is; a pending task that is named again takes the new words; the
 * rest is appended.
 */
export function mergeTasks(known: readonly Task[], given: readonly GivenTask[]): Task[] {
  const tasks = new Map(known.map((task) => [task.id, task]));
  for (const { id, title, description } of identified(known, given)) {
    const before = tasks.get(id);
    if (before !== undefined && before.status !== 'pending') continue;
    tasks.set(id, {
      ...before,
      id,
      title,
      ...(description === undefined ? {} : { description }),
      status: 'pending',
    });
  }
  if (tasks.size > TASK_LIMITS.tasks) {
    throw new HoldfastError(
      'too_many_tasks',
      `${tasks.size} tasks exceed the limit of ${TASK_LIMITS.tasks} for a loop`,
      NOTHING_ADDED,
    );
  }
  return [...tasks.values()];
}

interface IdentifiedTask {
  id: string;
  title: string;
  description: string | undefined;
}

/**
 * A task without an id is the known one of the same title that nothing else in the list stands for; else it is
 * numbered, with a number that no other task has.
 */
function identified(known: readonly Task[], given: readonly GivenTask[]): IdentifiedTask[] {
  const checked = given.map(checkedTask);
  const taken = new Set(known.map(({ id }) => id));
  for (const { id } of checked) if (id !== undefined) taken.add(id);
  requireDistinct(checked);
  let number = 0;
  const free = (): string => {
    do number += 1;
    while (taken.has(String(number)));
    return String(number);
  };
  const sameTitle = unclaimedByTitle(known, new Set(checked.map(({ id }) => id)));
  return checked.map((task) => ({
    ...task,
    id: task.id ?? sameTitle.get(task.title)?.pop() ?? free(),
  }));
}

/** The ids of each title, the last one first. */
function unclaimedByTitle(
  known: readonly Task[],
  claimed: ReadonlySet<string | undefined>,
): Map<string, string[]> {
  const ids = new Map<string, string[]>();
  for (const { id, title } of known.toReversed()) {
    if (claimed.has(id)) continue;
    const same = ids.get(title);
    if (same === undefined) ids.set(title, [id]);
    else same.push(id);
  }
  return ids;
}

function checkedTask(
  { id, title, description }: GivenTask,
  index: number,
): Omit<IdentifiedTask, 'id'> & { id: string | undefined } {
  const task = {
    id: filled(id),
    title: title.trim(),
    description: filled(description),
  };
  if (task.title === '') throw badTask(index, 'no title');
  for (const field of ['id', 'title', 'description'] as const) {
    const length = task[field]?.length ?? 0;
    const max = TASK_LIMITS[field];
    if (length > max)
      throw badTask(
        index,
        `${field === 'id' ? 'an' : 'a'} ${field} of ${length} characters; the limit is ${max}`,
      );
  }
  return task;
}

function requireDistinct(tasks: readonly { id: string | undefined }[]): void {
  const seen = new Set<string>();
  for (const [index, { id }] of tasks.entries()) {
    if (id === undefined) continue;
    if (seen.has(id)) throw badTask(index, `the id "${id}" of an earlier task in the list`);
    seen.add(id);
  }
}

const NOTHING_ADDED = { hint: 'no task was added; correct the list and set it again' };

function badTask(index: number, has: string): HoldfastError {
  return new HoldfastError('bad_task', `task ${index + 1} has ${has}`, NOTHING_ADDED);
}

function filled(text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed === '' ? undefined : trimmed;
}
