import type { ComponentChildren, JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Action, Asked, Done, Refused } from '../answers.ts';
import type { RunCard } from '../run-card.ts';
import type { RunPage } from '../views.ts';
import { GuidanceTab } from './guidance.tsx';
import {
  CopyButton,
  Icon,
  Progress,
  SessionTag,
  StatusPill,
  Time,
  ViewTitle,
  LongText,
  Panel,
} from './parts.tsx';
import { OVERVIEW_HREF, runHref, TABS, type Tab } from './data.ts';
import { StepsTab } from './steps.tsx';
import { TimelineTab } from './timeline.tsx';

const TONES = { error: 'bad', warning: 'wait', info: 'plain' };

export function RunView({
  page,
  tab,
}: {
  page: RunPage;
  tab: Tab;
}): JSX.Element {
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
        {tab === 'guidance' && <GuidanceTab page={page} />}
        {tab === 'details' && <DetailsTab page={page} />}
      </div>
    </article>
  );
}

function RunFacts({ page }: { page: RunPage }): JSX.Element {
  const { card, run } = page;
  const { holder } = card;
  const heldBy = holder !== null && (
    <>
      {holder.live && <span class="live-dot" />} {holder.host}
      <SessionTag id={holder.session} />{' '}
      <span class="muted">
        {holder.live
          ? 'seen '
          : !holder.gone
            ? 'last seen '
            : 'gone, last seen '}
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
          ['Held by', card.archived ? null : heldBy || 'nobody'],
          ['Started', <Time key="started" at={run.created_at} />],
          ['Updated', <Time key="updated" at={card.updated_at} />],
        ]}
      />
      <Facts class="facts" facts={[['Reason', run.status_reason]]} />
      <Facts
        class="facts"
        facts={[['Left', run.ended_early?.left.join(', ')]]}
      />
    </>
  );
}

type Fact = readonly [name: string, value: ComponentChildren];

