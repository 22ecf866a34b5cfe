import type { ComponentChildren, JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type {
  Action,
  Asked,
  Done,
  Refused,
  RunCard,
  RunHolder,
  RunPage,
} from '../page-data.ts';
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
      {page.mayChangeRuns && <Actions page={page} />}
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
        {seenWords(holder)} <Time at={holder.last_seen} />
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

function seenWords({ live, gone }: RunHolder): string {
  if (live) return 'seen';
  return gone ? 'gone, last seen' : 'last seen';
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
    const to = tabByKey(event.key, tab);
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

/** Arrow keys go round in a circle. */
function tabByKey(key: string, from: Tab): Tab | undefined {
  const index = TABS.indexOf(from);
  switch (key) {
    case 'ArrowRight':
      return TABS.at((index + 1) % TABS.length);
    case 'ArrowLeft':
      return TABS.at(index - 1);
    case 'Home':
      return TABS[0];
    case 'End':
      return TABS.at(-1);
    default:
      return undefined;
  }
}

/** Everything else that is stored about the run. */
function DetailsTab({ page }: { page: RunPage }): JSX.Element {
  const { run, artifacts, feedback, card, decisions } = page;
  const phaseOutputs = Object.entries(run.outputs ?? {}).map(
    ([n, { text = '', artefacts = [] }]) => ({
      from: run.phases?.[Number(n) - 1] ?? `Phase ${n}`,
      text,
      files: artefacts,
    }),
  );
  const stepOutputs = Object.entries(page.outputs).map(([from, text]) => ({
    from,
    text,
  }));
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
      <Texts
        title="What was handed on"
        parts={[...phaseOutputs, ...stepOutputs]}
      />
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
  const facts = Object.entries(entries).map(([name, value]): Fact => {
    // A hand-written file may have any value there.
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return [name, text];
  });
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

interface ActionText {
  button: string;
  effect: string;
  /** The label of what the person may write; null if there is nothing to write. */
  field: string | null;
  /** Whether they must write it. */
  isRequired: boolean;
}

const ACTIONS: Record<Action, ActionText> = {
  approve: {
    button: 'Approve',
    effect: 'The run goes on.',
    field: 'Note for later steps (optional)',
    isRequired: false,
  },
  reject: {
    button: 'Send back',
    effect: 'The work goes back with your feedback.',
    field: 'What has to change, and why',
    isRequired: true,
  },
  pause: {
    button: 'Pause',
    effect: 'No session is given the run until it is resumed.',
    field: 'Reason (optional)',
    isRequired: false,
  },
  release: {
    button: 'Release',
    effect: 'Its session lets go of the run, and another may take it.',
    field: null,
    isRequired: false,
  },
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
  const possible = possibleActs(card);
  const [asked, setAsked] = useState<{ act: PageAct; confirm: string } | null>(
    null,
  );
  const [text, setText] = useState('');
  const [result, setResult] = useState<{
    isGood: boolean;
    text: string;
  } | null>(null);

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
    const reply = await post(body);
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
              {ACTIONS[act.action].button}
            </button>
          ))}
        </div>
      ) : (
        <ConfirmForm
          action={asked.act.action}
          workflow={card.workflow}
          text={text}
          onText={setText}
          onConfirm={(event) => void confirmAct(event)}
          onCancel={() => setAsked(null)}
        />
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

function ConfirmForm(props: {
  action: Action;
  workflow: string;
  /** What the person has written. */
  text: string;
  onText: (text: string) => void;
  onConfirm: (event: Event) => void;
  onCancel: () => void;
}): JSX.Element {
  const { button, effect, field, isRequired } = ACTIONS[props.action];
  return (
    <form class="panel box stack" onSubmit={props.onConfirm}>
      <p>
        <strong>
          {button} “{props.workflow}”?
        </strong>{' '}
        {effect}
      </p>
      {field !== null && (
        <label class="stack">
          <span class="small muted">{field}</span>
          <textarea
            rows={3}
            required={isRequired}
            value={props.text}
            onInput={(event) => props.onText(event.currentTarget.value)}
          />
        </label>
      )}
      <div class="line">
        <button type="submit" class="act act-now box">
          {button} now
        </button>
        <button type="button" class="act box" onClick={props.onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}

async function post(body: string): Promise<Partial<Asked & Done & Refused>> {
  const headers = { 'Content-Type': 'application/json' };
  const sending = fetch('act', { method: 'POST', headers, body });
  const response = await sending.catch(() => null);
  return response === null ? SERVER_LOST : response.json();
}

const SERVER_LOST: Refused = {
  error: {
    code: 'lost',
    message: 'The server does not answer',
    hint: 'Nothing was changed',
  },
};
