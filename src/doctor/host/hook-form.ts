import { isObject } from '../../util/json.ts';

/** Whether any client takes hooks from these settings: newer ones pass over a hook that is misshapen, and read the rest. */
export function hasHookLists(json: unknown): boolean {
  if (!isObject(json)) return false;
  const { hooks } = json;
  if (hooks === undefined) return true;
  return isObject(hooks) && Object.values(hooks).every((groups) => Array.isArray(groups));
}
