import { unreachable } from '../../util/unreachable.ts';
import { everyCommand, type CommandShape, type Offer } from './command-tree.ts';
import { byOffer, quoted, quotedList, steps, valued } from './tree-queries.ts';

export function zshScript(shape: CommandShape): string {
  const values = valued(shape);
  return `#compdef holdfast
# zsh completion for holdfast. In ~/.zshrc, after compinit if it has that: source <(holdfast completion zsh)
_holdfast_words() {
  local -a found
  found=(\${(f)"$(command holdfast completion-words $1 2>/dev/null)"})
  (($#found)) && compadd -- $found
}

_holdfast_values() {
  case "$1" in
${byOffer(values).map(valueCase).join('\n')}
  esac
}

_holdfast() {
  local at=holdfast last='' word
  local -a commands options
  integer count=0 i
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    if [[ -n $last ]]; then last=''; continue; fi
    case "$at $word" in
      (${quotedList(
        values.map(({ place }) => place),
        '|',
      )}) last="$at $word" ;;
      (${quotedList(steps(shape), '|')}) at="$at $word" ;;
      (*) [[ $word == -* ]] || ((count += 1)) ;;
    esac
  done
  if [[ -z $last && $PREFIX == --*=* ]]; then
    last="$at \${PREFIX%%=*}"
    compset -P '*='
  fi
  if [[ -n $last ]]; then
    _holdfast_values "$last"
    return
  fi
  case "$at" in
${everyCommand(shape).map(commandCase).join('\n')}
  esac
}

if [[ $funcstack[1] == _holdfast ]]; then
  _holdfast "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
  compdef _holdfast holdfast
fi
`;
}

function valueCase({ places, offer }: { places: string[]; offer: Offer }): string {
  return `    (${quotedList(places, '|')}) ${fill(offer)} ;;`;
}

function commandCase({ path, options, commands, argument }: CommandShape): string {
  const lines = [`    (${quoted(path)})`];
  lines.push(`      options=(${described(options.flatMap(namedOption))})`);
  lines.push(`      if [[ $PREFIX == -* ]]; then _describe -o option options`);
  if (commands.length > 0) {
    lines.push(
      `      elif ((count == 0)); then commands=(${described(commands)}); _describe command commands`,
    );
  } else if (argument !== null && argument.offer.kind !== 'nothing') {
    const when = argument.isVariadic ? 'else' : 'elif ((count == 0)); then';
    lines.push(`      ${when} ${fill(argument.offer)}`);
  }
  lines.push('      fi ;;');
  return lines.join('\n');
}

function namedOption({
  names,
  description,
}: CommandShape['options'][number]): { name: string; description: string }[] {
  return names.map((name) => ({ name, description }));
}

function described(entries: readonly { name: string; description: string }[]): string {
  return entries.map(({ name, description }) => quoted(`${name}:${description}`)).join(' ');
}

function fill(offer: Offer): string {
  switch (offer.kind) {
    case 'words':
      return `compadd -- ${quotedList(offer.words, ' ')}`;
    case 'runs':
      return '_holdfast_words runs';
    case 'templates':
      return '_holdfast_words templates; _files';
    case 'files':
      return '_files';
    case 'folders':
      return '_files -/';
    case 'nothing':
      return '_message value';
    default:
      return unreachable(offer);
  }
}
