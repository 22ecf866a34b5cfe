import { pluralize } from '../util/relative-time.ts';
import { sanitizeLine } from '../util/sanitize.ts';

/** What is left in the plan of a run. */
export function openItemsText({ path, count }: { path: string; count: number }): string {
  return `${pluralize(count, 'open item')} in ${sanitizeLine(path)}`;
}
