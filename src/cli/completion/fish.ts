import { unreachable } from '../../util/unreachable.ts';
import { everyCommand, type CommandShape, type Offer, type OptionShape } from './command-tree.ts';
import { steps, valued } from './tree-queries.ts';

export function fishScript(shape: CommandShape): string {
  const lines = everyCommand(shape).flatMap(commandLines);
  return `# fish completion for holdfast. mkdir -p ~/.config/fish/completions && holdfast completion fish > ~/.config/fish/completions/holdfast.fish
function __holdfast_at
    set -l at holdfast
    set -l last ''
    set -l count 0
    set -l tokens (commandline -opc)
    set -e tokens[1]
    for word in $tokens
        if test -n "$last"
            set last ''
            continue
        end
        switch "$at $word"
            case ${valued(shape)
              .map(({ place }) => quoted(place))
              .join(' ')}
                set last $word
            case ${steps(shape).map(quoted).join(' ')}
                set at "$at $word"
            case '* -*'
            case '*'
                set count (math $count + 1)
        end
    end
    test "$at" = "$argv[1]"; and test -z "$argv[2]" -o "$count" = "$argv[2]"
end

complete -c holdfast -f
${lines.join('\n')}
`;
}

function commandLines({ path, options, commands, argument }: CommandShape): string[] {
  const lines = options.map((option) => optionLine(path, option));
  for (const { name, description } of commands) {
    lines.push(`${line(path, '0')} -a ${quoted(name)} -d ${quoted(description)}`);
  }
  if (commands.length === 0 && argument !== null && argument.offer.kind !== 'nothing') {
    lines.push(`${line(path, argument.isVariadic ? '' : '0')} ${offered(argument.offer)}`);
  }
  return lines;
}

function optionLine(path: string, { names, description, value }: OptionShape): string {
  const flags = names.map((name) =>
    name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  );
  const needs = value === null ? '' : ` -r ${offered(value)}`;
  return `${line(path, '')} ${flags.join(' ')}${needs} -d ${quoted(description)}`;
}

function line(path: string, position: string): string {
  return `complete -c holdfast -n ${quoted(`__holdfast_at "${path}" "${position}"`)}`;
}

function offered(offer: Offer): string {
  switch (offer.kind) {
    case 'words':
      return `-f -a ${quoted(offer.words.join(' '))}`;
    case 'runs':
      return `-f -a ${quoted('(command holdfast completion-words runs 2>/dev/null)')}`;
    case 'templates':
      return `-F -a ${quoted('(command holdfast completion-words templates 2>/dev/null)')}`;
    case 'files':
      return '-F';
    case 'folders':
      return `-f -a ${quoted('(__fish_complete_directories)')}`;
    case 'nothing':
      return '-f';
    default:
      return unreachable(offer);
  }
}

/** In fish a backslash escapes within single quotes, unlike in other shells. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
}
