import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Overview, ShownRun } from '../page-data.ts';
import {
  CopyButton,
  Icon,
  Panel,
  Progress,
  SessionTag,
  StatusPill,
  Time,
  usePortion,
  ViewTitle,
} from './parts.tsx';
import { runHref } from './data.ts';
import { asWord } from '../../text/sanitize.ts';

export function OverviewView({
  overview,
}: {
  overview: Overview;
}): JSX.Element {
  const [search, setSearch] = useState('');
  const { project, runs, detected, unusable } = overview;
  const found = runs.filter((card) => matches(card, search));
  return (
    <div class="overview">
      <div class="view-head split">
        <div>
          <ViewTitle of="overview">{project.name}</ViewTitle>
          {project.root !== '' && <p class="mono muted">{project.root}</p>}
        </div>
        {runs.length > 0 && <SearchField value={search} onChange={setSearch} />}
      </div>
      {unusable > 0 && (
        <p class="notice tone-wait">
          <Icon name="alert" />
          <span>
            <strong>
              {unusable === 1
                ? 'One file is not a usable run.'
                : `${unusable} files are not usable runs.`}
            </strong>{' '}
            <code>holdfast doctor</code> says what is wrong.
          </span>
        </p>
      )}
      {detected.length > 0 && (
        <Panel title="Found in your files">
          <p class="muted">
            These workflows get a state file at the next compaction.
          </p>
          <ul class="list">
            {detected.map(({ workflow, phase, source }) => (
              <li key={`${workflow} ${source}`}>
                <strong>{workflow}</strong>{' '}
                <span class="muted">
                  phase {phase}, in {asWord(source)}
                </span>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {runs.length === 0 ? (
        <div class="lead stack">
          <h2>No runs here yet</h2>
          <p class="muted">
            <code>holdfast init</code> installs the hooks. A run starts with{' '}
            <code>
              holdfast start "User Auth" --phases "Design,Build,Review"
            </code>
            , or from a template with{' '}
            <code>
              holdfast start --template feature "log in with a magic link"
            </code>
            .
          </p>
        </div>
      ) : (
        <>
          <p class="visually-hidden" role="status">
            {search === ''
              ? ''
              : `${found.length} of ${runs.length} runs match`}
          </p>
          {search === '' &&
            !runs.some(({ status }) => status === 'in_progress') && (
              <p class="nothing muted">
                Nothing is in progress. Start a run with{' '}
                <code>holdfast start</code>, or continue one below.
              </p>
            )}
          {GROUPS.map((title) => (
            <Group
              key={title}
              title={title}
              runs={found.filter((card) => groupOf(card) === title)}
            />
          ))}
          {found.length === 0 && (
            <p class="nothing muted">No run matches “{search}”.</p>
          )}
        </>
      )}
    </div>
  );
}

/** Runs that need a person come first. */
const GROUPS = ['Needs you', 'In progress', 'Stopped', 'Archive'] as const;

function groupOf({
  needs,
  archived,
  status,
}: ShownRun): (typeof GROUPS)[number] {
  if (archived) return 'Archive';
  if (needs !== null) return 'Needs you';
  return status === 'in_progress' ? 'In progress' : 'Stopped';
}

/** Every word must occur in the name, the id, the template, the project or the phase. */
function matches(card: ShownRun, search: string): boolean {
  const text = [
    card.workflow,
    card.run_id,
    card.template,
    card.phase.name,
    card.status.replaceAll('_', ' '),
    card.project?.name,
  ]
    .join(' ')
    .toLowerCase();
  const words = search.toLowerCase().split(/\s+/);
  return words.every((word) => text.includes(word));
}

/** How many cards a group shows at first, and with each click on its button. */
const CARDS_AT_ONCE = 48;

function SearchField(props: {
  value: string;
  onChange: (value: string) => void;
}): JSX.Element {
  const { value, onChange } = props;
  return (
    <label class="search">
      <Icon name="search" />
      <span class="visually-hidden">Search runs</span>
      <input
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
    </label>
  );
}

function Group({
  title,
  runs,
}: {
  title: string;
  runs: ShownRun[];
}): JSX.Element | null {
  const [shown, more] = usePortion(runs, CARDS_AT_ONCE);
  if (runs.length === 0) return null;
  return (
    <section class="group" aria-label={title}>
      <h2 class="line">
        {title} <span class="count">{runs.length.toLocaleString('en')}</span>
      </h2>
      <ul class="cards">
        {shown.map((card) => {
          const href = runHref(card.project?.key ?? 'runs', card.run_id);
          return <Card key={href} card={card} href={href} />;
        })}
      </ul>
      {more}
    </section>
  );
}

function Card({ card, href }: { card: ShownRun; href: string }): JSX.Element {
  const { workflow, template, holder, commands, project, phase } = card;
  const { current, total, name, line, total_known: isKnown } = phase;
  return (
    <li class="card box">
      <div class="split">
        <StatusPill card={card} />
        <Time class="muted small" at={card.updated_at} />
      </div>
      {project !== undefined && (
        <p class="muted small" title={project.root}>
          {project.name}
        </p>
      )}
      <h3>
        <a class="card-link" href={href}>
          {workflow}
        </a>
      </h3>
      <p class="muted">
        {isKnown === false ? (line ?? name) : `${current}/${total} ${name}`}
        {template !== null && <span class="tag">{template}</span>}
      </p>
      <Progress card={card} />
      <div class="split">
        <span class="line">
          {holder?.live === true && (
            <>
              <span class="live-dot" /> {holder.host}
              <SessionTag id={holder.session} />
              <span class="muted small">
                seen <Time at={holder.last_seen} />
                {holder.fill !== null && `, context ${holder.fill} % full`}
              </span>
            </>
          )}
        </span>
        <CopyButton
          text={commands[0].command}
          what={`command that continues ${workflow}`}
          label="Copy command"
        />
      </div>
    </li>
  );
}
