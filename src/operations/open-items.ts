import { FORMATS } from '../detect/formats/all-formats.ts';
import { countOpenItems } from '../detect/open-items.ts';
import { readProjectFile } from '../io/read-file.ts';
import { isPlanFormatId } from '../settings/settings.ts';
import type { StoredRun } from '../state/types.ts';
import { CompanionFiles } from '../sync/format-plans.ts';
import type { OperationContext } from './open-project.ts';

export interface OpenItems {
  /** The file that they are in. */
  path: string;
  count: number;
}

const MAX_BYTES = 1_000_000;

/** The items that are still open in the plan of a run, or in one of its phases; null if there are none. */
export function openItemsOf(
  { root }: Pick<OperationContext, 'root'>,
  { state: { source: from } }: StoredRun,
  phase?: string,
): OpenItems | null {
  if (from?.kind !== 'plan' || from.path === undefined) return null;
  const { path } = from;
  const file = readProjectFile(root, path, MAX_BYTES);
  if (file.kind !== 'text') return null;
  const { format: id } = from;
  const format = typeof id === 'string' && isPlanFormatId(id) ? FORMATS[id] : undefined;
  const companions = new CompanionFiles(root).read(format?.companions?.(path) ?? []);
  const count = countOpenItems(
    { path, text: file.text, companions, exists: () => true },
    format,
    phase,
  );
  return count === 0 ? null : { path: format?.itemsFile ?? path, count };
}
