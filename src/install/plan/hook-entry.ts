import { isObject } from '../../util/json.ts';
import type { HookCommand, HookProgram } from './hook-command.ts';

export type HookEvent =
  | 'SessionStart'
  | 'PreCompact'
  | 'PostCompact'
  | 'SessionEnd'
  | 'UserPromptSubmit'
  | 'PostToolUse'
  | 'PreToolUse';

interface Hook {
  event: HookEvent;
  timeout: number;
  matcher: string;
  /** Newer clients start the hook only for such calls; older ones ignore it. */
  if?: string;
  /** In place of the event in the line for bin/hook.sh. */
  word?: string;
}

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
  { event: 'PreToolUse', timeout: 10, matcher: 'Edit|MultiEdit|Write|NotebookEdit|Bash' },
  {
    event: 'PreToolUse',
    timeout: 10,
    matcher: 'Bash',
    if: 'Bash(holdfast *)',
    word: 'Permission',
  },
];

export const HOOK_EVENTS: readonly HookEvent[] = [...new Set(HOOKS.map(({ event }) => event))];

/** A hook as it is registered in the client's settings. */
export interface HookEntry {
  event: HookEvent;
  matcher: string;
  hook: HookProgram & { type: 'command'; timeout: number; if?: string };
}

export function hookEntries(command: HookCommand, isBlocking: boolean): HookEntry[] {
  return HOOKS.map(({ event, matcher, timeout, word = event, ...condition }): HookEntry => ({
    event,
    matcher,
    hook: { type: 'command', ...condition, ...command(word), timeout },
  })).filter((entry) => isBlocking || !isBlockingHook(entry));
}

interface AnyHook {
  event: string;
  hook: unknown;
}

/** The hook that runs at every edit and command, so only `init` registers it, for `reading.enforce: block`. */
export function isBlockingHook({ event, hook }: AnyHook): boolean {
  return event === 'PreToolUse' && conditionOf(hook) === undefined;
}

/** Whether two of our hooks have the same purpose, in whatever form. */
export function isSameHook(one: AnyHook, other: AnyHook): boolean {
  return one.event === other.event && conditionOf(one.hook) === conditionOf(other.hook);
}

function conditionOf(hook: unknown): unknown {
  return isObject(hook) ? hook['if'] : undefined;
}
