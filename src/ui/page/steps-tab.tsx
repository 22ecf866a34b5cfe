import type { JSX } from 'preact';
import type { ReadingFile, RunPage, TodoFacts } from '../model/types/run.ts';
import { Icon, type IconName } from './icons.tsx';
import { Command, LongText, Panel } from './parts.tsx';
import { StepDiagram } from './steps.tsx';

/** Where the run stands: its steps, what is to be done now, and what that needs. */
export function StepsTab({ page }: { page: RunPage }): JSX.Element {
  const { steps, stepsLeftOut, reading, todo, reminders } = page;
  return (
    <div class="columns">
      <div class="column-main">
        <Panel
          title={steps.some(({ kind }) => kind !== 'phase') ? 'Steps' : 'Phases'}
          aside={stepsLeftOut > 0 ? `${stepsLeftOut} more are not drawn` : undefined}
        >
          <StepDiagram steps={steps} />
        </Panel>
      </div>
      <div class="column-side">
        <NowPanel page={page} />
        {reading.length > 0 && <ReadingPanel page={page} />}
        {todo !== null && <TodoPanel todo={todo} />}
        {reminders.length > 0 && (
          <Panel title="Key reminders">
            <ul class="reminders">
              {reminders.map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          </Panel>
        )}
      </div>
    </div>
  );
}

function NowPanel({ page }: { page: RunPage }): JSX.Element {
  const { now, commands, card } = page;
  const isOver = card.isArchived || card.status === 'completed';
  return (
    <Panel title={isOver ? 'Ended' : 'Now'}>
      {now !== null && !isOver && (
        <div class="now">
          <p class="now-title">{now.title}</p>
          <p class="now-progress">{now.progress}</p>
          {now.agent !== null && (
            <p class="muted">
              <Icon name="agent" /> for the agent {now.agent}
            </p>
          )}
          {now.contextAction !== null && now.contextAction.state !== 'performed' && (
            <p class="context-note">
              <Icon name="compress" />
              <span>
                <code>{now.contextAction.command}</code> comes first:{' '}
                {now.contextAction.state === 'due' ? 'it is due' : 'it was requested'}.
              </span>
            </p>
          )}
          {now.instructions !== '' && <LongText text={now.instructions} lines={8} />}
        </div>
      )}
      <div class="commands">
        <h3>{isOver ? 'Go on with it' : 'Continue'}</h3>
        {commands.map(({ label, command }) => (
          <Command key={command} label={label} command={command} />
        ))}
      </div>
    </Panel>
  );
}

const READING: Record<ReadingFile['state'], { word: string; icon: IconName; tone: string }> = {
  in_context: { word: 'in context', icon: 'check', tone: 'good' },
  host: { word: 'loaded by Claude Code', icon: 'check', tone: 'good' },
  changed: { word: 'changed since it was read', icon: 'restore', tone: 'wait' },
  unread: { word: 'unread', icon: 'dot', tone: 'wait' },
  missing: { word: 'missing', icon: 'cross', tone: 'bad' },
  outside: { word: 'outside the project', icon: 'block', tone: 'bad' },
};

function ReadingPanel({ page }: { page: RunPage }): JSX.Element {
  const { reading, pendingReads } = page;
  const known = reading.filter(({ state }) => state === 'in_context' || state === 'host').length;
  return (
    <Panel title="Required reading" aside={`${known} of ${reading.length} in context`}>
      <ul class="reading">
        {reading.map(({ path, state }) => {
          const { word, icon, tone } = READING[state];
          return (
            <li key={path} class={`reading-${tone}`}>
              <span class="mark">
                <Icon name={icon} />
              </span>
              <span class="reading-path">{path}</span>
              <span class="reading-state">{word}</span>
            </li>
          );
        })}
      </ul>
      {pendingReads.length > 0 && (
        <p class="muted small">
          The session is still asked to open{' '}
          {pendingReads.length === 1 ? 'one file' : `${pendingReads.length} files`}.
        </p>
      )}
    </Panel>
  );
}

function TodoPanel({ todo }: { todo: TodoFacts }): JSX.Element {
  const current = todo.items.find(({ done }) => !done);
  return (
    <Panel title="Todo" aside={`${todo.done} of ${todo.total} done`}>
      <ul class="todo">
        {todo.items.map(({ n, text, done }) => (
          <li key={n} class={done ? 'todo-done' : n === current?.n ? 'todo-now' : ''}>
            <span class="mark">{done && <Icon name="check" />}</span>
            <span>
              {done && <span class="visually-hidden">Done: </span>}
              {text}
            </span>
          </li>
        ))}
      </ul>
      {todo.itemsLeftOut > 0 && <p class="muted">And {todo.itemsLeftOut} more.</p>}
      <p class="muted small">
        In <code>{todo.path}</code>
      </p>
    </Panel>
  );
}
