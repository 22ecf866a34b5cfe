import { pluralize } from '../util/relative-time.ts';
import { sanitizeLine } from '../util/sanitize.ts';

/** What is left in the plan of a run that has been completed. */
export function openItemsText({ path, count }: { path: string; count: number }): string {
  return `${pluralize(count, 'item')} ${count === 1 ? 'is' : 'are'} still open in ${sanitizeLine(path)}.`;
}
