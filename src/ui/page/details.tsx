import type { JSX } from 'preact';
import type { RunPage, SessionEntry } from '../model/types/run.ts';
import { FactList, LongText, Panel, SessionTag, Time } from './parts.tsx';

/** Everything else that is stored about the run. */
export function DetailsTab({ page, now }: { page: RunPage; now: Date }): JSX.Element {
  const { sessions, facts, artifacts, outputs, feedback, card } = page;
  return (
    <div class="details-tab">
      <Panel title="Sessions" aside={String(sessions.length)}>
        {sessions.length === 0 ? (
          <p class="muted">No session has worked on this run.</p>
        ) : (
          <ol class="sessions">
            {sessions.map((session) => (
              <Session key={session.id} session={session} now={now} />
            ))}
          </ol>
        )}
      </Panel>
      {outputs.length > 0 && (
        <Panel title="What was handed on">
          {outputs.map(({ from, text, files }) => (
            <div key={from} class="output">
              <h3>{from}</h3>
              {text !== '' && <LongText text={text} />}
              {files.length > 0 && <p class="mono small">{files.join(', ')}</p>}
            </div>
          ))}
        </Panel>
      )}
      {feedback.length > 0 && (
        <Panel title="Feedback">
          {feedback.map(({ from, to, text, at, isOpen }) => (
            <div key={`${at} ${from}`} class="output">
              <h3>
                {from} → {to} {isOpen && <span class="tag tag-wait">open</span>}
              </h3>
              <LongText text={text} />
            </div>
          ))}
        </Panel>
      )}
      {facts.length > 0 && (
        <Panel title="Context">
          <FactList class="fact-table" facts={facts} />
        </Panel>
      )}
      {artifacts.length > 0 && (
        <Panel title="Artifacts">
          <FactList class="fact-table" facts={artifacts} />
        </Panel>
      )}
      <p class="muted small">
        Everything that is stored: <code>holdfast show {card.id}</code>
      </p>
    </div>
  );
}

const HELD_BY: Record<string, string> = {
  clear: 'got it by /clear',
  asked_clear: 'got it by the /clear that its step asked for',
  evidence: 'got it because its transcript or summary shows that it works on it',
  only: 'got it because there was no other',
};

function Session({ session, now }: { session: SessionEntry; now: Date }): JSX.Element {
  const {
    id,
    machine,
    startedAt,
    seenAt,
    endedAt,
    endReason,
    handedTo,
    heldBy,
    finished,
    isHolder,
  } = session;
  return (
    <li class="session-item">
      <p>
        <SessionTag id={id} /> {isHolder && <span class="tag">holds the run</span>}{' '}
        {machine !== null && <span class="muted">on {machine}</span>}
      </p>
      <p class="muted small">
        Since <Time at={startedAt} now={now} />
        {heldBy !== null && HELD_BY[heldBy] !== undefined && <>, {HELD_BY[heldBy]}</>}
        {endedAt === null ? (
          <>
            , seen <Time at={seenAt ?? startedAt} now={now} />
          </>
        ) : (
          <>
            , ended <Time at={endedAt} now={now} />
            {endReason !== null && ` (${endReason})`}
          </>
        )}
        {handedTo !== null && (
          <>
            , handed over to <SessionTag id={handedTo} />
          </>
        )}
      </p>
      {finished.length > 0 && <p class="small">Finished {finished.join(', ')}</p>}
    </li>
  );
}
