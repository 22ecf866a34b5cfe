import type { JSX } from 'preact';
import type { ReadingState } from '../../guidance/reading/required-reading.ts';
import type { Task } from '../../machine/machine-state.ts';
import { formatDuration } from '../../text/relative-time.ts';
import type { LoopNode, RunPage, StepNode, StepState } from '../page-data.ts';
import {
  Chevron,
  CopyButton,
  Icon,
  Lines,
  LongText,
  Mark,
  Panel,
} from './parts.tsx';
import type { IconName, Tone } from './parts.tsx';
import { asWord } from '../../text/sanitize.ts';

/** Where the run stands: its steps, what is to be done now, and what that needs. */
export function StepsTab({ page }: { page: RunPage }): JSX.Element {
  const { steps, stepsLeftOut, reading, todo, run } = page;
  return (
    <div class="columns">
      <div class="stack">
        <Panel
          title={steps.some(({ step }) => step !== null) ? 'Steps' : 'Phases'}
          aside={
            stepsLeftOut > 0 ? `${stepsLeftOut} more are not drawn` : undefined
          }
        >
          <ol class="diagram" start={steps[0]?.n ?? 1}>
            {steps.map((node) => (
              <StepItem key={node.n} node={node} />
            ))}
          </ol>
        </Panel>
      </div>
      <div class="stack column-side">
        <NowPanel page={page} />
        {reading.length > 0 && <ReadingPanel page={page} />}
        {todo !== null && <TodoPanel todo={todo} />}
        <Lines title="Key reminders" lines={run.key_reminders ?? []} />
      </div>
    </div>
  );
}

function NowPanel({ page }: { page: RunPage }): JSX.Element {
  const { card, run, step, context_action: action } = page;
  const { phase } = run;
  const isOver = card.archived || card.status === 'completed';
  const { title = '' } = page.steps.find(({ n }) => n === phase.current) ?? {};
  const progress =
    phase.total_known === false
      ? `phase ${title}`
      : (step?.progress.text ?? `phase ${phase.current} of ${phase.total}`);
  return (
    <Panel title={isOver ? 'Ended' : 'Now'}>
      {!isOver && (
        <div class="now stack">
          <p class="now-title">{title}</p>
          <p class="muted small">{progress}</p>
          {action !== null && action.state !== 'performed' && (
            <p class="notice tone-context">
              <Icon name="compress" />
              <span>
                <code>{action.command}</code> comes first:{' '}
                {action.state === 'due' ? 'it is due' : 'it was requested'}.
              </span>
            </p>
          )}
          {step !== null && <LongText text={step.instructions} lines={8} />}
        </div>
      )}
      <h3 class="muted small">{isOver ? 'Go on with it' : 'Continue'}</h3>
      {card.commands.map(({ label, command }) => (
        <Command key={command} label={label} command={command} />
      ))}
    </Panel>
  );
}

const Command = ({
  label,
  command,
}: {
  label: string;
  command: string;
}): JSX.Element => (
  <div class="command">
    <div class="muted small">{label}</div>
    <div class="command-line line box">
      <code tabIndex={0}>{command}</code>
      <CopyButton text={command} what={`the command ${command}`} />
    </div>
  </div>
);

const READING: Record<
  ReadingState,
  [word: string, icon: IconName, tone: Tone]
> = {
  in_context: ['in context', 'check', 'good'],
  host: ['loaded by Claude Code', 'check', 'good'],
  changed: ['changed since it was read', 'restore', 'wait'],
  unread: ['unread', 'dot', 'wait'],
  missing: ['missing', 'cross', 'bad'],
  outside: ['outside the project', 'block', 'bad'],
  denied: ['kept from agents by a deny rule', 'block', 'bad'],
};

