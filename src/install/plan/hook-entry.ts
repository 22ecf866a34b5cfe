import type { HookCommand, HookProgram } from './hook-command.ts';

/**
 * Every hook that holdfast registers: the one list for `init`, `doctor` and the plugin. An empty matcher also matches
 * the sources of future clients. The client itself ends SessionEnd hooks after 1.5 seconds.
 */
const HOOKS = [
  { event: 'SessionStart', timeout: 15, matcher: '' },
  { event: 'PreCompact', timeout: 15, matcher: '' },
  { event: 'PostCompact', timeout: 10, matcher: '' },
  { event: 'SessionEnd', timeout: 5, matcher: '' },
  { event: 'UserPromptSubmit', timeout: 10, matcher: '' },
  { event: 'PostToolUse', timeout: 10, matcher: 'Read' },
  { event: 'PreToolUse', timeout: 10, matcher: 'Edit|MultiEdit|Write|NotebookEdit|Bash' },
] as const;

export type HookEvent = (typeof HOOKS)[number]['event'];

export const HOOK_EVENTS: readonly HookEvent[] = HOOKS.map(({ event }) => event);

/** Runs at every edit and command, so only `init` registers it, for `reading.enforce: block`. */
export const BLOCKING_EVENT = 'PreToolUse' satisfies HookEvent;

/** A hook as it is registered in the client's settings. */
export interface HookEntry {
  event: HookEvent;
  matcher: string;
  hook: HookProgram & { type: 'command'; timeout: number };
}

export function hookEntries(command: HookCommand, isBlocking: boolean): HookEntry[] {
  return HOOKS.filter(({ event }) => isBlocking || event !== BLOCKING_EVENT).map(
    ({ event, matcher, timeout }) => ({
      event,
      matcher,
      hook: { type: 'command', ...command(event), timeout },
    }),
  );
}
