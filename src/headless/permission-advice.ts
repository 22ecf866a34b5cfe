import { decidePermission } from '../sessions/permission.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { shellQuote } from '../text/shell-commands.ts';
import { EVERY_COMMAND, permissionRulesFor } from './permission-rules.ts';
import type { TurnResult } from './stream.ts';

type Denial = TurnResult['denials'][number];

/** More would hide the advice; the others are counted. */
const MAX_NAMED_TOOLS = 3;

/** What was denied, as the parts of the advice need it. Each name occurs once, in the order of the denials. */
interface DeniedTools {
  /** All of them, for the message. */
  names: Set<string>;
  /** Rules that a flag can add. */
  missingRules: Set<string>;
  /** Rules that are there already, so something else forbids the tool. */
  forbiddenRules: Set<string>;
  /** Commands of holdfast that only a person may give. */
  commandsForPeople: Set<string>;
}

/**
 * What was denied, and what to do about it. `allowedRules` are those that the client was started with; `next` is the
 * command that continues the run.
 */
export function permissionAdvice(
  denials: readonly Denial[],
  allowedRules: readonly string[],
  next: string,
): { tools: string; advice: string } {
  const denied = sortDenials(denials, allowedRules);
  return {
    tools: nameTools(denied.names),
    advice: adviceFor(denied, next).join('; '),
  };
}

function sortDenials(
  denials: readonly Denial[],
  allowedRules: readonly string[],
): DeniedTools {
  const denied: DeniedTools = {
    names: new Set(),
    missingRules: new Set(),
    forbiddenRules: new Set(),
    commandsForPeople: new Set(),
  };
  for (const { tool, input } of denials) {
    const command = tool === 'Bash' ? input['command'] : null;
    if (typeof command === 'string' && decidePermission(command) === 'ask') {
      const call = holdfastCallIn(command);
      denied.names.add(`Bash(${call})`);
      denied.commandsForPeople.add(`\`${call}\``);
      continue;
    }

    const rules =
      typeof command === 'string' ? permissionRulesFor(command) : [tool];
    const shownRules = rules.map((rule) => sanitizeLine(rule));
    for (const rule of shownRules) denied.names.add(rule);

    const missing = rulesToAdd(rules, tool, allowedRules);
    for (const rule of missing) denied.missingRules.add(rule);
    if (missing.length > 0) continue;
    for (const rule of shownRules) denied.forbiddenRules.add(rule);
  }
  return denied;
}

/** `holdfast resume --force` in `cd .. && holdfast resume auth --force`. */
function holdfastCallIn(command: string): string {
  const call = /holdfast(?: [a-z]+)?/.exec(command)?.[0] ?? 'holdfast';
  const option = / --(?:session|cwd|force|purge|fix)\b/.exec(command)?.[0];
  return `${call}${option ?? ''}`;
}

function rulesToAdd(
  rules: readonly string[],
  tool: string,
  allowedRules: readonly string[],
): string[] {
  const isAllowed = (rule: string): boolean => allowedRules.includes(rule);
  const missing = rules.filter((rule) => !isAllowed(rule));
  if (missing.length > 0) return missing;
  // Something about the command is beyond its rules, such as a redirection or a folder outside the project.
  return isAllowed(tool) ? [] : [tool];
}

function nameTools(names: ReadonlySet<string>): string {
  const named = [...names].slice(0, MAX_NAMED_TOOLS).join(', ');
  const others = names.size - MAX_NAMED_TOOLS;
  return others > 0 ? `${named} and ${others} more` : named;
}

function adviceFor(denied: DeniedTools, next: string): string[] {
  const parts: string[] = [];

  if (denied.commandsForPeople.size > 0) {
    const commands = [...denied.commandsForPeople].join(' and ');
    parts.push(
      `${commands} is for people: decide on it in a terminal, no flag permits it to an agent`,
    );
  }

  if (denied.forbiddenRules.size > 0) {
    const rules = [...denied.forbiddenRules].join(', ');
    parts.push(
      `${rules} is allowed already, so a \`deny\` or \`ask\` rule in your settings of Claude Code forbids it`,
    );
  }

  if (denied.missingRules.size > 0) {
    const flags = [...denied.missingRules].map(
      (rule) => `--allow ${shellQuote(rule)}`,
    );
    parts.push(`\`${next} ${flags.join(' ')}\` permits it`);
  } else {
    parts.push(`then \`${next}\` continues the run`);
  }

  if (denied.missingRules.has(EVERY_COMMAND))
    parts.push(
      '`--allow Bash` permits every command, so a step that asks for simpler ones is safer',
    );
  return parts;
}
