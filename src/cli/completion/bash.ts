import { unreachable } from '../../util/unreachable.ts';
import { everyCommand, type CommandShape, type Offer } from './command-tree.ts';
import { byOffer, quoted, quotedList, steps, valued } from './tree-queries.ts';

export function bashScript(shape: CommandShape): string {
  const values = valued(shape);
  const commands = everyCommand(shape);
  return `# bash completion for holdfast. In ~/.bashrc: source <(holdfast completion bash)
_holdfast_offer() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do
    [[ -n $word && $word == "$cur"* ]] && COMPREPLY+=("$word")
  done
}

_holdfast_files() {
  compopt -o filenames 2>/dev/null
  local IFS=$'\\n'
  COMPREPLY=($(compgen "$1" -- "$cur"))
}

_holdfast_values() {
  case "$1" in
${byOffer(values).map(valueCase).join('\n')}
    *) return 1 ;;
  esac
}

_holdfast() {
  local cur=\${COMP_WORDS[COMP_CWORD]} last='' at=holdfast word i
  local -i count=0
  # Bash takes --option=value for three words.
  [[ $cur == '=' ]] && cur=''
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    [[ $word == '=' ]] && continue
    if [[ -n $last ]]; then last=''; continue; fi
    case "$at $word" in
      ${quotedList(
        values.map(({ place }) => place),
        ' | ',
      )}) last="$at $word" ;;
      ${quotedList(steps(shape), ' | ')}) at="$at $word" ;;
      *) [[ $word == -* ]] || count+=1 ;;
    esac
  done
  if [[ -n $last ]]; then
    _holdfast_values "$last"
    return 0
  fi
  case "$at" in
${commands.map(commandCase).join('\n')}
  esac
}

complete -F _holdfast holdfast
`;
}

function valueCase({ places, offer }: { places: string[]; offer: Offer }): string {
  return `    ${quotedList(places, ' | ')}) ${fill(offer)} ;;`;
}

function commandCase({ path, options, commands, argument }: CommandShape): string {
  const names = options.flatMap((option) => option.names);
  const lines = [`    ${quoted(path)})`];
  lines.push(`      if [[ $cur == -* ]]; then ${wordsFrom(names)}`);
  if (commands.length > 0) {
    lines.push(`      elif ((count == 0)); then ${wordsFrom(commands.map(({ name }) => name))}`);
  } else if (argument !== null && argument.offer.kind !== 'nothing') {
    const when = argument.isVariadic ? 'else' : 'elif ((count == 0)); then';
    lines.push(`      ${when} ${fill(argument.offer)}`);
  }
  lines.push('      fi ;;');
  return lines.join('\n');
}

function fill(offer: Offer): string {
  switch (offer.kind) {
    case 'words':
      return wordsFrom(offer.words);
    case 'runs':
      return `_holdfast_offer < <(command holdfast completion-words runs 2>/dev/null)`;
    case 'templates':
      return `compopt -o filenames 2>/dev/null; _holdfast_offer < <(command holdfast completion-words templates 2>/dev/null; compgen -f -- "$cur")`;
    case 'files':
      return '_holdfast_files -f';
    case 'folders':
      return '_holdfast_files -d';
    case 'nothing':
      return 'COMPREPLY=()';
    default:
      return unreachable(offer);
  }
}

function wordsFrom(words: readonly string[]): string {
  return `_holdfast_offer < <(printf '%s\\n' ${quotedList(words, ' ')})`;
}
