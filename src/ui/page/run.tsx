import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { RunPage } from '../views.ts';
import { Actions } from './actions.tsx';
import { DetailsTab } from './details.tsx';
import { GuidanceTab } from './guidance.tsx';
import { Icon } from './icons.tsx';
import { CopyButton, Facts, Progress, SessionTag, StatusPill, Time, ViewTitle } from './parts.tsx';
import { OVERVIEW_HREF, runHref, TABS, type Tab } from './route.ts';
import { StepsTab } from './steps.tsx';
import { TimelineTab } from './timeline.tsx';

const TONES = { error: 'bad', warning: 'wait', info: 'plain' };

export function RunView(props: { page: RunPage; tab: Tab; version: number }): JSX.Element {
  const { page, tab, version } = props;
  const { card, run, notes } = page;
  const summary = run.machine?.['summary'];
  return (
    <article>
      <a class="crumb line muted small" href={OVERVIEW_HREF}>
        <Icon name="left" /> All runs
      </a>
      <div class="run-head">
        <div class="line">
          <ViewTitle of={card.run_id}>{card.workflow}</ViewTitle>
          <StatusPill card={card} />
        </div>
        {typeof summary === 'string' && summary !== run.workflow && (
          <p class="lead muted">{summary}</p>
        )}
        <RunFacts page={page} />
        <Progress card={card} />
      </div>
      {notes.map(({ tone, text }) => (
        <p
          key={text}
          class={`notice tone-${TONES[tone]}`}
          role={tone === 'error' ? 'alert' : 'note'}
        >
          <Icon name={tone === 'info' ? 'flag' : 'alert'} />
          <span>{text}</span>
        </p>
      ))}
      {page.acts && <Actions page={page} />}
      <Tabs page={page} tab={tab} />
      <div
        class="tab-panel"
        role="tabpanel"
        id={`panel-${tab}`}
        aria-labelledby={`tab-${tab}`}
        tabIndex={-1}
      >
        {tab === 'steps' && <StepsTab page={page} />}
        {tab === 'timeline' && <TimelineTab page={page} />}
        {tab === 'guidance' && <GuidanceTab page={page} version={version} />}
        {tab === 'details' && <DetailsTab page={page} />}
      </div>
    </article>
  );
}

function RunFacts({ page }: { page: RunPage }): JSX.Element {
  const { card, run } = page;
  const { holder } = card;
  const heldBy =
    holder === null ? (
      'nobody'
    ) : (
      <>
        {holder.live && <span class="live-dot" />} {holder.host}
        <SessionTag id={holder.session} />{' '}
        <span class="muted">
          {holder.live ? 'seen ' : !holder.gone ? 'last seen ' : 'gone, last seen '}
          <Time at={holder.last_seen} />
        </span>
      </>
    );
  const id = (
    <span class="mono">
      {card.run_id} <CopyButton text={card.run_id} what="the run id" />
    </span>
  );
  return (
    <>
      <Facts
        class="facts"
        facts={[
          ['Run', id],
          ['Project', page.project.key === 'runs' ? null : page.project.root],
          ['Template', card.template],
          ['Type', run.workflow_type === 'custom' ? null : run.workflow_type],
          ['Held by', card.archived ? null : heldBy],
          ['Started', <Time key="started" at={run.created_at} />],
          ['Updated', <Time key="updated" at={card.updated_at} />],
        ]}
      />
      {run.status_reason !== undefined && (
        <Facts class="facts" facts={[['Reason', run.status_reason]]} />
      )}
      {run.ended_early !== undefined && (
        <Facts class="facts" facts={[['Left', run.ended_early.left.join(', ')]]} />
      )}
    </>
  );
}

/** Arrow keys move between the tabs; each has an address of its own. */
function Tabs({ page, tab }: { page: RunPage; tab: Tab }): JSX.Element {
  const hrefOf = (to: Tab): string => runHref(page.project.key, page.card.run_id, to);
  const list = useRef<HTMLDivElement>(null);
  const select = (event: KeyboardEvent): void => {
    const at = TABS.indexOf(tab);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
    const to = next === undefined ? undefined : TABS.at(next % TABS.length);
    if (to === undefined) return;
    event.preventDefault();
    location.hash = hrefOf(to);
    list.current?.querySelector<HTMLElement>(`#tab-${to}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="Parts of the run" ref={list} onKeyDown={select}>
      {TABS.map((name) => (
        <a
          key={name}
          id={`tab-${name}`}
          class="line"
          role="tab"
          href={hrefOf(name)}
          aria-selected={name === tab}
          aria-controls={name === tab ? `panel-${name}` : undefined}
          tabIndex={name === tab ? 0 : -1}
        >
          {name.charAt(0).toUpperCase() + name.slice(1)}
          {name === 'timeline' && (
            <span class="count">{page.timeline.length.toLocaleString('en')}</span>
          )}
        </a>
      ))}
    </div>
  );
}
