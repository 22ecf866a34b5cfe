import { isObject, type JsonObject } from '../text/json.ts';
import type { RunState } from './types.ts';

/** The plan of a run, whether detected or started from; with `~` or from the root of the disk if outside the project. */
export function planOf({ source }: RunState): string | undefined {
  if (source?.kind === 'plan') return source.path;
  const outside = source?.['plan'];
  return typeof outside === 'string' ? outside : undefined;
}

/** The plan that a person started the run from and that feeds it, as a path in the project. */
export function startedPlanOf({ source }: RunState): string | undefined {
  const isStarted = source?.kind === 'plan' && source['started'] === true;
  return isStarted ? source.path : undefined;
}

/** The key of the context that shows what to do next in the phase. */
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
  if (item === undefined) return { ...state, context };
  return { ...state, context: { ...context, [NEXT_ITEM]: item } };
}

/** Whether the next item of the run, or that it has none, comes from its plan. */
export function isItemOfPlan(state: RunState): boolean {
  const item = state.context?.[NEXT_ITEM];
  if (item === undefined) return itemOfPhase(state) === undefined;
  return Object.values(itemsOf(state)).includes(item);
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
