import { isAlwaysAsked } from '../sessions/permission.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { shellQuote } from '../text/shell-commands.ts';
import type { PermissionDenial } from './stream.ts';

const EVERY_COMMAND = 'Bash';
const MAX_DENIALS = 3;

/**
 * What was denied, and what the user can do about it. `allowed` are the rules that the client was started with, `next` is
 * the command that continues the run.
 */
export function permissionAdvice(
  denials: readonly PermissionDenial[],
  allowed: readonly string[],
  next: string,
): { tools: string; advice: string } {
  const parts = denials.map((denial) => adviceFor(denial, allowed));
  const names = unique(parts.flatMap(({ name }) => name)).map(sanitizeLine);
  const more = names.length > MAX_DENIALS ? ` and ${names.length - MAX_DENIALS} more` : '';
  const flags = unique(parts.flatMap(({ rules }) => rules)).map(
    (rule) => `--allow ${shellQuote(rule)}`,
  );
  const forPeople = unique(parts.flatMap(({ command }) => command ?? []));
  const isAllowed = unique(
    parts.flatMap(({ name, rules, command }) =>
      rules.length === 0 && command === null ? name.map(sanitizeLine) : [],
    ),
  );
  const advice = [
    forPeople.length > 0 &&
      `${forPeople.map((command) => `\`${command}\``).join(' and ')} is for people: decide on it in a terminal, no flag permits it to an agent`,
    isAllowed.length > 0 &&
      `${isAllowed.join(', ')} is allowed already, so a \`deny\` or \`ask\` rule in your settings of Claude Code forbids it`,
    flags.length === 0
      ? `then \`${next}\` continues the run`
      : `\`${next} ${flags.join(' ')}\` permits it`,
    flags.includes(`--allow ${EVERY_COMMAND}`) &&
      '`--allow Bash` permits every command, so a step that asks for simpler ones is safer',
  ];
  return {
    tools: `${names.slice(0, MAX_DENIALS).join(', ')}${more}`,
    advice: advice.filter((part) => part !== false).join('; '),
  };
}

interface Advice {
  /** The rules that name what was denied. */
  name: string[];
  /** Those that would allow it; none if all of them were passed already. */
  rules: string[];
  /** A command of holdfast that only a person can allow, each time. */
  command: string | null;
}

function adviceFor({ tool, input }: PermissionDenial, allowed: readonly string[]): Advice {
  const { command } = input;
  if (tool !== 'Bash' || typeof command !== 'string')
    return { name: [tool], rules: allowed.includes(tool) ? [] : [tool], command: null };
  if (isAlwaysAsked(command)) {
    const [call = 'holdfast'] = /holdfast(?: [a-z]+)?/.exec(command) ?? [];
    const [option = ''] = / --(?:cwd|force|purge|fix)\b/.exec(command) ?? [];
    return { name: [`Bash(${call}${option})`], rules: [], command: `${call}${option}` };
  }
  const name = rulesFor(command);
  const missing = name.filter((rule) => !allowed.includes(rule));
  if (missing.length > 0) return { name, rules: missing, command: null };
  // Something about the command is beyond a rule for its program: a redirection, a folder outside the project.
  return { name, rules: allowed.includes(EVERY_COMMAND) ? [] : [EVERY_COMMAND], command: null };
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
  const parts = plain.split(SEPARATORS);
  const rules = parts.flatMap((part) => ruleForPart(part.trim()) ?? []);
  return rules.length === parts.length ? unique(rules) : [EVERY_COMMAND];
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
  const [, variables = '', program = '', word = ''] = PART.exec(part) ?? [];
  if (program === '' || WITHOUT_RULE.has(program)) return null;
  return `Bash(${variables}${program}${/^[a-z][\w:-]*$/i.test(word) ? ` ${word}` : ''}:*)`;
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
