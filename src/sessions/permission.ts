import { AGENT_VARIABLES } from '../hosts/hosts.ts';
import { shellCommands } from '../text/shell-commands.ts';

/** The commands that only look, or move runs of this project. */
export const ALLOWED_COMMANDS = listed(`
  status list show history watch guidance context start advance skip fail note tasks pivot update
  resume release pause complete todo prime templates validate help doctor`);

/** The commands that a person decides about each time. */
const DECIDED_BY_PERSON = listed(
  'takeover approve reject cancel reopen import trust untrust run sync ui init uninstall',
);

/**
 * What only the client calls. From an agent's shell they could be fed with somebody else's words. `answer` is one of
 * earlier versions, which may still be installed.
 */
const CALLED_BY_HOSTS = listed(
  'answer register-client hook autopilot mcp statusline',
);

const ASKED_COMMANDS = new Set([...DECIDED_BY_PERSON, ...CALLED_BY_HOSTS]);
const KNOWN_COMMANDS = new Set([...ALLOWED_COMMANDS, ...ASKED_COMMANDS]);

/** Another session, another project, no check, no archive; only `doctor` has `--fix`. */
const ASKED_OPTION = /^--(?:session|cwd|force|purge|fix)(?:=|$)/;

/** Nobody reads a longer command, and to take it apart could take longer than the client waits for a hook. */
const MAX_LENGTH = 50_000;

/**
 * Whether Claude Code runs a shell command without a prompt, or prompts whatever its rules say; null leaves it to its
 * rules. To allow a command is to allow all of it, so that is only done for plain calls of holdfast and nothing else.
 */
export function decidePermission(command: string): 'allow' | 'ask' | null {
  // Shells drop a NUL, so that the text means something else to them: a here-document may end elsewhere.
  if (command.length > MAX_LENGTH || command.includes('\0'))
    return /holdfast/i.test(command.replaceAll('\0', '')) ? 'ask' : null;
  const call = plainCall(command);
  if (call !== null) return decideCall(call);
  if (isAllowedCompound(command)) return 'allow';
  const calls = callsIn(command);
  const isAskedAbout =
    calls.some(isAskedOrUncertain) ||
    (calls.length > 0 && changesCaller(command));
  return isAskedAbout ? 'ask' : null;
}

/** Whether all that runs are plain calls of holdfast, each of which would run without a prompt. */
function isAllowedCompound(command: string): boolean {
  const text = command.trim();
  // A shell takes other white space for a part of a word.
  if (/[^ \t\n]/.test(command.replace(text, ''))) return false;
  const pieces = text.match(PIECE) ?? [];
  if (pieces.join('') !== text) return false;

  const parts: string[] = [''];
  for (const piece of pieces) {
    if (isSeparator(piece)) parts.push('');
    else parts.push(`${parts.pop() ?? ''}${piece}`);
  }
  return parts.every((part) => {
    const call = plainCall(part);
    return call !== null && decideCall(call) === 'allow';
  });
}

/** What joins commands that run one after the other, in this shell and with nothing between them. */
const SEPARATOR = /&&|;|\n/;

const isSeparator = (piece: string): boolean =>
  piece === '&&' || piece === ';' || piece === '\n';

function decideCall(call: readonly string[]): 'allow' | 'ask' | null {
  if (isAsked(call)) return 'ask';
  const name = commandIn(call);
  if (name !== undefined)
    return ALLOWED_COMMANDS.includes(name) ? 'allow' : null;
  const asksForVersion = call.some(
    (word) => word === '-V' || word === '--version',
  );
  return asksForVersion ? null : 'allow';
}

/** Behind `$` a variable is only read. */
const NOT_READ = '(?<![\\w$]|\\$\\{)';

/**
 * The variables by which a command knows whose call it is, such as in `CLAUDE_CODE_SESSION_ID=x holdfast advance`. Not in
 * `CLAUDE.md`.
 */
const CALLER_VARIABLE = new RegExp(
  `${NOT_READ}(?:${[...AGENT_VARIABLES, 'CLAUDE_\\w+', 'HOLDFAST_\\w+'].join('|')})\\b`,
);

/** Where the folder of the user is: `HOME=/x`, `HOME+=x`, `unset HOME`, `read -r HOME`. */
const HOME_CHANGED = new RegExp(
  `${NOT_READ}HOME\\+?=|\\b(?:unset|read|for|printf -v)\\s[^\\n;&|]{0,200}\\bHOME\\b`,
);

