import { appendItem, removeValue, setMember } from '../text/edit-json.ts';
import {
  isObject,
  parseJson,
  sameJson,
  type JsonObject,
} from '../text/json.ts';
import { parse } from 'jsonc-parser';
import { isBlank, unmarked } from './disk.ts';
import { isOurHook, type HookCommand } from './host-commands.ts';
import { quoted } from '../text/sanitize.ts';

export type HookEvent =
  | 'SessionStart'
  | 'PreCompact'
  | 'PostCompact'
  | 'SessionEnd'
  | 'UserPromptSubmit'
  | 'PostToolUse'
  | 'SubagentStart'
  | 'PreToolUse'
  | 'UserPromptExpansion'
  | 'FileChanged';

interface Hook {
  event: HookEvent;
  /** In seconds. */
  timeout: number;
  matcher: string;
  /** Newer clients start the hook only for such calls; older ones ignore it. */
  if?: string;
  /** The hook runs in the background, and its exit code 2 wakes an idle client. */
  asyncRewake?: true;
  /** In place of the event in the line for bin/hook.sh. */
  word?: string;
}

/** The tool that ends plan mode once the person has accepted the plan. */
const PLAN_TOOL = 'ExitPlanMode';

/**
 * Every hook that holdfast registers: the one list for `init`, `doctor` and the plugin. An empty matcher also matches
 * the sources of future clients. The client itself ends SessionEnd hooks after 1.5 seconds.
 */
const HOOKS: readonly Hook[] = [
  { event: 'SessionStart', timeout: 15, matcher: '' },
  { event: 'PreCompact', timeout: 15, matcher: '' },
  { event: 'PostCompact', timeout: 10, matcher: '' },
  { event: 'SessionEnd', timeout: 5, matcher: '' },
  { event: 'UserPromptSubmit', timeout: 10, matcher: '' },
  { event: 'PostToolUse', timeout: 10, matcher: 'Read' },
  { event: 'PostToolUse', timeout: 10, matcher: PLAN_TOOL, word: PLAN_TOOL },
  { event: 'SubagentStart', timeout: 10, matcher: '' },
  {
    event: 'PreToolUse',
    timeout: 10,
    matcher: 'Edit|MultiEdit|Write|NotebookEdit|Bash',
  },
  {
    event: 'PreToolUse',
    timeout: 10,
    matcher: 'Bash',
    // With the name alone, the client starts no hook for `env -i holdfast`, `sh -c "holdfast …"` or a path.
    if: 'Bash(*holdfast*)',
    word: 'Permission',
  },
  { event: 'UserPromptExpansion', timeout: 10, matcher: '' },
  { event: 'FileChanged', timeout: 10, matcher: '', asyncRewake: true },
];

export const hookEvents = (): HookEvent[] => [
  ...new Set(HOOKS.map(({ event }) => event)),
];

/** A hook as it is registered in the settings of a host; a group without a matcher is for everything. */
export interface HookEntry {
  event: string;
  matcher?: string;
  hook: {
    type: 'command';
    command: string;
    timeout: number;
    name?: string;
  } & Pick<Hook, 'if' | 'asyncRewake'>;
}

/** `isBlocking`: with the hook that keeps a session from its work until it has read what is required. */
export function hookEntries(
  command: HookCommand,
  isBlocking: boolean,
): HookEntry[] {
  const entries = HOOKS.map((hook) => entryFor(hook, command));
  return entries.filter((entry) => isBlocking || !isBlockingHook(entry));
}

function entryFor(registered: Hook, command: HookCommand): HookEntry {
  const { event, matcher, timeout, word = event, ...conditions } = registered;
  return {
    event,
    matcher,
    hook: { type: 'command', ...conditions, command: command(word), timeout },
  };
}

/** A hook of a settings file, which may have any form. */
interface AnyHook {
  event: string;
  matcher?: string;
  hook: unknown;
}

/** The hook that runs at every edit and command, so only `init` registers it, for `reading.enforce: block`. */
export const isBlockingHook = ({ event, hook }: AnyHook): boolean =>
  event === 'PreToolUse' && conditionOf(hook) === undefined;

/** Whether two of our hooks have the same purpose, in whatever form. */
export function isSameHook(one: AnyHook, other: AnyHook): boolean {
  // Two hooks are for PostToolUse, and only this matcher tells them apart.
  const isForPlan = (hook: AnyHook): boolean => hook.matcher === PLAN_TOOL;
  return (
    one.event === other.event &&
    isForPlan(one) === isForPlan(other) &&
    conditionOf(one.hook) === conditionOf(other.hook)
  );
}

const conditionOf = (hook: unknown): unknown =>
  isObject(hook) ? hook['if'] : undefined;

