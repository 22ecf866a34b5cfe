import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { timeAgo } from '../../text/relative-time.ts';
import type { Wait } from '../../state/progress.ts';
import type { Need, RunCard } from '../page-data.ts';
import { asWord } from '../../text/sanitize.ts';

export type Tone = 'good' | 'wait' | 'bad' | 'context' | 'plain';

/** How long a button says that it has copied. */
const COPIED_FOR_MS = 2_000;

/** Copies a command. Nothing on the page runs one. */
export function CopyButton(props: {
  text: string;
  what: string;
  label?: string;
}): JSX.Element {
  const { text, what, label = '' } = props;
  const [result, setResult] = useState('');
  useEffect(() => {
    if (result === '') return undefined;
    const timer = setTimeout(() => setResult(''), COPIED_FOR_MS);
    return () => clearTimeout(timer);
  }, [result]);
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setResult('Copied'),
      () => setResult('Select and copy it'),
    );
  };
  return (
    <span class="line">
      <button
        type="button"
        class="copy line"
        onClick={copy}
        aria-label={`Copy ${what}`}
      >
        <Icon name={result === 'Copied' ? 'check' : 'copy'} />
        <span>{result || label}</span>
      </button>
      <span class="visually-hidden" role="status">
        {result}
      </span>
    </span>
  );
}

export function Panel(props: {
  title: string;
  aside?: ComponentChildren;
  children: ComponentChildren;
}): JSX.Element {
  const { title, aside, children } = props;
  return (
    <section class="panel box" aria-label={title}>
      <header class="panel-head split">
        <h2>{title}</h2>
        {aside !== undefined && <div class="muted small">{aside}</div>}
      </header>
      {children}
    </section>
  );
}

/** A panel with a line for each text; none without any. */
export function Lines({
  title,
  lines,
}: {
  title: string;
  lines: string[];
}): JSX.Element | null {
  if (lines.length === 0) return null;
  return (
    <Panel title={title}>
      <ul class="list">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </Panel>
  );
}

export function Time({
  at,
  class: name = '',
}: {
  at: string;
  class?: string;
}): JSX.Element {
  const time = Date.parse(at);
  if (Number.isNaN(time)) return <span>at an unknown time</span>;
  return (
    <time class={name} dateTime={at} title={new Date(time).toLocaleString()}>
      {timeAgo(time, new Date())}
    </time>
  );
}

type Pill = readonly [words: string, icon: IconName, tone: Tone];

const STATUS: Record<RunCard['status'], Pill> = {
  in_progress: ['In progress', 'play', 'good'],
  paused: ['Paused', 'pause', 'wait'],
  failed: ['Failed', 'cross', 'bad'],
  completed: ['Completed', 'check', 'plain'],
  cancelled: ['Cancelled', 'block', 'plain'],
  replaced: ['Replaced', 'back', 'plain'],
};

const NEEDS: Record<Need, Pill> = {
  approval: ['Waits for your approval', 'person', 'wait'],
  word: ['Waits for your word', 'person', 'wait'],
  failed: STATUS.failed,
  blocked: ['Blocked', 'block', 'bad'],
  holder_gone: ['Lost its session', 'plug', 'bad'],
};

const WAITS: Record<Wait['for'], Pill> = {
  approval: NEEDS.approval,
  tasks: ['Waits for tasks', 'pause', 'wait'],
  context: ['Asks for', 'pause', 'wait'],
};

export function StatusPill({ card }: { card: RunCard }): JSX.Element {
  const { needs, wait } = card;
  const [words, icon, tone] = pillOf(card);
  return (
    <span class={`pill tone-${tone}`}>
      <Icon name={icon} />
      {words} {needs === null && wait?.for === 'context' && wait.action.command}
    </span>
  );
}

/** What matters most to a person comes first. */
function pillOf({ needs, wait, ended_early: early, status }: RunCard): Pill {
  if (needs !== null) return NEEDS[needs];
  if (wait !== null) return WAITS[wait.for];
  if (early === null) return STATUS[status];
  return [`Ended early at ${asWord(early.at)}`, 'block', 'wait'];
}

