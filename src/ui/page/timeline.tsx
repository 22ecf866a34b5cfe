import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { EventKind } from '../../state/event-words.ts';
import type { TimelineEntry } from '../timeline.ts';
import type { RunPage } from '../views.ts';
import { percentOf, ShareBar, ShareLegend } from './guidance.tsx';
import type { IconName } from './icons.tsx';
import {
  Chevron,
  Facts,
  LongText,
  Mark,
  SessionTag,
  usePortion,
  valueText,
  type Tone,
} from './parts.tsx';

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

const EVERYTHING = 'Everything';

const FILTERS: Record<string, readonly EventKind[]> = {
  Progress: ['progress', 'person', 'back', 'trouble'],
  Context: ['context', 'restore'],
  Reading: ['reading'],
  Sessions: ['session'],
  Cost: ['cost'],
};

/** What happened, the latest first. */
export function TimelineTab({ page }: { page: RunPage }): JSX.Element {
  const [chosen, setChosen] = useState(EVERYTHING);
  const kinds = FILTERS[chosen];
  // Counted from the oldest, so that a new entry above does not close what is open below.
  const numberOf = (entry: TimelineEntry): number =>
    page.timeline.length - page.timeline.indexOf(entry);
  const isOf = ({ kind }: TimelineEntry, wanted = kinds): boolean =>
    wanted === undefined || wanted.includes(kind);
  const [shown, more] = usePortion(
    page.timeline.filter((entry) => isOf(entry)),
    100,
  );
  if (page.timeline.length === 0)
    return <p class="nothing muted">Nothing is recorded about this run.</p>;
  const days = [...new Set(shown.map(({ at }) => dayOf(at)))];
  const filters = Object.entries(FILTERS).filter(([, wanted]) =>
    page.timeline.some((entry) => isOf(entry, wanted)),
  );
  return (
    <>
      <div class="filters line" role="group" aria-label="Show only">
        {[EVERYTHING, ...filters.map(([name]) => name)].map((name) => (
          <button
            key={name}
            type="button"
            class="box small"
            aria-pressed={name === chosen}
            onClick={() => setChosen(name)}
          >
            {name}
          </button>
        ))}
      </div>
      {days.map((day) => (
        <section key={day} class="day" aria-label={day}>
          <h2>{day}</h2>
          <ol>
            {shown
              .filter(({ at }) => dayOf(at) === day)
              .map((entry) => (
                <EventItem key={numberOf(entry)} entry={entry} page={page} />
              ))}
          </ol>
        </section>
      ))}
      {more}
    </>
  );
}

function dayOf(at: string): string {
  const [date, now] = [new Date(at), new Date()];
  if (Number.isNaN(date.getTime())) return 'At an unknown time';
  if (date.toDateString() === now.toDateString()) return 'Today';
  const isThisYear = date.getFullYear() === now.getFullYear();
  return date.toLocaleDateString('en', {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    ...(isThisYear ? {} : { year: 'numeric' }),
  });
}

function EventItem({ entry, page }: { entry: TimelineEntry; page: RunPage }): JSX.Element {
  const { at, kind, title, text, facts, session, cost } = entry;
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
            <time class="muted small" dateTime={at} title={date.toLocaleString()}>
              {date.toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit', hour12: false })}
            </time>
          )}
        </p>
        {text !== '' && <LongText text={text} lines={3} />}
        {facts.length > 0 && (
          <Facts
            class="event-facts"
            facts={facts.map(([name, value]) => [name, valueText(value)])}
          />
        )}
        {entry.restored !== null && <RestoredPart {...entry.restored} page={page} />}
      </div>
    </li>
  );
}

/** How much a restore gave, and how it was divided. */
function RestoredPart(
  props: NonNullable<TimelineEntry['restored']> & { page: RunPage },
): JSX.Element {
  const { given, characters, sections, page } = props;
  const budget = Math.max(page.budget, characters ?? 0);
  return (
    <div class="restored box">
      <p class="muted">
        It got the {given} guidance
        {characters !== null &&
          `, ${characters.toLocaleString('en')} characters, ${percentOf(characters, budget)} of the budget`}
        .
      </p>
      {sections.length > 0 && (
        <>
          <ShareBar shares={sections} total={budget} />
          <details>
            <summary>
              <Chevron /> What the session was given
            </summary>
            <ShareLegend shares={sections} total={budget} />
          </details>
        </>
      )}
    </div>
  );
}
