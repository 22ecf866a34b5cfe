import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { timeAgo } from '../../util/relative-time.ts';
import type { Fact } from '../model/types/fact.ts';
import type { Overview, RunCard } from '../model/types/overview.ts';
import type { Note } from '../model/types/run.ts';
import { Icon, type IconName } from './icons.tsx';

const COPY_RESULTS = { copied: 'Copied', failed: 'Select and copy it' };

/** Copies a command. Nothing on the page runs one. */
export function CopyButton(props: { text: string; what: string; label?: string }): JSX.Element {
  const { text, what, label = '' } = props;
  const [result, setResult] = useState<'copied' | 'failed' | null>(null);
  useEffect(() => {
    if (result === null) return undefined;
    const timer = setTimeout(() => setResult(null), 2_000);
    return () => clearTimeout(timer);
  }, [result]);
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setResult('copied'),
      () => setResult('failed'),
    );
  };
  return (
    <span class="copy-place">
      <button type="button" class="copy" onClick={copy} aria-label={`Copy ${what}`}>
        <Icon name={result === 'copied' ? 'check' : 'copy'} />
        <span class="copy-word">{result === null ? label : COPY_RESULTS[result]}</span>
      </button>
      <span class="visually-hidden" role="status">
        {result === null ? '' : COPY_RESULTS[result]}
      </span>
    </span>
  );
}

export function Command({ label, command }: { label?: string; command: string }): JSX.Element {
  return (
    <div class="command">
      {label !== undefined && <span class="command-label">{label}</span>}
      <div class="command-line">
        <code tabIndex={0}>{command}</code>
        <CopyButton text={command} what={`the command ${command}`} />
      </div>
    </div>
  );
}

export function Panel(props: {
  title: string;
  aside?: ComponentChildren;
  children: ComponentChildren;
}): JSX.Element {
  const { title, aside, children } = props;
  return (
    <section class="panel" aria-label={title}>
      <header class="panel-head">
        <h2>{title}</h2>
        {aside !== undefined && <div class="panel-aside">{aside}</div>}
      </header>
      {children}
    </section>
  );
}

export function Notice({ tone, text }: Note): JSX.Element {
  return (
    <p class={`notice notice-${tone}`} role={tone === 'error' ? 'alert' : 'note'}>
      <Icon name={tone === 'info' ? 'flag' : 'alert'} />
      <span>{text}</span>
    </p>
  );
}

export function Time({ at, now }: { at: string | null; now: Date }): JSX.Element {
  const time = Date.parse(at ?? '');
  if (at === null || Number.isNaN(time)) return <span>at an unknown time</span>;
  return (
    <time dateTime={at} title={new Date(time).toLocaleString()}>
      {timeAgo(time, now)}
    </time>
  );
}

const STATUS: Record<RunCard['status'], { word: string; icon: IconName }> = {
  in_progress: { word: 'In progress', icon: 'play' },
  paused: { word: 'Paused', icon: 'pause' },
  failed: { word: 'Failed', icon: 'cross' },
  completed: { word: 'Completed', icon: 'check' },
  cancelled: { word: 'Cancelled', icon: 'block' },
};

const WAITS: Record<NonNullable<RunCard['waitsFor']>, string> = {
  approval: 'Waits for your approval',
  tasks: 'Waits for tasks',
  '/compact': 'Asks for /compact',
  '/clear': 'Asks for /clear',
  unblocking: 'Blocked',
};

export function StatusPill({ card }: { card: RunCard }): JSX.Element {
  const { status, waitsFor } = card;
  if (waitsFor !== null)
    return (
      <span class={`pill pill-${waitsFor === 'unblocking' ? 'bad' : 'wait'}`}>
        <Icon
          name={waitsFor === 'unblocking' ? 'block' : waitsFor === 'approval' ? 'person' : 'pause'}
        />
        {WAITS[waitsFor]}
      </span>
    );
  const { word, icon } = STATUS[status];
  return (
    <span class={`pill pill-${status}`}>
      <Icon name={icon} />
      {word}
    </span>
  );
}

/** A session id as people tell sessions apart: eight characters, and always the same colour. */
export function SessionTag({ id }: { id: string }): JSX.Element {
  return (
    <span class={`session session-${hashOf(id) % 6}`} title={`Session ${id}`}>
      {Array.from(id).slice(0, 8).join('')}
    </span>
  );
}

function hashOf(text: string): number {
  let hash = 7;
  for (const character of text) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 9_973;
  return hash;
}

/** How far a run is; long runs get one bar instead of a segment for each phase. */
export function Progress({ card }: { card: RunCard }): JSX.Element | null {
  const { current, total, status, isCounted } = card.phase;
  if (!isCounted) return null;
  const isOver = card.status === 'completed' && status !== 'not_started';
  const done = isOver ? current : Math.max(0, current - 1);
  const label = done >= total ? `all ${total} phases` : `phase ${current} of ${total}`;
  if (total > 24)
    return (
      <div class="progress" role="img" aria-label={label}>
        <span class="segment segment-whole">
          <span class="segment-fill" style={{ width: `${Math.min(100, (100 * done) / total)}%` }} />
        </span>
      </div>
    );
  return (
    <div class="progress" role="img" aria-label={label}>
      {Array.from({ length: total }, (_, index) => {
        const n = index + 1;
        const state =
          n <= done ? 'done' : n === current ? (status === 'blocked' ? 'bad' : 'now') : 'open';
        return <span key={n} class={`segment segment-${state}`} />;
      })}
    </div>
  );
}

/** Shows whether a part is open; the browser's own triangle cannot be placed. */
export function Chevron(): JSX.Element {
  return (
    <span class="chevron">
      <Icon name="right" />
    </span>
  );
}

/** Text with its line breaks, folded when it is long. */
export function LongText({ text, lines = 6 }: { text: string; lines?: number }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const isLong = text.split('\n').length > lines || text.length > lines * 110;
  return (
    <div class="long-text">
      <pre class={isLong && !isOpen ? 'folded' : ''} tabIndex={isLong && isOpen ? 0 : -1}>
        {text}
      </pre>
      {isLong && (
        <button type="button" class="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
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
export function ViewTitle({
  children,
  of,
}: {
  children: ComponentChildren;
  of: string;
}): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!hasNavigated) return;
    heading.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [of]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}

export function MoreButton(props: {
  left: number;
  step: number;
  onMore: () => void;
}): JSX.Element | null {
  const { left, step, onMore } = props;
  if (left <= 0) return null;
  return (
    <button type="button" class="more" onClick={onMore}>
      Show {Math.min(left, step)} more <span class="muted">of {left.toLocaleString('en')}</span>
    </button>
  );
}

export function FactList(props: { class: string; facts: readonly Fact[] }): JSX.Element {
  return (
    <dl class={props.class}>
      {props.facts.map(({ name, value }) => (
        <div key={`${name} ${value}`}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Workflows that have no state file yet. */
export function DetectedList({ detected }: Pick<Overview, 'detected'>): JSX.Element {
  return (
    <ul class="plain-list">
      {detected.map(({ workflow, phase, source }) => (
        <li key={`${workflow} ${source}`}>
          <strong>{workflow}</strong>{' '}
          <span class="muted">
            phase {phase}, in {source}
          </span>
        </li>
      ))}
    </ul>
  );
}
