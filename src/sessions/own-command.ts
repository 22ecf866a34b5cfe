import { MAX_LENGTH, shellCommands } from '../text/shell-commands.ts';

/** What a sequence of commands may consist of in which the shell expands nothing but file names. */
const SEQUENCE =
  /(?:[^\s#;&|<>()$`\\"'\p{Cc}]|'[^']*'|"(?:[^"\\$`]|\\["\\])*")+|[ \t]+|&&|\|\||[;\n]/guy;
/** What one command may consist of in which no shell expands anything; some drop the character 0. */
const PLAIN = /(?:[\w.,/:@%+=-]|[^\p{ASCII}\s]|'[^'\0]*'|"[^"\\$`\0]*")+|[ \t]+/guy;
const OWN = /^(?:npx (?:(?:-y|--yes|--no|--no-install) )*)?holdfast(?:@[\w.^~-]+)?(?: |$)/;
const QUIET = /[ \t]2>[ \t]?(?:&1|\/dev\/null)\s*$/;

/** Whether a shell command calls holdfast and nothing else: no expansion, redirection, pipe or further command. */
export function isOwnCommand(command: string): boolean {
  const calls = callsIn(command.replace(QUIET, ''), SEQUENCE);
  return calls.length > 0 && calls.every((words) => OWN.test(words.join(' ')));
}

/** The arguments of holdfast, if the command is one plain call of it; else null. */
export function plainCall(command: string): string[] | null {
  const [[program, ...rest] = []] = callsIn(command, PLAIN);
  return program === 'holdfast' ? rest : null;
}

/** The words of each call; none if the command consists of anything but these tokens. */
function callsIn(command: string, tokens: RegExp): string[][] {
  const call = command.trim();
  // A shell takes other white space for a part of a word.
  if (command.length > MAX_LENGTH || /[^ \t\n]/.test(command.replace(call, ''))) return [];
  const text = withoutHereDocument(call);
  return (text.match(tokens) ?? []).join('') === text ? shellCommands(text) : [];
}

/** With a quoted delimiter, the shell expands nothing in it. It would run whatever follows the first line that ends it. */
function withoutHereDocument(command: string): string {
  const [end = ''] = /^\w+$/.exec(command.slice(command.lastIndexOf('\n') + 1)) ?? [];
  const at = command.search(new RegExp(`<<(['"])${end}\\1\n`));
  if (end === '' || at < 0) return command;
  const lines = command.slice(at).split('\n').slice(1, -1);
  return lines.includes(end) ? command : command.slice(0, at);
}