/** What may change variables without naming them: `env -i`, `env $X`, `exec -c`, `unset ${!C*}`. */
const VARIABLES_REMOVED =
  /(?<![\w.-])env\s+[-$`]|\bexec\s+-\w*c|\bunset\s[^\n;&|]{0,200}\$/;

// cspell:words doas runuser

/** What starts a program without the variables of the agent, or as another user. */
const STARTED_ELSEWHERE =
  /(?<![\w.-])(?:sudo|su|doas|runuser|systemd-run|ssh|tmux)\s|\bscreen\s+-/;

/** Whether a shell command may change whose call it seems to be. In the text, quotes hide nothing. */
function changesCaller(command: string): boolean {
  const text = withoutQuotes(command);
  return [
    CALLER_VARIABLE,
    HOME_CHANGED,
    VARIABLES_REMOVED,
    STARTED_ELSEWHERE,
  ].some((pattern) => pattern.test(text));
}

const withoutQuotes = (text: string): string =>
  text.replaceAll(/\\\n|['"\\]/g, '');

function listed(list: string): string[] {
  return list.trim().split(/\s+/);
}

/** What one command may consist of in which no shell expands anything; some drop the character 0. */
const PLAIN =
  /(?:[\w.,/:@%+=-]|[^\p{ASCII}\s]|'[^'\0]*'|"[^"\\$`\0]*")+|[ \t]+/guy;
const PIECE = new RegExp(`${PLAIN.source}|${SEPARATOR.source}`, 'guy');
const BY_NPX = /^npx (?:(?:-y|--yes) )*holdfast(?:@[\w.^~-]+)?(?=\s|$)/;
const QUIET = /[ \t]2>[ \t]?(?:&1|\/dev\/null)\s*$/;

/** Whether a shell command calls holdfast and nothing else: no expansion, redirection, pipe or further command. */
export function isOwnCommand(command: string): boolean {
  const call = command.replace(BY_NPX, 'holdfast').replace(QUIET, '');
  return command.length <= MAX_LENGTH && plainCall(call) !== null;
}

/** The arguments of holdfast, if the command is one plain call of it; else null. */
function plainCall(command: string): string[] | null {
  const call = command.trim();
  // A shell takes other white space for a part of a word.
  if (/[^ \t\n]/.test(command.replace(call, ''))) return null;
  const text = withoutHereDocument(call);
  const isPlain = (text.match(PLAIN) ?? []).join('') === text;
  const [[program, ...rest] = []] = isPlain ? shellCommands(text) : [];
  return program === 'holdfast' ? rest : null;
}

/** With a quoted delimiter, the shell expands nothing in it. It would run whatever follows the first line that ends it. */
function withoutHereDocument(command: string): string {
  const lastLine = command.slice(command.lastIndexOf('\n') + 1);
  const [end = ''] = /^\w+$/.exec(lastLine) ?? [];
  const at = command.search(new RegExp(`<<(['"])${end}\\1\n`));
  if (end === '' || at < 0) return command;
  const lines = command.slice(at).split('\n').slice(1, -1);
  return lines.includes(end) ? command : command.slice(0, at);
}

function isAsked(call: readonly string[]): boolean {
  const isAskedCommand = ASKED_COMMANDS.has(commandIn(call) ?? '');
  return isAskedCommand || call.some((word) => ASKED_OPTION.test(word));
}

/** Of the arguments of holdfast, as its parser finds it. */
function commandIn(call: readonly string[]): string | undefined {
  for (let at = 0; at < call.length; at += 1) {
    const word = call[at] ?? '';
    if (/^--(?:cwd|session)$/.test(word)) at += 1;
    else if (!word.startsWith('-')) return word;
  }
  return undefined;
}

/** A call of holdfast somewhere in a shell command. */
interface Call {
  /** Its arguments, as they are written. */
  words: readonly string[];
  /** The command that it stands in. */
  text: string;
  /** Whether it is holdfast for certain; else a variable or substitution is in its place. */
  isProgram: boolean;
}

/** Words after which the next one is a command. */
const PREFIXES = new Set(
  listed(`
    ! { do elif else if then until while time exec command builtin coproc
    env nohup nice setsid stdbuf strace timeout sudo xargs npx node`),
);
/** What runs the text that it is given as arguments or as input. */
const INTERPRETERS = new Set(
  listed(
    `sh bash zsh dash ash ksh fish busybox eval source . su trap watch script tmux screen ssh
    flock parallel`,
  ),
);
const MAX_DEPTH = 10;

/**
 * The calls of holdfast in a text, as far as one can see; in doubt a word is one. `isInput`: a shell reads the text, so a
 * call may stand anywhere in it.
 */
