import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { timeAgo } from '../../text/relative-time.ts';
import type { Wait } from '../../templates/run-view.ts';
import type { Need, RunCard } from '../run-card.ts';
import { Icon, type IconName } from './icons.tsx';

export type Tone = 'good' | 'wait' | 'bad' | 'context' | 'plain';

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
    <span class="line">
      <button type="button" class="copy line" onClick={copy} aria-label={`Copy ${what}`}>
        <Icon name={result === 'copied' ? 'check' : 'copy'} />
        <span>{result === null ? label : COPY_RESULTS[result]}</span>
      </button>
      <span class="visually-hidden" role="status">
        {result === null ? '' : COPY_RESULTS[result]}
      </span>
    </span>
  );
}

export const Command = ({ label, command }: { label?: string; command: string }): JSX.Element => (
  <div class="command">
    {label !== undefined && <div class="muted small">{label}</div>}
    <div class="command-line line box">
      <code tabIndex={0}>{command}</code>
      <CopyButton text={command} what={`the command ${command}`} />
    </div>
  </div>
);

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
export function Lines({ title, lines }: { title: string; lines: string[] }): JSX.Element | null {
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

export function Time({ at, class: name = '' }: { at: string; class?: string }): JSX.Element {
  const time = Date.parse(at);
  if (Number.isNaN(time)) return <span>at an unknown time</span>;
  return (
    <time class={name} dateTime={at} title={new Date(time).toLocaleString()}>
      {timeAgo(time, new Date())}
    </time>
  );
}

const STATUS: Record<RunCard['status'], [word: string, icon: IconName, tone: Tone]> = {
  in_progress: ['In progress', 'play', 'good'],
  paused: ['Paused', 'pause', 'wait'],
  failed: ['Failed', 'cross', 'bad'],
  completed: ['Completed', 'check', 'plain'],
  cancelled: ['Cancelled', 'block', 'plain'],
  replaced: ['Replaced', 'back', 'plain'],
};

const NEEDS: Record<Need, [string, IconName, Tone]> = {
  approval: ['Waits for your approval', 'person', 'wait'],
  failed: STATUS.failed,
  blocked: ['Blocked', 'block', 'bad'],
  holder_gone: ['Lost its session', 'plug', 'bad'],
};

const WAITS: Record<Wait['for'], [string, IconName, Tone]> = {
  approval: NEEDS.approval,
  tasks: ['Waits for tasks', 'pause', 'wait'],
  context: ['Asks for', 'pause', 'wait'],
};

export function StatusPill({ card }: { card: RunCard }): JSX.Element {
  const { status, needs, wait, ended_early: early } = card;
  const [word, icon, tone] =
    needs !== null
      ? NEEDS[needs]
      : wait !== null
        ? WAITS[wait.for]
        : early === null
          ? STATUS[status]
          : ([`Ended early at ${early.at}`, 'block', 'wait'] as const);
  return (
    <span class={`pill tone-${tone}`}>
      <Icon name={icon} />
      {word} {needs === null && wait?.for === 'context' && wait.action.command}
    </span>
  );
}

const COLOURS =
  '#0b6b5d #c2661c #5742ad #2d7fb8 #a83268 #7a8a1f #8a6d4f #4d5d8f #3d8f4e #9a3b2e'.split(' ');

/** The colour of a session, or of a section of a guidance. */
export function shareStyle(n: number): Record<string, string> {
  return { '--share': COLOURS[n % COLOURS.length] ?? '' };
}

/** An icon in a circle, or in the box of a todo item. */
export const Mark = ({ icon, tone }: { icon: IconName; tone: Tone }): JSX.Element => (
  <span class={`mark tone-${tone}`}>
    <Icon name={icon} />
  </span>
);

/** A session id as people tell sessions apart: eight characters, and always the same colour. */
export function SessionTag({ id }: { id: string }): JSX.Element {
  let hash = 7;
  for (const character of id) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 9_973;
  return (
    <span class="session muted" style={shareStyle(hash % 6)} title={`Session ${id}`}>
      {Array.from(id).slice(0, 8).join('')}
    </span>
  );
}

/** How far a run is; long runs get one bar instead of a segment for each phase. */
export function Progress({ card }: { card: RunCard }): JSX.Element | null {
  const { current, total, status, total_known: isKnown } = card.phase;
  if (isKnown === false) return null;
  const skipped = Object.keys(card.skipped).length;
  const isOver =
    card.status === 'completed' && status !== 'not_started' && card.ended_early === null;
  const isBad = status === 'blocked' || card.status === 'failed';
  const done = isOver ? current : current - 1;
  const place = isOver && done >= total ? `all ${total} phases` : `phase ${current} of ${total}`;
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

/** Text with its line breaks, folded when it is long. */
export function LongText({ text, lines = 6 }: { text: string; lines?: number }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const isLong = text.split('\n').length > lines || text.length > lines * 110;
  return (
    <div class="long-text">
      <pre class={isLong && !isOpen ? 'folded' : ''} tabIndex={isLong && isOpen ? 0 : -1}>
        {text.trimEnd()}
      </pre>
      {isLong && (
        <button type="button" class="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
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
export function ViewTitle(props: { of: string; children: ComponentChildren }): JSX.Element {
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
export function usePortion<T>(items: readonly T[], step: number): [T[], JSX.Element | null] {
  const [count, setCount] = useState(step);
  const left = items.length - count;
  const button =
    left <= 0 ? null : (
      <button type="button" class="more box" onClick={() => setCount(count + step)}>
        Show {Math.min(left, step)} more <span class="muted">of {left.toLocaleString('en')}</span>
      </button>
    );
  return [items.slice(0, count), button];
}

/** Names with their values; those without a value are left out. */
export const Facts = (props: {
  class: string;
  facts: readonly (readonly [name: string, value: ComponentChildren])[];
}): JSX.Element => (
  <dl class={props.class}>
    {props.facts
      .filter(([, value]) => value !== null)
      .map(([name, value], index) => (
        <div key={`${index} ${name}`}>
          <dt class="muted">{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);

/** A value of a hand-written file. */
export const valueText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);
