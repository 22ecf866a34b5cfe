import type { JSX } from 'preact';
import { endReason } from '../../state/event-words.ts';
import type { SessionRecord } from '../../state/types.ts';
import type { RunPage } from '../views.ts';
import { Facts, LongText, Panel, SessionTag, Time, valueText } from './parts.tsx';

/** Everything else that is stored about the run. */
export function DetailsTab({ page }: { page: RunPage }): JSX.Element {
  const { run, artifacts, feedback, card } = page;
  const sessions = (run.sessions?.session_history ?? []).toReversed();
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
      <Panel title="Sessions" aside={String(sessions.length)}>
        {sessions.length === 0 ? (
          <p class="muted">No session has worked on this run.</p>
        ) : (
          <ol class="lined">
            {sessions.map((session, index) => (
              <Session key={index} session={session} page={page} />
            ))}
          </ol>
        )}
      </Panel>
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

interface Part {
  from: string;
  text: string;
  files?: string[];
  isOpen?: boolean;
}

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

function Session(props: { session: SessionRecord; page: RunPage }): JSX.Element {
  const { session, page } = props;
  const { session_id: id, started_at: since, ended_at: end, handed_to: next } = session;
  const isHolder = id === page.run.sessions?.current_session_id;
  const machine = session.environment?.hostname;
  // A phase that was sent back may be finished several times.
  const finished = [...new Set(session.phases_completed)];
  return (
    <li>
      <p>
        <SessionTag id={id} /> {isHolder && <span class="tag">holds the run</span>}{' '}
        {machine !== undefined && <span class="muted">on {machine}</span>}
      </p>
      <p class="muted small">
        Since <Time at={since} />
        {end === undefined ? ', seen ' : ', ended '}
        <Time at={end ?? session.last_seen_at ?? since} />
        {end !== undefined && session.end_reason !== undefined && endReason(session.end_reason)}
        {next !== undefined && (
          <>
            , handed over to <SessionTag id={next} />
          </>
        )}
      </p>
      {finished.length > 0 && <p class="small">Finished {finished.join(', ')}</p>}
    </li>
  );
}