function callsIn(text: string, isInput = false, depth = 0): Call[] {
  if (!/holdfast/i.test(withoutQuotes(text))) return [];
  // Nobody nests commands so deep; what such a one calls is not known.
  if (depth > MAX_DEPTH)
    return [{ words: ['$unknown'], text, isProgram: true }];

  const calls: Call[] = [];
  for (const words of shellCommands(text)) {
    let isCommand = true;
    for (const [at, word] of words.entries()) {
      const before = words[at - 1] ?? '';
      const rest = words.slice(at + 1);
      const isAfterOption = STARTS_COMMAND.test(before);
      const mayBeProgram =
        isCommand || isInput || isAfterOption || isCallBehindOther(word, rest);
      // The next word may be the command if this one only stands before it: an option, its value, or a word of the list.
      if (isCommand)
        isCommand =
          NO_PROGRAM.test(word) ||
          before.startsWith('-') ||
          PREFIXES.has(baseName(word));
      if (!mayBeProgram) continue;

      const isProgram = isHoldfastProgram(word);
      if (isProgram || EXPANDED_PROGRAM.test(word))
        calls.push({ words: rest, text, isProgram });
      else if (!isInput && isInterpreter(word, rest))
        calls.push(...callsOfInterpreter(rest, text, depth + 1));
    }
  }
  return calls;
}

/** `find . -exec holdfast …`, `{ holdfast …`. */
const STARTS_COMMAND = /^(?:-exec|-ok|\{$)/;
/** An option, a number, `{}`, a variable that is set (`A=1`, `A[0]+=1`), or what may become nothing (`$A`). */
const NO_PROGRAM = /^(?:-|\d|\{\}|\w+(?:\[.*\])?\+?=|[$`])/;
/** A variable or substitution in the place of a program: `$H`, `` `which holdfast` ``. */
const EXPANDED_PROGRAM = /^[$`]/;

/** Many programs start another one, such as `flock` and `ssh`; the name of a command tells that this one is holdfast. */
function isCallBehindOther(word: string, rest: readonly string[]): boolean {
  return isHoldfastProgram(word) && KNOWN_COMMANDS.has(commandIn(rest) ?? '');
}

function isInterpreter(word: string, words: readonly string[]): boolean {
  const name = baseName(word);
  // `env -S "holdfast cancel"` takes the text apart.
  const isEnvWithText =
    name === 'env' && words.some((each) => SPLIT_OPTION.test(each));
  return INTERPRETERS.has(name) || isEnvWithText;
}

/** `-S`, `-iS`, `--split-string=…` */
const SPLIT_OPTION = /^-(?:\w*S|-split-string)/;
/** The name of an option that its text follows without a space: `-c` of `su -c'holdfast cancel x'`. */
const OPTION_BEFORE_TEXT = /^--?[\w-]+?=?(?=holdfast\b)/i;

/** Without a text or a file among its arguments, an interpreter runs what it is given as input. */
function callsOfInterpreter(
  words: readonly string[],
  text: string,
  depth: number,
): Call[] {
  const texts = words.map((word) => word.replace(OPTION_BEFORE_TEXT, ''));
  const readsInput =
    texts.every((word) => word.startsWith('-') || word === '/dev/stdin') ||
    texts.some((word) => /^-\w*s$/.test(word));
  if (!readsInput) return callsIn(texts.join(' '), false, depth);
  const input = text.replaceAll(/\\\n|<<[-<]?|['"\\#]/g, '');
  return callsIn(input, true, depth);
}

const EXPANDED = /[$`*?{[]/;
/** The names of all commands are like that; `%` and `%s` may become any of them. */
const COMMAND_NAME = /^[a-z]+$/;
const OPTION_IN_TEXT = /-(?:session|cwd|force|purge|fix)\b/;

/** Also if the shell or `xargs` may turn the call into one that is asked about. */
function isAskedOrUncertain({ words, text, isProgram }: Call): boolean {
  if (isAsked(words)) return true;
  const name = commandIn(words);
  const isExtended = /\bxargs\b/.test(text);
  if (name === undefined) return isExtended;
  if (isProgram ? !COMMAND_NAME.test(name) : EXPANDED.test(name)) return true;
  if (words.some((word) => EXPANDED_OPTION.test(word))) return true;
  return (
    OPTION_IN_TEXT.test(text) && (isExtended || words.some(mayBecomeOption))
  );
}

/** An option whose name the shell makes: `--$NAME`, but not `--output=$TEXT`. */
const EXPANDED_OPTION = /^-[^=]*[$`*?{[]/;

/** A text in which something is expanded, such as `"on $BRANCH"`, becomes no option. */
const mayBecomeOption = (word: string): boolean => /^[$`*?{[]/.test(word);

/** Some file systems take capital letters for small ones. */
export const isHoldfastProgram = (word: string): boolean =>
  /(?:^|[\\/])holdfast(?:\.(?:c?js|cmd|exe))?(?:@[\w.^~-]+)?$/i.test(word);

export const baseName = (path: string): string =>
  path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