function ReadingPanel({ page }: { page: RunPage }): JSX.Element {
  const { reading } = page;
  const count = reading.filter(
    ({ state }) => state === 'in_context' || state === 'host',
  ).length;
  return (
    <Panel
      title="Required reading"
      aside={`${count} of ${reading.length} in context`}
    >
      <ul class="list reading">
        {reading.map(({ path, state }) => {
          const [word, icon, tone] = READING[state];
          return (
            <li key={path}>
              <Mark icon={icon} tone={tone} />
              <span class="mono">{path.replace(/^@/, '')}</span>
              <span
                class={`small toned ${tone === 'good' ? '' : `tone-${tone}`}`}
              >
                {word}
              </span>
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}

/** More items make no readable panel. */
const MAX_TODO_ITEMS = 200;

function TodoPanel({
  todo,
}: {
  todo: NonNullable<RunPage['todo']>;
}): JSX.Element {
  const { path, items, done: finished, total } = todo;
  const current = items.find(({ done }) => !done);
  return (
    <Panel title="Todo" aside={`${finished} of ${total} done`}>
      <ul class="list todo">
        {items.slice(0, MAX_TODO_ITEMS).map(({ n, text, done }) => (
          <li key={n} class={itemClass(done, n === current?.n)}>
            <span class={done ? 'mark tone-good' : 'mark'}>
              {done && <Icon name="check" />}
            </span>
            <span>
              {done && <span class="visually-hidden">Done: </span>}
              {text}
            </span>
          </li>
        ))}
      </ul>
      {total > MAX_TODO_ITEMS && (
        <p class="muted">And {total - MAX_TODO_ITEMS} more.</p>
      )}
      <p class="muted small">
        In <code>{path}</code>
      </p>
    </Panel>
  );
}

function itemClass(isDone: boolean, isCurrent: boolean): string {
  if (isDone) return 'muted';
  return isCurrent ? 'todo-now' : '';
}

/** Shorter durations say nothing. */
const MIN_SHOWN_MS = 1_000;
const MAX_OUTPUT_CHARS = 400;

const MARKS: Record<StepState, [icon: IconName | null, word: string]> = {
  done: ['check', 'done'],
  current: ['play', 'in progress'],
  waiting: ['pause', 'waiting'],
  open: [null, 'to do'],
  skipped: ['skip', 'skipped'],
  passed: ['dash', 'passed by'],
  failed: ['cross', 'failed'],
  blocked: ['block', 'blocked'],
};

/** A step on a line from top to bottom, with everything that decides how the run moves. */
function StepItem({ node }: { node: StepNode }): JSX.Element {
  const { n, title, state, spent, step, contextBefore, loop, reason, output } =
    node;
  const [icon, word] = MARKS[state];
  const isNow = ['current', 'waiting', 'blocked', 'failed'].includes(state);
  return (
    <li
      class={`step step-${state} kind-${step?.type ?? 'phase'}`}
      aria-current={isNow ? 'step' : undefined}
    >
      {contextBefore !== null && (
        <div class="boundary small toned tone-context">
          <span class="line">
            <Icon name="compress" /> <code>/{contextBefore}</code> before this
            step
          </span>
        </div>
      )}
      <div class="step-row">
        <span class="mark">
          {icon === null ? <span>{n}</span> : <Icon name={icon} />}
        </span>
        <div class="step-body">
          <p class="step-head">
            <span class="step-title">{title}</span>
            {step !== null && step.id !== title && (
              <span class="mono muted">{step.id}</span>
            )}
            <span class="step-state small">
              {spent !== null && spent >= MIN_SHOWN_MS && (
                <span class="muted">{formatDuration(spent)} </span>
              )}
              {word}
            </span>
          </p>
          <StepFacts node={node} />
          {loop !== null && <Loop loop={loop} />}
          {reason !== null && <p class="step-note muted">{reason}</p>}
          {output.text !== undefined && (
            <p class="step-note muted">{truncated(output.text)}</p>
          )}
        </div>
      </div>
    </li>
  );
}

const truncated = (text: string): string =>
  text.length > MAX_OUTPUT_CHARS
    ? `${text.slice(0, MAX_OUTPUT_CHARS - 1)}…`
    : text;

/** Facts with these icons are code. */
const CODE = new Set<IconName>(['dash', 'loop', 'gate', 'file']);

/** A fact without a value is not shown. */
type StepFact = [
  icon: IconName,
  name: string,
  value: string | null | undefined,
];

function StepFacts({ node }: { node: StepNode }): JSX.Element | null {
  const { step, onReject, output, iteration } = node;
  const most = step?.n ?? 1;
  const iterations =
    step?.type === 'ralph' ? `${iteration ?? 0} of at most ${most}` : null;
  const files = (output.artefacts ?? []).map((path): StepFact => [
    'file',
    'File',
    path,
  ]);
  const facts: StepFact[] = [
    ['person', 'You decide', step?.type === 'approval' ? '' : null],
    ['agent', 'Agent', step?.agent],
    ['dash', 'Only when', step?.when],
    ['loop', 'Until', step?.until],
    ['loop', 'Iteration', iterations],
    ['gate', 'Gate', step?.gate],
    ['back', 'If you reject, back to', onReject],
    ['alert', 'On failure', step?.on_fail],
    ...files,
  ];
  const chips = facts.filter(([, , value]) => typeof value === 'string');
  if (chips.length === 0) return null;
  return (
    <ul class="line">
      {chips.map(([icon, name, value], index) => (
        <li key={index} class="chip">
          <Icon name={icon} />
          <span class="muted">{name}</span>
          {CODE.has(icon) ? <code>{value}</code> : <span>{value}</span>}
        </li>
      ))}
    </ul>
  );
}

/** A loop as a frame around its sub-steps, with its tasks below. */
function Loop({ loop }: { loop: LoopNode }): JSX.Element {
  const { subSteps, tasks } = loop;
  const done = tasks.filter(({ status }) => status === 'done').length;
  const current = tasks[loop.current];
  return (
    <div class="loop">
      <p class="line small muted">
        <Icon name="loop" /> for each task
      </p>
      <ol class="line">
        {subSteps.map(({ id, isCurrent }) => (
          <li
            key={id}
            class={isCurrent ? 'sub-step line sub-step-now' : 'sub-step line'}
          >
            <span class="chip">
              <strong>{id}</strong>
              {isCurrent && <span class="visually-hidden"> (now)</span>}
            </span>
          </li>
        ))}
      </ol>
      {tasks.length === 0 ? (
        <p class="muted small">It has no tasks yet.</p>
      ) : (
        <details>
          <summary class="small">
            <Chevron />
            <span>
              {done} of {tasks.length} tasks done
              {current === undefined ? '' : `, now: ${asWord(current.title)}`}
            </span>
          </summary>
          <ol class="list">
            {tasks.map(({ id, title, status }) => (
              <li key={id} class="line">
                <span class={`dot dot-${status}`} aria-hidden="true" />
                <span>{title}</span>
                <span class="muted small">{TASK_WORDS[status]}</span>
              </li>
            ))}
          </ol>
        </details>
      )}
    </div>
  );
}

const TASK_WORDS: Record<Task['status'], string> = {
  pending: 'to do',
  in_progress: 'in progress',
  done: 'done',
  failed: 'failed',
};
