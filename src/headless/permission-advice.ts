import { isAlwaysAsked } from '../sessions/permission.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { shellQuote } from '../text/shell-commands.ts';
import type { PermissionDenial } from './stream.ts';

const EVERY_COMMAND = 'Bash';
const MAX_DENIALS = 3;

/** What was denied and what to do. `allowed`: the rules of the client; `next`: the command that continues the run. */
export function permissionAdvice(
  denials: readonly PermissionDenial[],
  allowed: readonly string[],
  next: string,
): { tools: string; advice: string } {
  const denied = new Set<string>();
  const missing = new Set<string>();
  const forPeople = new Set<string>();
  const forbidden = new Set<string>();
  for (const { tool, input } of denials) {
    const command = tool === EVERY_COMMAND ? input['command'] : null;
    if (typeof command === 'string' && isAlwaysAsked(command)) {
      const [call = 'holdfast'] = /holdfast(?: [a-z]+)?/.exec(command) ?? [];
      const [option = ''] = / --(?:cwd|force|purge|fix)\b/.exec(command) ?? [];
      denied.add(`Bash(${call}${option})`);
      forPeople.add(`\`${call}${option}\``);
      continue;
    }
    const rules = typeof command === 'string' ? rulesFor(command) : [tool];
    // If all are allowed, something about the command is beyond them: a redirection, a folder outside the project.
    const wanted = [...rules, ...(rules.every((rule) => allowed.includes(rule)) ? [tool] : [])];
    const added = wanted.filter((rule) => !allowed.includes(rule));
    for (const rule of rules) denied.add(sanitizeLine(rule));
    for (const rule of added) missing.add(rule);
    if (added.length === 0) for (const rule of rules) forbidden.add(sanitizeLine(rule));
  }
  const flags = [...missing].map((rule) => `--allow ${shellQuote(rule)}`).join(' ');
  const advice = [
    forPeople.size > 0 &&
      `${[...forPeople].join(' and ')} is for people: decide on it in a terminal, no flag permits it to an agent`,
    forbidden.size > 0 &&
      `${[...forbidden].join(', ')} is allowed already, so a \`deny\` or \`ask\` rule in your settings of Claude Code forbids it`,
    flags === '' ? `then \`${next}\` continues the run` : `\`${next} ${flags}\` permits it`,
    missing.has(EVERY_COMMAND) &&
      '`--allow Bash` permits every command, so a step that asks for simpler ones is safer',
  ];
  const more = denied.size > MAX_DENIALS ? ` and ${denied.size - MAX_DENIALS} more` : '';
  return {
    tools: `${[...denied].slice(0, MAX_DENIALS).join(', ')}${more}`,
    advice: advice.filter((part) => part !== false).join('; '),
  };
}

/** What the client matches no rule for a single program with. `2>&1` is not among it. */
const BEYOND_RULES = /[<>`$()\\"']/;
const SEPARATORS = /&&|\|\||[;|&\n]/;
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
  const rules = new Set<string>();
  for (const part of plain.split(SEPARATORS)) {
    const [, variables = '', program = '', word = ''] = PART.exec(part.trim()) ?? [];
    if (program === '' || WITHOUT_RULE.has(program)) return [EVERY_COMMAND];
    rules.add(`Bash(${variables}${program}${/^[a-z][\w:-]*$/i.test(word) ? ` ${word}` : ''}:*)`);
  }
  return [...rules];
}
