import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Overview, RunCard } from '../model/types/overview.ts';
import { EmptyView } from './empty.tsx';
import { Icon } from './icons.tsx';
import {
  CopyButton,
  DetectedList,
  MoreButton,
  Panel,
  Progress,
  SessionTag,
  StatusPill,
  Time,
  ViewTitle,
} from './parts.tsx';
import { runHref } from './route.ts';

const CARDS_AT_ONCE = 48;
const ROWS_AT_ONCE = 50;

export function OverviewView({ overview, now }: { overview: Overview; now: Date }): JSX.Element {
  const [search, setSearch] = useState('');
  const { project, active, stopped, archived } = overview;
  const matches = matcher(search);
  const found = {
    active: active.filter(matches),
    stopped: stopped.filter(matches),
    archived: archived.filter(matches),
  };
  const total = active.length + stopped.length + archived.length;
  const foundTotal = found.active.length + found.stopped.length + found.archived.length;
  return (
    <div class="overview">
      <div class="view-head">
        <div>
          <ViewTitle of="overview">{project.name}</ViewTitle>
          <p class="path">{project.root}</p>
        </div>
        {total > 0 && <SearchField value={search} onChange={setSearch} />}
      </div>
      <Problems overview={overview} />
      {total === 0 ? (
        <EmptyView overview={overview} />
      ) : (
        <>
          <p class="visually-hidden" role="status">
            {search === '' ? '' : `${foundTotal} of ${total} runs match`}
          </p>
          <Detected overview={overview} />
          {search === '' && active.length === 0 && <NothingActive />}
          <Cards title="In progress" runs={found.active} now={now} />
          <Cards title="Stopped" runs={found.stopped} now={now} />
          <Archive runs={found.archived} now={now} leftOut={overview.archivedLeftOut} />
          {search !== '' && foundTotal === 0 && <p class="nothing">No run matches “{search}”.</p>}
        </>
      )}
    </div>
  );
}

/** Every word must occur in the name, the id, the template or the phase. */
function matcher(search: string): (card: RunCard) => boolean {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return ({ workflow, id, template, phase, status }) => {
    const text =
      `${workflow} ${id} ${template ?? ''} ${phase.name} ${status.replaceAll('_', ' ')}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
}

function SearchField(props: { value: string; onChange: (value: string) => void }): JSX.Element {
  const { value, onChange } = props;
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focusOnSlash = (event: KeyboardEvent): void => {
      const isTyping = document.activeElement instanceof HTMLInputElement;
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener('keydown', focusOnSlash);
    return () => removeEventListener('keydown', focusOnSlash);
  }, []);
  return (
    <label class="search">
      <Icon name="search" />
      <span class="visually-hidden">Search runs</span>
      <input
        ref={input}
        type="search"
        placeholder="Search runs"
        autocomplete="off"
        spellcheck={false}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onChange('');
        }}
      />
      <kbd aria-hidden="true">/</kbd>
    </label>
  );
}

function Cards(props: { title: string; runs: RunCard[]; now: Date }): JSX.Element | null {
  const { title, runs, now } = props;
  const [count, setCount] = useState(CARDS_AT_ONCE);
  if (runs.length === 0) return null;
  return (
    <section class="group" aria-label={title}>
      <h2>
        {title} <span class="count">{runs.length.toLocaleString('en')}</span>
      </h2>
      <ul class="cards">
        {runs.slice(0, count).map((card) => (
          <Card key={card.id} card={card} now={now} />
        ))}
      </ul>
      <MoreButton
        left={runs.length - count}
        step={CARDS_AT_ONCE}
        onMore={() => setCount(count + CARDS_AT_ONCE)}
      />
    </section>
  );
}

function Card({ card, now }: { card: RunCard; now: Date }): JSX.Element {
  const { id, workflow, template, phase, holder, updatedAt, status, command } = card;
  return (
    <li class={`card card-${status}`}>
      <div class="card-top">
        <StatusPill card={card} />
        <span class="muted small">
          <Time at={updatedAt} now={now} />
        </span>
      </div>
      <h3>
        <a class="card-link" href={runHref(id)}>
          {workflow}
        </a>
      </h3>
      <p class="card-phase">
        {phase.isCounted && (
          <span class="phase-count">
            {phase.current}/{phase.total}
          </span>
        )}{' '}
        {phase.name}
        {template !== null && <span class="tag">{template}</span>}
      </p>
      <Progress card={card} />
      <div class="card-foot">
        <span class="card-facts">
          {holder !== null && holder.isLive && (
            <span class="holder">
              <span class="live-dot" /> <SessionTag id={holder.session} />
            </span>
          )}
        </span>
        <CopyButton
          text={command}
          what={`command that continues ${workflow}`}
          label="Copy command"
        />
      </div>
    </li>
  );
}

function Archive(props: { runs: RunCard[]; now: Date; leftOut: number }): JSX.Element | null {
  const { runs, now, leftOut } = props;
  const [count, setCount] = useState(ROWS_AT_ONCE);
  if (runs.length === 0) return null;
  return (
    <section class="group" aria-label="Archive">
      <h2>
        Archive <span class="count">{runs.length.toLocaleString('en')}</span>
      </h2>
      <ul class="rows">
        {runs.slice(0, count).map((card) => (
          <li key={card.id} class="row">
            <StatusPill card={card} />
            <a class="card-link" href={runHref(card.id)}>
              {card.workflow}
            </a>
            <span class="row-phase muted">
              {card.phase.isCounted && `${card.phase.current}/${card.phase.total} `}
              {card.phase.name}
            </span>
            <span class="muted small">
              <Time at={card.updatedAt} now={now} />
            </span>
          </li>
        ))}
      </ul>
      <MoreButton
        left={runs.length - count}
        step={ROWS_AT_ONCE}
        onMore={() => setCount(count + ROWS_AT_ONCE)}
      />
      {leftOut > 0 && (
        <p class="muted">
          {leftOut.toLocaleString('en')} older runs are not listed here.{' '}
          <code>holdfast list --all</code> lists them.
        </p>
      )}
    </section>
  );
}

function NothingActive(): JSX.Element {
  return (
    <p class="nothing">
      Nothing is in progress. Start a run with <code>holdfast start</code>, or continue one below.
    </p>
  );
}

function Detected({ overview }: { overview: Overview }): JSX.Element | null {
  const { detected } = overview;
  if (detected.length === 0) return null;
  return (
    <Panel title="Found in your files">
      <p class="muted">These workflows get a state file at the next compaction.</p>
      <DetectedList detected={detected} />
    </Panel>
  );
}

function Problems({ overview }: { overview: Overview }): JSX.Element | null {
  const { problems } = overview;
  if (problems.length === 0) return null;
  return (
    <section class="notice notice-warning" aria-label="Files that cannot be read">
      <Icon name="alert" />
      <div>
        <strong>
          {problems.length === 1
            ? 'One file is not a usable run.'
            : `${problems.length} files are not usable runs.`}
        </strong>{' '}
        All other runs are shown.
        <ul class="plain-list">
          {problems.slice(0, 20).map(({ path, why, fix }) => (
            <li key={path}>
              <code>{path}</code>: {why}. <span>{fix}</span>
            </li>
          ))}
        </ul>
        {problems.length > 20 && <p>And {problems.length - 20} more.</p>}
      </div>
    </section>
  );
}
