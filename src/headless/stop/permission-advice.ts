import { isAlwaysAsked } from '../../sessions/permission.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import type { PermissionDenial } from '../client/stream-message.ts';

/** What was denied, and what the user can do about it. */
export interface PermissionAdvice {
  tools: string;
  /** The flags that allow it and that were not given yet; empty if none helps. */
  flags: string;
  /** Whether one of the flags allows every command. */
  allowsEveryCommand: boolean;
  /** Commands of holdfast that only a person can allow, each time. */
  forPeople: string[];
  /** What was denied although it is allowed. */
  allowedAlready: string[];
}

const EVERY_COMMAND = 'Bash';
const MAX_DENIALS = 3;

/** `allowed` are the rules that the client was started with. */
export function permissionAdvice(
  denials: readonly PermissionDenial[],
  allowed: readonly string[],
): PermissionAdvice {
  const advice = denials.map((denial) => adviceFor(denial, allowed));
  const rules = unique(advice.flatMap(({ rules: wanted }) => wanted));
  const names = unique(advice.flatMap(({ name }) => name));
  const shown = names.slice(0, MAX_DENIALS);
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : '';
  return {
    tools: `${shown.map(sanitizeLine).join(', ')}${more}`,
    flags: rules.map((rule) => `--allow ${shellQuote(rule)}`).join(' '),
    allowsEveryCommand: rules.includes(EVERY_COMMAND),
    forPeople: unique(advice.flatMap(({ forPeople }) => forPeople ?? [])),
    allowedAlready: unique(
      advice.flatMap(({ name, rules: wanted, forPeople }) =>
        wanted.length === 0 && forPeople === null ? name : [],
      ),
    ),
  };
}

interface Advice {
  /** The rules that name what was denied. */
  name: string[];
  /** Those that would allow it; none if all of them are given already. */
  rules: string[];
  forPeople: string | null;
}

function adviceFor({ tool, input }: PermissionDenial, allowed: readonly string[]): Advice {
  const command = input['command'];
  if (tool !== 'Bash' || typeof command !== 'string')
    return { name: [tool], rules: allowed.includes(tool) ? [] : [tool], forPeople: null };
  if (isAlwaysAsked(command)) {
    const [call = 'holdfast'] = /holdfast(?: [a-z]+)?/.exec(command) ?? [];
    const [option = ''] = / --(?:cwd|force|purge|fix)\b/.exec(command) ?? [];
    const forPeople = `${call}${option}`;
    return { name: [`Bash(${forPeople})`], rules: [], forPeople };
  }
  const exact = rulesFor(command);
  const missing = exact.filter((rule) => !allowed.includes(rule));
  if (missing.length > 0) return { name: exact, rules: missing, forPeople: null };
  // Something about the command is beyond a rule for its program: a redirection, a folder outside the project.
  const rules = allowed.includes(EVERY_COMMAND) ? [] : [EVERY_COMMAND];
  return { name: exact, rules, forPeople: null };
}

/** What the client matches no rule for a single program with. `2>&1` is not among it. */
const BEYOND_RULES = /[<>`$()\\"']/;
const SEPARATORS = /&&|\|\||[;|&\n]/;

/**
 * Rules in the client's own form: for each part of the command its program and the first word after it. A variable
 * before the program belongs to the rule. Where no such rule would match, only that for every command is left.
 */
function rulesFor(command: string): string[] {
  const plain = command
    .trim()
    .replaceAll(/'[^']*'|"[^"$`\\]*"/g, '_')
    .replaceAll(/\s2>&1(?=\s|$)/g, '');
  if (BEYOND_RULES.test(plain)) return [EVERY_COMMAND];
  const rules = plain.split(SEPARATORS).map((part) => ruleForPart(part.trim()));
  const isKnown = (rule: string | null): rule is string => rule !== null;
  return rules.every(isKnown) ? unique(rules) : [EVERY_COMMAND];
}

const PART = /^((?:[A-Za-z_]\w*=[\w./:@%+,-]* )*)([\w./-]+)(?: ([\w./:-]+))?(?= |$)/;
/**
 * Words of the shell; `cd`, which is permitted only for some folders; and programs that run others, for which a rule of
 * their own would allow every command without saying so.
 */
const WITHOUT_RULE = new Set(
  'for while until if case do then function cd . source eval exec sh bash zsh dash env xargs sudo nohup time'.split(
    ' ',
  ),
);

function ruleForPart(part: string): string | null {
  const [, variables = '', program = '', word] = PART.exec(part) ?? [];
  if (program === '' || WITHOUT_RULE.has(program)) return null;
  const isSubcommand = word !== undefined && /^[a-z][\w:-]*$/i.test(word);
  return `Bash(${variables}${program}${isSubcommand ? ` ${word}` : ''}:*)`;
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
