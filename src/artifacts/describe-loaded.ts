import { shellQuote } from '../util/shell-quote.ts';
import { sanitizeLine } from '../util/sanitize.ts';
import { unreachable } from '../util/unreachable.ts';
import type { AgentAction, MissingArtifact } from './types.ts';

export function describeAction(action: AgentAction): string {
  switch (action.kind) {
    case 'prime':
      return `run \`holdfast prime --artifacts ${action.id}\``;
    case 'use_skill':
    case 'run':
      return `${action.kind === 'run' ? 'run' : 'use the skill'} \`${action.command}\``;
    case 'follow':
      return `read @${action.path} and follow it`;
    default:
      return unreachable(action);
  }
}

/** For an artifact that is due again and has not changed since the session got it. */
export function describeInContext(id: string): string {
  return `Artifact ${sanitizeLine(id)} is already in context.`;
}

/** What is missing, and what to do about it. */
export function describeMissing(why: MissingArtifact): { what: string; hint: string } {
  switch (why.kind) {
    case 'no_file':
      return {
        what: `${why.path} does not exist`,
        hint: `write it, or correct the path of artifact ${why.id}`,
      };
    case 'no_source':
      return { what: 'it has no path', hint: 'declare a path, path_from_state or command' };
    case 'no_repository':
      return { what: 'this project is not a git repository', hint: '`git init` makes it one' };
    case 'no_path_in_state':
      return {
        what: `the run's state has no path at ${why.pointer}`,
        hint: commandToSet(why.keys),
      };
    case 'unknown_placeholder':
      return {
        what: `{${why.name}} is no placeholder`,
        hint: `there are ${why.known.map((name) => `{${name}}`).join(' ')}`,
      };
    case 'placeholder_without_value':
      return {
        what: `{${why.name}} has no value in this run`,
        hint: commandToSet(['context', why.name]),
      };
    default:
      return unreachable(why);
  }
}

function commandToSet([section = '', key = '']: string[]): string {
  const word = shellQuote(key);
  const option = section === 'artifacts' ? `--artifact ${word}=<path>` : `--set ${word}=<value>`;
  return section === 'artifacts' || section === 'context'
    ? `\`holdfast update ${option}\``
    : 'write it into the state file';
}