const COLOURS = [
  '#0b6b5d',
  '#c2661c',
  '#5742ad',
  '#2d7fb8',
  '#a83268',
  '#7a8a1f',
  '#8a6d4f',
  '#4d5d8f',
  '#3d8f4e',
  '#9a3b2e',
];

/** Sessions have one of the first colours, which are the easiest to tell apart. */
const SESSION_COLOURS = 6;
const SESSION_TAG_CHARS = 8;

/** The colour of a session, or of a section of a guidance. */
export const shareStyle = (n: number): Record<string, string> => ({
  '--share': COLOURS[n % COLOURS.length] ?? '',
});

/** An icon in a circle, or in the box of a todo item. */
export const Mark = ({
  icon,
  tone,
}: {
  icon: IconName;
  tone: Tone;
}): JSX.Element => (
  <span class={`mark tone-${tone}`}>
    <Icon name={icon} />
  </span>
);

/** A session id as people tell sessions apart: eight characters, and always the same colour. */
export function SessionTag({ id }: { id: string }): JSX.Element {
  let hash = 7;
  for (const character of id)
    hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 9_973;
  return (
    <span
      class="session muted"
      style={shareStyle(hash % SESSION_COLOURS)}
      title={`Session ${id}`}
    >
      {Array.from(id).slice(0, SESSION_TAG_CHARS).join('')}
    </span>
  );
}

/** How far a run is; long runs get one bar instead of a segment for each phase. */
export function Progress({ card }: { card: RunCard }): JSX.Element | null {
  const { current, total, status, total_known: isKnown } = card.phase;
  if (isKnown === false) return null;
  const skipped = Object.keys(card.skipped).length;
  const hasReachedEnd =
    card.status === 'completed' &&
    status !== 'not_started' &&
    card.ended_early === null;
  const isBad = status === 'blocked' || card.status === 'failed';
  const done = hasReachedEnd ? current : current - 1;
  const place =
    hasReachedEnd && done >= total
      ? `all ${total} phases`
      : `phase ${current} of ${total}`;
  const label = skipped === 0 ? place : `${place}, ${skipped} skipped`;
  return (
    <div class="progress" role="img" aria-label={label}>
      {card.phases.length === 0 ? (
        <span class="segment">
          <span style={{ width: `${Math.min(100, (100 * done) / total)}%` }} />
        </span>
      ) : (
        card.phases.map((state, index) => (
          <span
            key={index}
            class={`segment segment-${state === 'current' && isBad ? 'bad' : state}`}
          />
        ))
      )}
    </div>
  );
}

/** Shows whether a part is open; the browser's own triangle cannot be placed. */
export const Chevron = (): JSX.Element => (
  <span class="chevron muted">
    <Icon name="right" />
  </span>
);

/** About as many characters as a line of the page holds. */
const LINE_CHARS = 110;

/** Text with its line breaks, folded when it is long. */
export function LongText({
  text,
  lines = 6,
}: {
  text: string;
  lines?: number;
}): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const isLong =
    text.split('\n').length > lines || text.length > lines * LINE_CHARS;
  return (
    <div class="long-text">
      <pre
        class={isLong && !isOpen ? 'folded' : ''}
        tabIndex={isLong && isOpen ? 0 : -1}
      >
        {text.trimEnd()}
      </pre>
      {isLong && (
        <button
          type="button"
          class="small"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? 'Show less' : 'Show all'}
        </button>
      )}
    </div>
  );
}

let hasNavigated = false;
addEventListener('hashchange', () => {
  hasNavigated = true;
});

/** The heading of a view gets the focus when the view changes, so that a screen reader starts there. */
export function ViewTitle(props: {
  of: string;
  children: ComponentChildren;
}): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!hasNavigated) return;
    heading.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [props.of]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {props.children}
    </h1>
  );
}

/** The first items of a list, and a button for as many more. */
export function usePortion<T>(
  items: readonly T[],
  step: number,
): [T[], JSX.Element | null] {
  const [count, setCount] = useState(step);
  const left = items.length - count;
  const button =
    left <= 0 ? null : (
      <button
        type="button"
        class="more box"
        onClick={() => setCount(count + step)}
      >
        Show {Math.min(left, step)} more{' '}
        <span class="muted">of {left.toLocaleString('en')}</span>
      </button>
    );
  return [items.slice(0, count), button];
}

