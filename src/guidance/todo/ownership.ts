import { digestOf } from '../../text/slug.ts';
import { isObject } from '../../text/json.ts';
import type { RunState } from '../../state/types.ts';

/** Whether the run wrote this list with `set`, and only holdfast has changed it since. */
export function owns({ todo }: RunState, path: string, text: string): boolean {
  return todo?.['path'] === path && todo['owned'] === true && todo['digest'] === digestOf(text);
}

export function withTodo(state: RunState, path: string, owned: boolean, text: string): RunState {
  const previous = isObject(state.todo) ? state.todo : {};
  return { ...state, todo: { ...previous, path, owned, digest: digestOf(text) } };
}
