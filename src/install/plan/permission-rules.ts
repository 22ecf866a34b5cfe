import { isObject } from '../../util/json.ts';
import { appendItems, removeItems, removeValue, setMember } from '../../util/edit-json.ts';
import { unmarked } from './settings-hooks.ts';

/**
 * The commands that the agent may call without asking. `run`, `sync`, `trust`, `init` and whatever else starts programs,
 * changes the installation or throws away a record is not among them.
 */
export const ALLOWED_COMMANDS = [
  'status',
  'list',
  'show',
  'history',
  'guidance',
  'context',
  'start',
  'advance',
  'skip',
  'fail',
  'tasks',
  'pivot',
  'update',
  'resume',
  'release',
  'pause',
  'complete',
  'todo',
  'prime',
  'templates',
  'validate',
] as const;

/** Allowed without arguments only: with `--purge` they leave no record. */
const WITHOUT_ARGUMENTS: ReadonlySet<string> = new Set(['complete']);

/**
 * The rules for one spelling of the program. The client compares a rule with the command as it is written, quotes
 * included, and `:*` matches any further words, never a longer command: `status:*` does not allow `statusline`.
 */
export function rulesFor(spelling: string): string[] {
  return ALLOWED_COMMANDS.map(
    (command) => `Bash(${spelling} ${command}${WITHOUT_ARGUMENTS.has(command) ? '' : ':*'})`,
  );
}

/** Replies and guidance say plain `holdfast`, so that is allowed beside the spelling of skill and slash commands. */
export function wantedRules(invocation: string): string[] {
  return [...new Set([invocation, 'holdfast'])].flatMap(rulesFor);
}

/** Adds the rules that are missing; `added` has those. */
export function withRules(
  text: string,
  wanted: readonly string[],
): { text: string; added: string[] } {
  const present = new Set<unknown>(rulesIn(text));
  const added = wanted.filter((rule) => !present.has(rule));
  return { text: appended(text, added), added };
}

/** Removes these rules, once each, and what is empty without them, unless it existed in the original file. */
export function withoutRules(text: string, rules: readonly string[], before: unknown): string {
  const left = withoutEach(text, rules);
  if (left === text || rulesIn(left).length > 0) return left;
  const original = permissionsIn(before);
  if (original !== null && Object.hasOwn(original, 'allow')) return left;
  const others = Object.keys(permissionsIn(parsed(left)) ?? {}).length > 1;
  return removeValue(
    left,
    others || original !== null ? ['permissions', 'allow'] : ['permissions'],
  );
}

/**
 * The rules that `init` wrote, for a file of which there is no record: all of a spelling that names the copy, and
 * those of another spelling if they are complete. A single one may be the user's own.
 */
export function unrecordedRules(text: string): string[] {
  const rules = rulesIn(text).filter((rule) => typeof rule === 'string');
  const present = new Set(rules);
  const spellings = new Set(rules.flatMap((rule) => SPELLING.exec(rule)?.[1] ?? []));
  return [...spellings].flatMap((spelling) => {
    const own = rulesFor(spelling);
    const isOurs =
      /[\\/]holdfast[\\/]bin[\\/]holdfast\.cjs'?$/.test(spelling) ||
      own.every((rule) => present.has(rule));
    return isOurs ? own.filter((rule) => present.has(rule)) : [];
  });
}

const SPELLING = /^Bash\((.*\bholdfast(?:\.cjs)?'?) [a-z]+(?::\*)?\)$/;

/** The malformed part that keeps rules from being added, or null. */
export function misshapenPermissions(json: unknown): string | null {
  if (!isObject(json) || json['permissions'] === undefined) return null;
  if (!isObject(json['permissions'])) return '"permissions"';
  const { allow } = json['permissions'];
  return allow === undefined || Array.isArray(allow) ? null : '"permissions.allow"';
}

function appended(text: string, rules: readonly string[]): string {
  if (rules.length === 0) return text;
  const permissions = permissionsIn(parsed(text));
  if (permissions === null) return setMember(text, [], 'permissions', { allow: rules });
  return Array.isArray(permissions['allow'])
    ? appendItems(text, ['permissions', 'allow'], rules)
    : setMember(text, ['permissions'], 'allow', rules);
}

/** Of a rule that is listed several times, the last one. */
function withoutEach(text: string, rules: readonly string[]): string {
  const listed = rulesIn(text);
  const indexes = rules.map((rule) => listed.lastIndexOf(rule)).filter((at) => at >= 0);
  return removeItems(text, ['permissions', 'allow'], indexes);
}

function rulesIn(text: string): unknown[] {
  const allow = permissionsIn(parsed(text))?.['allow'];
  return Array.isArray(allow) ? allow : [];
}

function permissionsIn(json: unknown): Record<string, unknown> | null {
  return isObject(json) && isObject(json['permissions']) ? json['permissions'] : null;
}

function parsed(text: string): unknown {
  return JSON.parse(unmarked(text));
}