/** Drawn on a grid of 16, with the colour of the text around them. */
const PATHS = {
  check: 'M3.5 8.5l3 3 6-7',
  play: 'M5.5 3.8v8.4l6.5-4.2z',
  skip: 'M3 4l5 4-5 4zM9 4l5 4-5 4z',
  dash: 'M4 8h8',
  cross: 'M4.5 4.5l7 7M11.5 4.5l-7 7',
  pause: 'M5.5 4v8M10.5 4v8',
  block: 'M8 2.5a5.5 5.5 0 110 11 5.5 5.5 0 010-11zM4.2 4.2l7.6 7.6',
  person:
    'M8 8a2.6 2.6 0 100-5.2A2.6 2.6 0 008 8zM3 13.5c.5-2.6 2.5-4 5-4s4.5 1.4 5 4',
  loop: 'M12.5 6.5A5 5 0 003.4 6M3.5 9.5A5 5 0 0012.6 10M12.6 3v3.5H9.1M3.4 13V9.5h3.5',
  gate: 'M8 2l6 6-6 6-6-6z',
  compress: 'M3 6l5-3 5 3M3 10l5 3 5-3M4 8h8',
  restore: 'M3 8a5 5 0 105-5M3 3v3.5h3.5M8 5.5V8l2 1.5',
  book: 'M8 4.5C6.5 3.3 4.5 3 2.5 3v9.5c2 0 4 .3 5.5 1.5 1.5-1.2 3.5-1.5 5.5-1.5V3c-2 0-4 .3-5.5 1.5zM8 4.5V14',
  back: 'M6.5 4L3 7.5 6.5 11M3.5 7.5H10a3 3 0 013 3V12',
  alert: 'M8 2.5l6 10.5H2zM8 6.5v3M8 11.2v.1',
  plug: 'M5.5 2.5v3M10.5 2.5v3M3.5 5.5h9v2a4.5 4.5 0 01-9 0zM8 12v2',
  coin: 'M8 2.5a5.5 5.5 0 110 11 5.5 5.5 0 010-11zM9.8 6.2C9.4 5.5 8.8 5.3 8 5.3c-1 0-1.8.5-1.8 1.3 0 2 3.7.9 3.7 2.8 0 .8-.8 1.3-1.9 1.3-.9 0-1.6-.3-2-1M8 4.3v1M8 10.7v1',
  dot: 'M8 6.4a1.6 1.6 0 110 3.2 1.6 1.6 0 010-3.2z',
  right: 'M6 3.5L10.5 8 6 12.5',
  copy: 'M5.5 5.5V3.3c0-.4.4-.8.8-.8h6.4c.4 0 .8.4.8.8v6.4c0 .4-.4.8-.8.8h-2.2M3.3 5.5h6.4c.4 0 .8.4.8.8v6.4c0 .4-.4.8-.8.8H3.3c-.4 0-.8-.4-.8-.8V6.3c0-.4.4-.8.8-.8z',
  search: 'M7 2.5a4.5 4.5 0 110 9 4.5 4.5 0 010-9zM10.4 10.4l3.1 3.1',
  left: 'M9.5 3.5L5 8l4.5 4.5',
  file: 'M4 2.5h5l3 3v8H4zM9 2.5v3h3',
  flag: 'M4 14V2.5M4 3h8l-2 2.8L12 8.5H4',
  agent: 'M4 6h8v6.5H4zM8 3v3M6.5 8.5v1.5M9.5 8.5v1.5',
} as const;

export type IconName = keyof typeof PATHS;

export const Icon = ({ name }: { name: IconName }): JSX.Element => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    <path d={PATHS[name]} />
  </svg>
);

export const Logo = (): JSX.Element => (
  <svg class="logo" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <rect width="24" height="24" rx="6.5" />
    <path d="M12 5v14M6.5 12.5c0 4 2.2 6.5 5.5 6.5s5.5-2.5 5.5-6.5M9 8.5h6" />
  </svg>
);
