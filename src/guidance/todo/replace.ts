import { HoldfastError } from '../../text/holdfast-error.ts';
import { boxesIn } from './list.ts';

/** Who has set the list, if only holdfast has changed the file since. */
export type ListOwner =
  | { kind: 'run'; runId: string; isActive: boolean }
  /** It was set in a terminal, for no run. */
  | { kind: 'no run' }
  /** Nobody has set it, or somebody has edited the file since. */
  | { kind: 'unknown' };

/** A new list in the place of the whole file. */
export interface Replacement {
  path: string;
  before: string;
  after: string;
  owner: ListOwner;
  /** The run that the new list is for; null for none. */
  writer: string | null;
  force: boolean;
  /** Whether the caller may force it where the file is no list at all. */
  mayReplaceAnyFile: boolean;
}

/**
 * The lines of other writers that get lost when a list is replaced. Throws if there would be any and nobody forces it. A
 * file without check boxes may be something else than a list, so only who may replace any file can force that.
 */
export function linesLostBy(replacement: Replacement): string[] {
  const { before, after, force, mayReplaceAnyFile } = replacement;
  const isOwn = isOwnList(replacement);
  if (before === after || isOwn) return [];

  const isList = boxesIn(before).length > 0;
  const isForced = force && (isList || mayReplaceAnyFile);
  if (!isForced) throw notOwnList(replacement);
  const kept = new Set(filledLines(after));
  return filledLines(before).filter((line) => !kept.has(line));
}

/** Nothing of others is lost with a blank list, or one that was set for this run, for no run or for one that does not go on. */
function isOwnList({ before, owner, writer }: Replacement): boolean {
  if (before.trim() === '') return true;
  if (owner.kind === 'unknown') return false;
  if (owner.kind === 'no run') return true;
  return !owner.isActive || owner.runId === writer;
}

function notOwnList({ path, owner }: Replacement): HoldfastError {
  const message =
    owner.kind === 'run'
      ? `${path} is the list of the run ${owner.runId}`
      : `${path} has content that is not from \`holdfast todo set\``;
  return new HoldfastError('todo_not_ours', message, {
    hint: 'change it with `holdfast todo add` and `holdfast todo done`, or replace all of it with --force (where it has no check boxes: only a person, in a terminal)',
  });
}

function filledLines(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== '');
}
