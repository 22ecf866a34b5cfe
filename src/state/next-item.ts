import { isObject, type JsonObject } from '../util/json.ts';
import type { RunState } from './types.ts';

/** The key of the context under which a plan names the next open item of the run's phase. */
export const NEXT_ITEM = 'next_item';

/**
 * The next open item of the phase that the run is in, as its plan declared it last; none if the plan knows none there.
 * `before` is the run before the change: an item that somebody set or removed by hand in it stays.
 */
export function withNextItem(state: RunState, before: RunState): RunState {
  // The steps of a template are not the phases of a plan.
  if (state.machine !== undefined || !isItemOfPlan(before)) return state;
  const item = itemOfPhase(state);
  const { [NEXT_ITEM]: shown, ...context } = state.context ?? {};
  if (shown === item) return state;
  return { ...state, context: item === undefined ? context : { ...context, [NEXT_ITEM]: item } };
}

/** Whether the next item of the run, or that it has none, comes from its plan. */
export function isItemOfPlan(state: RunState): boolean {
  const item = state.context?.[NEXT_ITEM];
  return item === undefined
    ? itemOfPhase(state) === undefined
    : Object.values(itemsOf(state)).includes(item);
}

/** A phase that the run does not share with its plan has no item. */
function itemOfPhase(state: RunState): unknown {
  const { current, name } = state.phase;
  const names = state.source?.said?.['phases'];
  const isShared = !Array.isArray(names) || names[current - 1] === name;
  return isShared ? itemsOf(state)[current] : undefined;
}

/** By the number of the phase. */
function itemsOf({ source }: RunState): JsonObject {
  const items = source?.said?.['next_items'];
  return isObject(items) ? items : {};
}
