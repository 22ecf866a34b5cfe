import { isObject, sameJson, type JsonObject } from '../../util/json.ts';
import { isOurHook } from './hook-command.ts';
import { isSameHook, type HookEntry } from './hook-entry.ts';
import { appendItem, removeValue, replaceValue, setMember } from '../../util/edit-json.ts';

/** The settings with our hooks in their current form; older forms are updated in place. */
export function withHooks(text: string, wanted: readonly HookEntry[]): string {
  const tidy = placesOfOurs(text)
    .filter((place) => !wanted.some((entry) => isSameHook(entry, place)))
    .toReversed()
    .reduce((left, place) => withoutHook(left, place, undefined), text);
  return wanted.reduce(withHook, tidy);
}

/** `before` is the original file; lists that were empty in it stay. */
export function withoutHooks(text: string, before: unknown): string {
  return placesOfOurs(text)
    .toReversed()
    .reduce((left, place) => withoutHook(left, place, before), text);
}

export function placesOfOurs(text: string): HookPlace[] {
  return placesOfHooks(JSON.parse(unmarked(text))).filter(({ hook }) => isOurHook(hook));
}

export interface HookPlace {
  event: string;
  group: number;
  index: number;
  matcher: string;
  hook: unknown;
}

export function placesOfHooks(json: unknown): HookPlace[] {
  return Object.entries(hooksIn(json)).flatMap(([event, groups]) =>
    listOf(groups).flatMap((group, at) =>
      listOf(isObject(group) ? group['hooks'] : []).map((hook, index) => ({
        event,
        group: at,
        index,
        matcher: isObject(group) && typeof group['matcher'] === 'string' ? group['matcher'] : '',
        hook,
      })),
    ),
  );
}

/** The first malformed part of the settings, or null. Claude Code 2.1.197 runs no hook of a file that has one. */
export function misshapenPart(json: unknown): string | null {
  if (!isObject(json)) return 'the file';
  if (json['hooks'] !== undefined && !isObject(json['hooks'])) return '"hooks"';
  for (const [event, groups] of Object.entries(hooksIn(json))) {
    const part = misshapenGroups(groups);
    if (part !== null) return `"hooks.${event}${part}"`;
  }
  return null;
}

/** Whether any client reads hooks from these settings: newer ones skip a malformed hook and read the others. */
export function hasHookLists(json: unknown): boolean {
  if (!isObject(json)) return false;
  const { hooks } = json;
  if (hooks === undefined) return true;
  return isObject(hooks) && Object.values(hooks).every((groups) => Array.isArray(groups));
}

function misshapenGroups(groups: unknown): string | null {
  if (!Array.isArray(groups)) return '';
  for (const [at, group] of groups.entries()) {
    if (!isObject(group) || !Array.isArray(group['hooks'])) return `[${at}]`;
    const index = group['hooks'].findIndex((hook) => !isWellFormed(hook));
    if (index >= 0) return `[${at}].hooks[${index}]`;
  }
  return null;
}

/** Other clients may know other types than commands. */
function isWellFormed(hook: unknown): boolean {
  return isObject(hook) && (hook['type'] !== 'command' || typeof hook['command'] === 'string');
}

export function unmarked(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

function withHook(text: string, wanted: HookEntry): string {
  const ours = placesOfOurs(text).filter((place) => isSameHook(place, wanted));
  const kept = ours.find((place) => place.matcher === wanted.matcher) ?? null;
  const tidy = ours
    .filter((place) => place !== kept)
    .toReversed()
    .reduce((left, place) => withoutHook(left, place, undefined), text);
  if (kept === null) return withNewHook(tidy, wanted);
  if (sameJson(kept.hook, wanted.hook)) return tidy;
  const place = placesOfOurs(tidy).find((other) => isSameHook(other, wanted));
  return place === undefined ? tidy : replaceValue(tidy, pathOf(place), wanted.hook);
}

function withNewHook(text: string, { event, matcher, hook }: HookEntry): string {
  const json: unknown = JSON.parse(unmarked(text));
  const group = { matcher, hooks: [hook] };
  if (!isObject(json) || !isObject(json['hooks']))
    return setMember(text, [], 'hooks', { [event]: [group] });
  return Array.isArray(json['hooks'][event])
    ? appendItem(text, ['hooks', event], group)
    : setMember(text, ['hooks'], event, [group]);
}

/** The hook, and what is empty without it, unless it was empty before. */
function withoutHook(text: string, place: HookPlace, before: unknown): string {
  const left = removeValue(text, pathOf(place));
  const { event, group } = place;
  const groups = listOf(hooksIn(JSON.parse(unmarked(left)))[event]);
  const hooks = groups[group];
  if (!isObject(hooks) || listOf(hooks['hooks']).length > 0) return left;
  if (groups.length > 1) return removeValue(left, ['hooks', event, group]);
  if (Object.hasOwn(hooksIn(before), event)) return removeValue(left, ['hooks', event, group]);
  const events = Object.keys(hooksIn(JSON.parse(unmarked(left))));
  if (events.length > 1 || (isObject(before) && Object.hasOwn(before, 'hooks')))
    return removeValue(left, ['hooks', event]);
  return removeValue(left, ['hooks']);
}

function pathOf({ event, group, index }: HookPlace): (string | number)[] {
  return ['hooks', event, group, 'hooks', index];
}

function hooksIn(json: unknown): JsonObject {
  return isObject(json) && isObject(json['hooks']) ? json['hooks'] : {};
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
