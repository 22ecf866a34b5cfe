import { EVENT_NAMES, type JournalEvent } from '../../state/journal.ts';
import { sanitizeLine, shortId } from '../../util/sanitize.ts';
import { EVENT_TEXTS } from './event-texts.ts';

/** One event of `holdfast history`. Events that a later version wrote keep their own name. */
export function eventLine(event: JournalEvent & { at: string }): string {
  const name = EVENT_NAMES.find((known) => known === event.event);
  const text = name === undefined ? event.event : EVENT_TEXTS[name](event);
  const session =
    typeof event['session_id'] === 'string' ? ` by session ${shortId(event['session_id'])}` : '';
  const machine =
    typeof event['machine'] === 'string' && event['machine'] !== 'merge'
      ? ` on machine ${sanitizeLine(event['machine'])}`
      : '';
  return `${formatTime(event.at)}  ${sanitizeLine(text + passedBy(event) + loaded(event))}${session}${machine}`;
}

/** What came into the context of the session with this event. */
function loaded({ loaded: ids }: JournalEvent): string {
  if (!Array.isArray(ids)) return '';
  const names = ids.filter((id) => typeof id === 'string').map((id) => id.replace(/^@/, ''));
  return names.length === 0 ? '' : `, with ${names.join(', ')}`;
}

function passedBy({ passed_by: steps }: JournalEvent): string {
  return Array.isArray(steps) ? `; passed by ${steps.join(', ')}, whose condition is false` : '';
}

export function formatTime(time: string): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return 'at an unknown time';
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}
