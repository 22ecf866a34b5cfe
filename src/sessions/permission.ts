import { shellCommands } from '../text/shell-commands.ts';

export const ALLOWED_COMMANDS =
  'status list show history guidance context start advance skip fail note tasks pivot update resume release pause complete todo prime templates validate help doctor'.split(
    ' ',
  );

const ASKED =
  /^(?:takeover|approve|reject|cancel|reopen|import|trust|untrust|run|sync|ui|init|uninstall)$/;
/** Only `doctor` has `--fix`. */
const ASKED_OPTION = /^--(?:cwd|force|purge|fix)(?:=|$)/;

/** Nobody reads a longer command, and to take it apart could take longer than the client waits for a hook. */
const MAX_LENGTH = 50_000;

/**
 * Whether Claude Code runs a shell command without a prompt, or prompts whatever its rules say; null leaves it to its
 * rules. To allow a command is to allow all of it, so that is only done for one plain call of holdfast.
 */
export function decidePermission(command: string): 'allow' | 'ask' | null {
  if (command.length > MAX_LENGTH) return /holdfast/i.test(command) ? 'ask' : null;
  const call = plainCall(command);
  if (call === null) return isAlwaysAsked(command) ? 'ask' : null;
  if (isAsked(call)) return 'ask';
  const name = commandIn(call);
  if (name !== undefined) return ALLOWED_COMMANDS.includes(name) ? 'allow' : null;
  return call.some((word) => /^(?:-V|--version)$/.test(word)) ? null : 'allow';
}

/** What one command may consist of in which no shell expands anything; some drop the character 0. */
const PLAIN = /(?:[\w.,/:@%+=-]|[^\p{ASCII}\s]|'[^'\0]*'|"[^"\\$`\0]*")+|[ \t]+/guy;
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
  const [end = ''] = /^\w+$/.exec(command.slice(command.lastIndexOf('\n') + 1)) ?? [];
  const at = command.search(new RegExp(`<<(['"])${end}\\1\n`));
  if (end === '' || at < 0) return command;
  const lines = command.slice(at).split('\n').slice(1, -1);
  return lines.includes(end) ? command : command.slice(0, at);
}

const isAsked = (call: readonly string[]): boolean =>
  ASKED.test(commandIn(call) ?? '') || call.some((word) => ASKED_OPTION.test(word));

/** Of the arguments of holdfast, as its parser finds it. */
function commandIn(call: readonly string[]): string | undefined {
  for (let at = 0; at < call.length; at += 1) {
    const word = call[at] ?? '';
    if (/^--(?:cwd|session)$/.test(word)) at += 1;
    else if (!word.startsWith('-')) return word;
  }
  return undefined;
}

/** Words after which the next one is a command. */
const PREFIX =
  /^(?:[!{]|do|elif|else|if|then|until|while|time|exec|command|env|nohup|nice|timeout|sudo|xargs|npx|node)$/;
/** What runs the text that it is given as arguments or as input. */
const INTERPRETER = /^(?:(?:ba|z|da|k)?sh|eval|su|trap|watch)$/;
const MAX_DEPTH = 10;

/**
 * Whether the text calls, as far as one can see, what a person is asked about every time; in doubt it does. `isInput`: a
 * shell reads the text, so a call may stand anywhere in it.
 */
export function isAlwaysAsked(text: string, isInput = false, depth = 0): boolean {
  if (!/holdfast/i.test(text.replaceAll(/\\\n|['"\\]/g, ''))) return false;
  if (depth > MAX_DEPTH) return true;
  return shellCommands(text).some((words) => {
    let isCommand = true;
    return words.some((word, at) => {
      const before = words[at - 1] ?? '';
      const isHere = isCommand || isInput || /^(?:-exec|-ok|\{$)/.test(before);
      // A variable, an option, a number, the value of an option, or a word of the list.
      isCommand &&=
        /^(?:-|\d|\{\}|\w+\+?=)/.test(word) ||
        before.startsWith('-') ||
        PREFIX.test(baseName(word));
      if (!isHere) return false;
      if (isHoldfastProgram(word) || /^[$`]/.test(word))
        return isAskedOrUncertain(words.slice(at + 1), text);
      if (isInput || !INTERPRETER.test(baseName(word))) return false;
      const rest = words.slice(at + 1);
      return rest.every((argument) => argument.startsWith('-'))
        ? isAlwaysAsked(text.replaceAll(/\\\n|<<-?|['"\\#]/g, ''), true, depth + 1)
        : isAlwaysAsked(rest.join(' '), false, depth + 1);
    });
  });
}

const EXPANDED = /[$`*?{[]/;

/** Also if the shell or `xargs` may turn the call into one that is asked about. */
function isAskedOrUncertain(call: readonly string[], text: string): boolean {
  const name = commandIn(call);
  const isExtended = /\bxargs\b/.test(text);
  if (isAsked(call) || (name === undefined ? isExtended : EXPANDED.test(name))) return true;
  return (isExtended || call.some((word) => EXPANDED.test(word))) && /force|cwd|purge/.test(text);
}

/** Some file systems take capital letters for small ones. */
export const isHoldfastProgram = (word: string): boolean =>
  /(?:^|[\\/])holdfast(?:\.(?:c?js|cmd|exe))?(?:@[\w.^~-]+)?$/i.test(word);

export const baseName = (path: string): string =>
  path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
