import { digestOf } from '../io/digest.ts';
import { isObject } from '../util/json.ts';
import type { RunState } from '../state/types.ts';

/** The file as it is came from the run: it was set, and nobody but holdfast has changed it since. */
export function owns({ todo }: RunState, path: string, text: string): boolean {
  return todo?.['path'] === path && todo['owned'] === true && todo['digest'] === digestOf(text);
}

export function withTodo(state: RunState, path: string, owned: boolean, text: string): RunState {
  const former = isObject(state.todo) ? state.todo : {};
  return { ...state, todo: { ...former, path, owned, digest: digestOf(text) } };
}
