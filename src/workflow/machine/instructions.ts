import { unreachable } from '../../util/unreachable.ts';
import type { Task } from './machine-state.ts';
import type { Position } from './position.ts';

/** What is to be done at this place. */
export function instructionsAt(place: Position): string {
  const own = place.step.instructions;
  switch (place.kind) {
    case 'action':
    case 'ralph':
      return own ?? '';
    case 'waiting':
      return joined(own, waitingSentence(place.loop.key));
    case 'task':
      return filledIn(joined(own, place.subStep.instructions), place.task);
    default:
      return unreachable(place);
  }
}

function waitingSentence(key: string): string {
  return `This step waits for its tasks: give them with \`holdfast tasks ${key}\` or the tool workflow_set_tasks (loop_id "${key}").`;
}

function joined(own: string | undefined, rest: string): string {
  return own === undefined ? rest : `${own.trimEnd()}\n\n${rest}`;
}

/** In one pass, so that what a task says is never taken for a placeholder. */
function filledIn(text: string, task: Task): string {
  return text.replace(/\{task\.(id|title|description)\}/g, (_all, field: string) => {
    if (field === 'id') return task.id;
    return field === 'title' ? task.title : (task.description ?? '');
  });
}