/** Names with their values; those without a value are left out. */
function Facts(props: {
  class: string;
  facts: readonly Fact[];
}): JSX.Element | null {
  const facts = props.facts.filter(
    ([, value]) => value !== null && value !== undefined,
  );
  if (facts.length === 0) return null;
  return (
    <dl class={props.class}>
      {facts.map(([name, value], index) => (
        <div key={`${index} ${name}`}>
          <dt class="muted">{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Arrow keys move between the tabs; each has an address of its own. */
function Tabs({ page, tab }: { page: RunPage; tab: Tab }): JSX.Element {
  const hrefOf = (to: Tab): string =>
    runHref(page.project.key, page.card.run_id, to);
  const list = useRef<HTMLDivElement>(null);
  const select = (event: KeyboardEvent): void => {
    const at = TABS.indexOf(tab);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[
      event.key
    ];
    const to = next === undefined ? undefined : TABS.at(next % TABS.length);
    if (to === undefined) return;
    event.preventDefault();
    location.hash = hrefOf(to);
    list.current?.querySelector<HTMLElement>(`#tab-${to}`)?.focus();
  };
  return (
    <div
      class="tabs"
      role="tablist"
      aria-label="Parts of the run"
      ref={list}
      onKeyDown={select}
    >
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
            <span class="count">
              {page.timeline.length.toLocaleString('en')}
            </span>
          )}
        </a>
      ))}
    </div>
  );
}

/** Everything else that is stored about the run. */
function DetailsTab({ page }: { page: RunPage }): JSX.Element {
  const { run, artifacts, feedback, card, decisions } = page;
  const outputs = [
    ...Object.entries(run.outputs ?? {}).map(
      ([n, { text = '', artefacts = [] }]) => ({
        from: run.phases?.[Number(n) - 1] ?? `Phase ${n}`,
        text,
        files: artefacts,
      }),
    ),
    ...Object.entries(page.outputs).map(([from, text]) => ({ from, text })),
  ];
  return (
    <div class="stack">
      <Texts
        title="Decisions and dead ends"
        parts={decisions.map(({ n, phase, text, author }) => ({
          from: [`Note ${n}`, phase, author]
            .filter((part) => part !== '')
            .join(', '),
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

function Table({
  title,
  entries,
}: {
  title: string;
  entries: object;
}): JSX.Element | null {
  const facts = Object.entries(entries).map(
    // A hand-written file may have any value there.
    ([name, value]) =>
      [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ] as const,
  );
  if (facts.length === 0) return null;
  return (
    <Panel title={title}>
      <Facts class="fact-table lined" facts={facts} />
    </Panel>
  );
}

type Part = { from: string; text: string; files?: string[]; isOpen?: boolean };

function Texts({
  title,
  parts,
}: {
  title: string;
  parts: Part[];
}): JSX.Element | null {
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

/** Each action: its button, what it does, and what the person may write; `!` if they must. */
const ACTIONS: Record<
  Action,
  [button: string, effect: string, text: string | null]
> = {
  approve: ['Approve', 'The run goes on.', 'Note for later steps (optional)'],
  reject: [
    'Send back',
    'The work goes back with your feedback.',
    'What has to change, and why!',
  ],
  pause: [
    'Pause',
    'No session is given the run until it is resumed.',
    'Reason (optional)',
  ],
  release: [
    'Release',
    'Its session lets go of the run, and another may take it.',
    null,
  ],
};

/** `wait` is what an answer is for: what is drawn when the person asks for it, whatever waits when they confirm it. */
type PageAct = { action: Action; wait?: string };

function possibleActs({ wait, archived, status, holder }: RunCard): PageAct[] {
  const acts: PageAct[] = [];
  if (wait?.for === 'approval')
    acts.push(
      { action: 'approve', wait: wait.id },
      { action: 'reject', wait: wait.id },
    );
  if (!archived && status === 'in_progress') acts.push({ action: 'pause' });
  if (holder !== null) acts.push({ action: 'release' });
  return acts;
}

/** What the person at the page can do to the run: asked for first, then confirmed. */
function Actions({ page }: { page: RunPage }): JSX.Element | null {
  const { card, project } = page;
  const [asked, setAsked] = useState<{ act: PageAct; confirm: string } | null>(
    null,
  );
  const [text, setText] = useState('');
  const [result, setResult] = useState<{
    isGood: boolean;
    text: string;
  } | null>(null);
  const possible = possibleActs(card);
  const send = async (
    act: PageAct,
    more: object,
  ): Promise<Partial<Asked & Done>> => {
    setResult(null);
    const body = JSON.stringify({
      ...act,
      project: project.key,
      id: card.run_id,
      ...more,
    });
    const headers = { 'Content-Type': 'application/json' };
    const sent = fetch('act', { method: 'POST', headers, body });
    const reply: Partial<Asked & Done & Refused> = await sent.then(
      (answer) => answer.json(),
      lost,
    );
    const { error } = reply;
    if (error !== undefined)
      setResult({ isGood: false, text: `${error.message}. ${error.hint}.` });
    return reply;
  };
  const ask = async (act: PageAct): Promise<void> => {
    const { confirm } = await send(act, {});
    setText('');
    if (confirm !== undefined) setAsked({ act, confirm });
  };
  const confirmAct = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (asked === null) return;
    const { done } = await send(asked.act, { text, confirm: asked.confirm });
    setAsked(null);
    if (done !== undefined) setResult({ isGood: true, text: done.join(' ') });
  };
  if (possible.length === 0 && result === null) return null;
  const [button, effect, label] = ACTIONS[asked?.act.action ?? 'release'];
  return (
    <section class="actions stack" aria-label="Act on this run">
      {asked === null ? (
        <div class="line">
          {possible.map((act) => (
            <button
              key={act.action}
              type="button"
              class="act box"
              onClick={() => void ask(act)}
            >
              {ACTIONS[act.action][0]}
            </button>
          ))}
        </div>
      ) : (
        <form
          class="panel box stack"
          onSubmit={(event) => void confirmAct(event)}
        >
          <p>
            <strong>
              {button} “{card.workflow}”?
            </strong>{' '}
            {effect}
          </p>
          {label !== null && (
            <label class="stack">
              <span class="small muted">{label.replace('!', '')}</span>
              <textarea
                rows={3}
                required={label.endsWith('!')}
                value={text}
                onInput={(event) => setText(event.currentTarget.value)}
              />
            </label>
          )}
          <div class="line">
            <button type="submit" class="act act-now box">
              {button} now
            </button>
            <button
              type="button"
              class="act box"
              onClick={() => setAsked(null)}
            >
              Cancel
            </button>
          </div>
        </form>
      )}
      <p
        class={
          result === null ? '' : `notice tone-${result.isGood ? 'good' : 'bad'}`
        }
        role="status"
      >
        {result?.text}
      </p>
    </section>
  );
}

const lost = (): Refused => ({
  error: {
    code: 'lost',
    message: 'The server does not answer',
    hint: 'Nothing was changed',
  },
});
