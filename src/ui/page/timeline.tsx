import type { JSX } from 'preact';
import type { EventKind } from '../../state/event-words.ts';
import type { RunPage, TimelineEntry } from '../page-data.ts';
import { LongText, Mark, SessionTag, usePortion } from './parts.tsx';
import type { IconName, Tone } from './parts.tsx';

const KINDS: Record<EventKind, [icon: IconName, tone: Tone]> = {
  progress: ['check', 'good'],
  context: ['compress', 'context'],
  restore: ['restore', 'context'],
  reading: ['book', 'plain'],
  back: ['back', 'wait'],
  trouble: ['alert', 'bad'],
  person: ['person', 'wait'],
  session: ['plug', 'plain'],
  cost: ['coin', 'plain'],
  other: ['dot', 'plain'],
};

/** How many entries are shown at first, and with each click on the button below. */
const ENTRIES_AT_ONCE = 100;

/** What happened, the latest first. */
export function TimelineTab({ page }: { page: RunPage }): JSX.Element {
  // Counted from the oldest, so that a new entry above does not close what is open below.
  const numberOf = (entry: TimelineEntry): number =>
    page.timeline.length - page.timeline.indexOf(entry);
  const [shown, more] = usePortion(page.timeline, ENTRIES_AT_ONCE);
  if (page.timeline.length === 0)
    return <p class="nothing muted">Nothing is recorded about this run.</p>;
  const days = [...new Set(shown.map(({ at }) => dayOf(at)))];
  return (
    <>
      {days.map((day) => (
        <section key={day} class="day" aria-label={day}>
          <h2>{day}</h2>
          <ol>
            {shown
              .filter(({ at }) => dayOf(at) === day)
              .map((entry) => (
                <EventItem key={numberOf(entry)} entry={entry} />
              ))}
          </ol>
        </section>
      ))}
      {more}
    </>
  );
}

function dayOf(at: string): string {
  const date = new Date(at);
  const now = new Date();
  if (Number.isNaN(date.getTime())) return 'At an unknown time';
  if (date.toDateString() === now.toDateString()) return 'Today';
  const format: Intl.DateTimeFormatOptions = {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
  };
  const isThisYear = date.getFullYear() === now.getFullYear();
  if (!isThisYear) format.year = 'numeric';
  return date.toLocaleDateString('en', format);
}

function EventItem({ entry }: { entry: TimelineEntry }): JSX.Element {
  const { at, kind, title, text, session, cost } = entry;
  const [icon, tone] = KINDS[kind];
  const date = new Date(at);
  return (
    <li class={`event event-${kind}`}>
      <Mark icon={icon} tone={tone} />
      <div class="event-body">
        <p class="event-head">
          <span class="event-title">{title}</span>
          {cost !== null && <span class="tag">${cost.toFixed(2)}</span>}
          {session !== null && <SessionTag id={session} />}
          {!Number.isNaN(date.getTime()) && (
            <time
              class="muted small"
              dateTime={at}
              title={date.toLocaleString()}
            >
              {date.toLocaleTimeString('en', {
                hour: '2-digit',
                minute: '2-digit',
                hour12: false,
              })}
            </time>
          )}
        </p>
        {text !== '' && <LongText text={text} lines={3} />}
      </div>
    </li>
  );
}