/** The settings with exactly these hooks of ours. `original` is the file without ours, if that is known. */
export function withHooks(
  text: string,
  wanted: readonly HookEntry[],
  original?: unknown,
): string {
  const ours = placesOfOurs(text);
  const isPresent = ({ event, matcher = '', hook }: HookEntry): boolean =>
    ours.some(
      (place) =>
        place.event === event &&
        place.matcher === matcher &&
        sameJson(place.hook, hook),
    );
  if (ours.length === wanted.length && wanted.every(isPresent)) return text;

  let edited = withoutHooks(text, original);
  for (const entry of wanted) edited = withNewHook(edited, entry);
  return edited;
}

/** Lists that were empty in the original file stay. */
export function withoutHooks(text: string, original: unknown): string {
  let left = text;
  // From the last one, so that the places of those before it stay true.
  for (const place of placesOfOurs(text).toReversed())
    left = withoutHook(left, place, original);
  return left;
}

export const placesOfOurs = (text: string | null): HookPlace[] =>
  placesOfHooks(jsonOf(text)).filter(({ hook }) => isOurHook(hook));

/** Of a text that was checked before. Other hosts than Claude Code read comments, too. */
export function jsonOf(text: string | null | undefined): unknown {
  if (isBlank(text)) return undefined;
  return (
    parseJson(unmarked(text)) ??
    parse(unmarked(text), [], { allowTrailingComma: true })
  );
}

/** A hook at `hooks.<event>[group].hooks[index]` of a settings file. */
export interface HookPlace {
  event: string;
  group: number;
  index: number;
  matcher: string;
  hook: unknown;
}

/** Malformed parts are left out. */
export function placesOfHooks(json: unknown): HookPlace[] {
  const places: HookPlace[] = [];
  for (const [event, groups] of Object.entries(hooksIn(json))) {
    for (const [at, group] of listOf(groups).entries()) {
      if (!isObject(group)) continue;
      const name = group['matcher'];
      const matcher = typeof name === 'string' ? name : '';
      for (const [index, hook] of listOf(group['hooks']).entries())
        places.push({ event, group: at, index, matcher, hook });
    }
  }
  return places;
}

/** The first malformed part of the settings, or null. Some clients run no hook of a file that has one. */
export function misshapenPart(json: unknown): string | null {
  if (!isObject(json)) return 'the file';
  if (json['hooks'] !== undefined && !isObject(json['hooks'])) return '"hooks"';
  for (const [event, groups] of Object.entries(hooksIn(json))) {
    const part = misshapenGroups(groups);
    if (part !== null) return quoted(`hooks.${event}${part}`);
  }
  return null;
}

function misshapenGroups(groups: unknown): string | null {
  if (!Array.isArray(groups)) return '';
  for (const [at, group] of groups.entries()) {
    if (!isObject(group) || !Array.isArray(group['hooks'])) return `[${at}]`;
    // Other clients may know other types than commands.
    const isWellFormed = (hook: unknown): boolean =>
      isObject(hook) &&
      (hook['type'] !== 'command' || typeof hook['command'] === 'string');
    const index = group['hooks'].findIndex((hook) => !isWellFormed(hook));
    if (index >= 0) return `[${at}].hooks[${index}]`;
  }
  return null;
}

function withNewHook(
  text: string,
  { event, matcher, hook }: HookEntry,
): string {
  const json = jsonOf(text);
  const group = { matcher, hooks: [hook] };
  if (!isObject(json) || !isObject(json['hooks']))
    return setMember(text, [], 'hooks', { [event]: [group] });
  return Array.isArray(json['hooks'][event])
    ? appendItem(text, ['hooks', event], group)
    : setMember(text, ['hooks'], event, [group]);
}

/** The hook, and what is empty without it, unless it was empty in the original file. */
function withoutHook(
  text: string,
  place: HookPlace,
  original: unknown,
): string {
  const { event, group, index } = place;
  const left = removeValue(text, ['hooks', event, group, 'hooks', index]);
  const events = hooksIn(jsonOf(left));
  const groups = listOf(events[event]);
  const ownGroup = groups[group];
  if (!isObject(ownGroup) || listOf(ownGroup['hooks']).length > 0) return left;

  const hasOtherGroups = groups.length > 1;
  const hadEvent = Object.hasOwn(hooksIn(original), event);
  if (hasOtherGroups || hadEvent)
    return removeValue(left, ['hooks', event, group]);

  const hasOtherEvents = Object.keys(events).length > 1;
  const hadHooks = isObject(original) && Object.hasOwn(original, 'hooks');
  const emptied = hasOtherEvents || hadHooks ? ['hooks', event] : ['hooks'];
  return removeValue(left, emptied);
}

const hooksIn = (json: unknown): JsonObject =>
  isObject(json) && isObject(json['hooks']) ? json['hooks'] : {};

const listOf = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : [];
