/** The rule of Claude Code that permits every command of its shell. */
export const EVERY_COMMAND = 'Bash';

/**
 * Redirections, substitutions and what is left of quotes: Claude Code matches no rule for a single program with a
 * command that has one of them.
 */
const BEYOND_RULES = /[<>`$()\\"']/;

/** A text in quotes in which nothing is replaced: `'a; b'`, `"a; b"`, but not `"$HOME"`. */
const PLAIN_QUOTES = /'[^']*'|"[^"$`\\]*"/g;

/** The one redirection that does not matter to the rules. */
const ERRORS_TO_OUTPUT = /\s2>&1(?=\s|$)/g;

const SEPARATORS = /&&|\|\||[;|&\n]/;

/** `FOO=1 BAR=./x ` before a program. */
const VARIABLES = /((?:[A-Za-z_]\w*=[\w./:@%+,-]* )*)/;
/** `npm`, `./scripts/check.sh`. */
const PROGRAM = /([\w./-]+)/;
/** ` test` in `npm test --silent`, ` --silent` in `npm --silent test`. */
const FIRST_WORD = /(?: ([\w./:-]+))?/;
const PART = new RegExp(
  `^${VARIABLES.source}${PROGRAM.source}${FIRST_WORD.source}(?= |$)`,
);

/** `test`, `run-script`, `build:test`; a path or an option is no part of a rule. */
const SUBCOMMAND = /^[a-z][\w:-]*$/i;

const SHELL_WORDS = 'for while until if case do then function'.split(' ');
/** Claude Code permits it for some folders only, whatever the rules say. */
const CHANGE_FOLDER = 'cd';
/** A rule for one of them would allow every command without saying so. */
const PROGRAMS_THAT_RUN_OTHERS =
  '. source eval exec sh bash zsh dash env xargs sudo nohup time'.split(' ');

const PROGRAMS_WITHOUT_RULE: ReadonlySet<string> = new Set([
  ...SHELL_WORDS,
  CHANGE_FOLDER,
  ...PROGRAMS_THAT_RUN_OTHERS,
]);

/**
 * The rules in Claude Code's own form that permit a command of the shell: for each of its parts the program and the
 * word after it, as in `Bash(npm test:*)`. Variables before the program belong to the rule. Where no such rule would
 * match, only the one for every command is left.
 */
export function permissionRulesFor(command: string): string[] {
  const plain = command
    .trim()
    .replaceAll(PLAIN_QUOTES, '_')
    .replaceAll(ERRORS_TO_OUTPUT, '');
  if (BEYOND_RULES.test(plain)) return [EVERY_COMMAND];

  const rules = new Set<string>();
  for (const part of plain.split(SEPARATORS)) {
    const rule = ruleForPart(part.trim());
    if (rule === null) return [EVERY_COMMAND];
    rules.add(rule);
  }
  return [...rules];
}

/** Null if no rule for a single program would match. */
function ruleForPart(part: string): string | null {
  const match = PART.exec(part);
  if (match === null) return null;
  const [, variables = '', program = '', word = ''] = match;
  if (PROGRAMS_WITHOUT_RULE.has(program)) return null;
  const subcommand = SUBCOMMAND.test(word) ? ` ${word}` : '';
  return `Bash(${variables}${program}${subcommand}:*)`;
}
