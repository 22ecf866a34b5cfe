import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { RunPage } from '../views.ts';
import { Actions } from './actions.tsx';
import { GuidanceTab } from './guidance.tsx';
import { Icon } from './icons.tsx';
import {
  CopyButton,
  Facts,
  Progress,
  SessionTag,
  StatusPill,
  Time,
  ViewTitle,
  LongText,
  Panel,
  valueText,
} from './parts.tsx';
import { OVERVIEW_HREF, runHref, TABS, type Tab } from './data.ts';
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

/** Everything else that is stored about the run. */
function DetailsTab({ page }: { page: RunPage }): JSX.Element {
  const { run, artifacts, feedback, card } = page;
  const outputs = [
    ...Object.entries(run.outputs ?? {}).map(([n, { text = '', artefacts = [] }]) => ({
      from: run.phases?.[Number(n) - 1] ?? `Phase ${n}`,
      text,
      files: artefacts,
    })),
    ...Object.entries(page.outputs).map(([from, text]) => ({ from, text })),
  ];
  return (
    <div class="stack">
      <Texts
        title="Decisions and dead ends"
        parts={(run.notes ?? []).toReversed().map(({ phase, text, by }) => ({
          from: `${phase}${by === 'model' ? ', by the model before a compaction' : ''}`,
          text,
        }))}
      />
      <Texts title="What was handed on" parts={outputs} />
      <Texts
        title="Feedback"
        parts={feedback.map(({ from, to, text, finished }) => ({
          from: `${from} → ${to}`,
          text,
          isOpen: finished !== true,
        }))}
      />
      <Table title="Context" entries={run.context ?? {}} />
      <Table title="Artifacts" entries={artifacts} />
      <p class="muted small">
        Everything that is stored: <code>holdfast show {card.run_id}</code>
      </p>
    </div>
  );
}

function Table({ title, entries }: { title: string; entries: object }): JSX.Element | null {
  const facts = Object.entries(entries).map(([name, value]) => [name, valueText(value)] as const);
  if (facts.length === 0) return null;
  return (
    <Panel title={title}>
      <Facts class="fact-table lined" facts={facts} />
    </Panel>
  );
}

type Part = { from: string; text: string; files?: string[]; isOpen?: boolean };

function Texts({ title, parts }: { title: string; parts: Part[] }): JSX.Element | null {
  if (parts.length === 0) return null;
  return (
    <Panel title={title}>
      <div class="list">
        {parts.map(({ from, text, files = [], isOpen = false }, index) => (
          <div key={index}>
            <h3>
              {from} {isOpen && <span class="tag tone-wait">open</span>}
            </h3>
            {text !== '' && <LongText text={text} />}
            {files.length > 0 && <p class="mono small">{files.join(', ')}</p>}
          </div>
        ))}
      </div>
    </Panel>
  );
}
