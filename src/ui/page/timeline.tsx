import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { RunPage } from '../model/types/run.ts';
import type { EventKind, RestoredText, TimelineEntry } from '../model/types/timeline.ts';
import { useData } from './hooks.ts';
import { Icon, type IconName } from './icons.tsx';
import { Chevron, FactList, LongText, MoreButton, SessionTag } from './parts.tsx';
import { percentOf, ShareBar, ShareLegend } from './share-bar.tsx';

const ENTRIES_AT_ONCE = 100;

const ICONS: Record<EventKind, IconName> = {
  progress: 'check',
  context: 'compress',
  restore: 'restore',
  reading: 'book',
  back: 'back',
  trouble: 'alert',
  person: 'person',
  session: 'plug',
  cost: 'coin',
  other: 'dot',
};

const FILTERS: { name: string; kinds: readonly EventKind[] | null }[] = [
  { name: 'Everything', kinds: null },
  { name: 'Progress', kinds: ['progress', 'person', 'back', 'trouble'] },
  { name: 'Context', kinds: ['context', 'restore'] },
  { name: 'Reading', kinds: ['reading'] },
  { name: 'Sessions', kinds: ['session'] },
  { name: 'Cost', kinds: ['cost'] },
];

/** What happened, the latest first. */
export function TimelineTab({ page, now }: { page: RunPage; now: Date }): JSX.Element {
  const [chosen, setChosen] = useState('Everything');
  const [count, setCount] = useState(ENTRIES_AT_ONCE);
  const filters = FILTERS.filter(
    ({ kinds }) => kinds === null || page.timeline.some((entry) => isOf(entry, kinds)),
  );
  const kinds = filters.find(({ name }) => name === chosen)?.kinds ?? null;
  const entries = page.timeline.filter((entry) => isOf(entry, kinds));
  const shown = entries.slice(0, count);
  if (page.timeline.length === 0) return <p class="nothing">Nothing is recorded about this run.</p>;
  return (
    <div class="timeline-tab">
      <div class="filters" role="group" aria-label="Show only">
        {filters.map(({ name }) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === chosen}
            onClick={() => setChosen(name)}
          >
            {name}
          </button>
        ))}
      </div>
      {daysOf(shown, now).map(({ day, entries: ofDay }) => (
        <section key={day} class="day" aria-label={day}>
          <h2>{day}</h2>
          <ol class="events">
            {ofDay.map(({ entry, key }) => (
              <EventItem key={key} entry={entry} page={page} />
            ))}
          </ol>
        </section>
      ))}
      <MoreButton
        left={entries.length - count}
        step={ENTRIES_AT_ONCE}
        onMore={() => setCount(count + ENTRIES_AT_ONCE)}
      />
      {page.timelineLeftOut > 0 && (
        <p class="muted">
          {page.timelineLeftOut} older events are not shown. <code>holdfast history</code> prints
          them.
        </p>
      )}
    </div>
  );
}

function isOf(entry: TimelineEntry, kinds: readonly EventKind[] | null): boolean {
  if (kinds === null || kinds.includes(entry.kind)) return true;
  return entry.cost !== null && kinds.includes('cost');
}

interface Keyed {
  entry: TimelineEntry;
  key: string;
}

function daysOf(entries: readonly TimelineEntry[], now: Date): { day: string; entries: Keyed[] }[] {
  const days = new Map<string, Keyed[]>();
  const seen = new Map<string, number>();
  for (const entry of entries) {
    const day = dayOf(entry.at, now);
    // Entries of the same moment get numbers, so that a new entry above does not close what is open below.
    const name = `${entry.at} ${entry.title}`;
    const repeated = seen.get(name) ?? 0;
    seen.set(name, repeated + 1);
    const keyed = { entry, key: `${name} ${repeated}` };
    const ofDay = days.get(day);
    if (ofDay === undefined) days.set(day, [keyed]);
    else ofDay.push(keyed);
  }
  return [...days].map(([day, ofDay]) => ({ day, entries: ofDay }));
}

function dayOf(at: string, now: Date): string {
  const date = new Date(at);
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
  const { at, kind, title, text, facts, session, restored, cost } = entry;
  const date = new Date(at);
  return (
    <li class={`event event-${kind}`}>
      <span class="event-mark">
        <Icon name={ICONS[kind]} />
      </span>
      <div class="event-body">
        <p class="event-head">
          <span class="event-title">{title}</span>
          {cost !== null && <span class="tag tag-cost">${cost.toFixed(2)}</span>}
          {session !== null && <SessionTag id={session} />}
          {!Number.isNaN(date.getTime()) && (
            <time dateTime={at} title={date.toLocaleString()}>
              {date.toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit', hour12: false })}
            </time>
          )}
        </p>
        {text !== null && <LongText text={text} lines={3} />}
        {facts.length > 0 && <FactList class="event-facts" facts={facts} />}
        {restored !== null && <Restored entry={entry} page={page} />}
      </div>
    </li>
  );
}

const GIVEN: Record<string, string> = {
  full: 'the full guidance',
  short: 'a short reminder',
  frame: 'the workflow, its phase and its files',
};

/** How much a restore gave, and on request the very text. */
function Restored({ entry, page }: { entry: TimelineEntry; page: RunPage }): JSX.Element | null {
  const [isOpen, setOpen] = useState(false);
  const { restored } = entry;
  if (restored === null) return null;
  const { given, characters, sections } = restored;
  const shares = sections.map((section, index) => ({ ...section, key: index }));
  const budget = Math.max(page.budget, characters ?? 0);
  const size =
    characters === null
      ? ''
      : `, ${characters.toLocaleString('en')} characters, ${percentOf(characters, budget)} of the budget`;
  return (
    <div class="restored">
      <p class="muted">
        It got {GIVEN[given] ?? given}
        {size}.
      </p>
      {shares.length > 0 && <ShareBar shares={shares} total={budget} />}
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <Chevron /> What the session was given
        </summary>
        {shares.length > 0 && <ShareLegend shares={shares} total={budget} />}
        {isOpen && <RestoredSections runId={page.card.id} at={entry.at} />}
      </details>
    </div>
  );
}

function RestoredSections({ runId, at }: { runId: string; at: string }): JSX.Element {
  const path = `data/restored?id=${encodeURIComponent(runId)}&at=${encodeURIComponent(at)}`;
  const { data, error } = useData<RestoredText>(path, 1);
  if (error !== null) return <p class="muted">{error.message}</p>;
  if (data === null) return <p class="muted">Loading</p>;
  if (data.sections === null)
    return (
      <p class="muted">
        No transcript of Claude Code has the text any more. The Guidance tab shows what the next
        session would get.
      </p>
    );
  return (
    <>
      {data.sections.map(({ name, text }) => (
        <div key={name} class="given">
          <h3>{name}</h3>
          <LongText text={text} lines={8} />
        </div>
      ))}
    </>
  );
}
