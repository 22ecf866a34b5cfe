import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { RunPage, Totals } from '../model/types/run.ts';
import { DetailsTab } from './details.tsx';
import { GuidanceTab } from './guidance.tsx';
import { Icon } from './icons.tsx';
import { CopyButton, Notice, Progress, SessionTag, StatusPill, Time, ViewTitle } from './parts.tsx';
import { OVERVIEW_HREF, runHref, TABS, type Tab } from './route.ts';
import { StepsTab } from './steps-tab.tsx';
import { TimelineTab } from './timeline.tsx';

const TAB_TITLES: Record<Tab, string> = {
  steps: 'Steps',
  timeline: 'Timeline',
  guidance: 'Guidance',
  details: 'Details',
};

export function RunView(props: {
  page: RunPage;
  tab: Tab;
  now: Date;
  version: number;
}): JSX.Element {
  const { page, tab, now, version } = props;
  const { card, summary, notes, totals } = page;
  return (
    <article class="run">
      <a class="crumb" href={OVERVIEW_HREF}>
        <Icon name="left" /> All runs
      </a>
      <div class="run-head">
        <div class="run-title">
          <ViewTitle of={card.id}>{card.workflow}</ViewTitle>
          <StatusPill card={card} />
        </div>
        {summary !== null && <p class="lead">{summary}</p>}
        <RunFacts page={page} now={now} />
        <Progress card={card} />
      </div>
      {notes.map(({ tone, text }) => (
        <Notice key={text} tone={tone} text={text} />
      ))}
      <TotalsStrip totals={totals} />
      <Tabs id={card.id} tab={tab} events={page.timeline.length} />
      <div
        class="tab-panel"
        role="tabpanel"
        id={`panel-${tab}`}
        aria-labelledby={`tab-${tab}`}
        tabIndex={-1}
      >
        {tab === 'steps' && <StepsTab page={page} />}
        {tab === 'timeline' && <TimelineTab page={page} now={now} />}
        {tab === 'guidance' && <GuidanceTab id={card.id} version={version} />}
        {tab === 'details' && <DetailsTab page={page} now={now} />}
      </div>
    </article>
  );
}

function RunFacts({ page, now }: { page: RunPage; now: Date }): JSX.Element {
  const { card, type, createdAt, statusReason } = page;
  const { holder } = card;
  return (
    <dl class="facts">
      <div>
        <dt>Run</dt>
        <dd class="mono">
          {card.id} <CopyButton text={card.id} what="the run id" />
        </dd>
      </div>
      {card.template !== null && (
        <div>
          <dt>Template</dt>
          <dd>{card.template}</dd>
        </div>
      )}
      {type !== null && (
        <div>
          <dt>Type</dt>
          <dd>{type}</dd>
        </div>
      )}
      {!card.isArchived && (
        <div>
          <dt>Held by</dt>
          <dd>
            {holder === null ? (
              'nobody'
            ) : (
              <>
                {holder.isLive && <span class="live-dot" />} <SessionTag id={holder.session} />{' '}
                <span class="muted">
                  {holder.isLive ? 'seen ' : 'last seen '}
                  <Time at={holder.seenAt} now={now} />
                </span>
              </>
            )}
          </dd>
        </div>
      )}
      <div>
        <dt>Started</dt>
        <dd>
          <Time at={createdAt} now={now} />
        </dd>
      </div>
      <div>
        <dt>Updated</dt>
        <dd>
          <Time at={card.updatedAt} now={now} />
        </dd>
      </div>
      {statusReason !== null && (
        <div class="fact-wide">
          <dt>Reason</dt>
          <dd>{statusReason}</dd>
        </div>
      )}
    </dl>
  );
}

function TotalsStrip({ totals }: { totals: Totals }): JSX.Element {
  const { compactions, restores, pivots, sessions, cost } = totals;
  return (
    <dl class="totals">
      <Total name={sessions === 1 ? 'session' : 'sessions'} value={String(sessions)} />
      <Total name={compactions === 1 ? 'compaction' : 'compactions'} value={String(compactions)} />
      <Total name={restores === 1 ? 'restore' : 'restores'} value={String(restores)} />
      <Total name={pivots === 1 ? 'time sent back' : 'times sent back'} value={String(pivots)} />
      {cost !== null && <Total name="cost of driven steps" value={`$${cost.toFixed(2)}`} />}
    </dl>
  );
}

function Total({ name, value }: { name: string; value: string }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** Arrow keys move between the tabs; each has an address of its own. */
function Tabs({ id, tab, events }: { id: string; tab: Tab; events: number }): JSX.Element {
  const list = useRef<HTMLDivElement>(null);
  const select = (event: KeyboardEvent): void => {
    const to = nextTab(tab, event.key);
    if (to === null) return;
    event.preventDefault();
    location.hash = runHref(id, to);
    list.current?.querySelector<HTMLElement>(`#tab-${to}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="Parts of the run" ref={list} onKeyDown={select}>
      {TABS.map((name) => (
        <a
          key={name}
          id={`tab-${name}`}
          role="tab"
          href={runHref(id, name)}
          aria-selected={name === tab}
          aria-controls={name === tab ? `panel-${name}` : undefined}
          tabIndex={name === tab ? 0 : -1}
        >
          {TAB_TITLES[name]}
          {name === 'timeline' && <span class="count">{events.toLocaleString('en')}</span>}
        </a>
      ))}
    </div>
  );
}

function nextTab(tab: Tab, key: string): Tab | null {
  const at = TABS.indexOf(tab);
  switch (key) {
    case 'ArrowRight':
      return TABS[(at + 1) % TABS.length] ?? null;
    case 'ArrowLeft':
      return TABS[(at + TABS.length - 1) % TABS.length] ?? null;
    case 'Home':
      return TABS[0];
    case 'End':
      return TABS.at(-1) ?? null;
    default:
      return null;
  }
}
