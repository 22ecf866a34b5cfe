import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Action, Asked, Done, Refused } from '../answers.ts';
import type { RunPage } from '../views.ts';

/** Each action: its button, what it does, and what the person may write; `!` if they must. */
const ACTIONS: Record<Action, [button: string, effect: string, text: string | null]> = {
  approve: ['Approve', 'The run goes on.', 'Note for later steps (optional)'],
  reject: ['Send back', 'The work goes back with your feedback.', 'What has to change, and why!'],
  pause: ['Pause', 'No session is given the run until it is resumed.', 'Reason (optional)'],
  release: ['Release', 'Its session lets go of the run, and another may take it.', null],
};

/** What the person at the page can do to the run: asked for first, then confirmed. */
export function Actions({ page }: { page: RunPage }): JSX.Element | null {
  const { card, project } = page;
  const [asked, setAsked] = useState<{ action: Action; confirm: string } | null>(null);
  const [text, setText] = useState('');
  const [result, setResult] = useState<{ isGood: boolean; text: string } | null>(null);
  const possible: Action[] = [
    ...(card.wait?.for === 'approval' ? (['approve', 'reject'] as const) : []),
    ...(!card.archived && card.status === 'in_progress' ? (['pause'] as const) : []),
    ...(card.holder === null ? [] : (['release'] as const)),
  ];
  const send = async (action: Action, more: object): Promise<Partial<Asked & Done>> => {
    setResult(null);
    const body = JSON.stringify({ action, project: project.key, id: card.run_id, ...more });
    const headers = { 'Content-Type': 'application/json' };
    const sent = fetch('act', { method: 'POST', headers, body });
    const reply: Partial<Asked & Done & Refused> = await sent.then((answer) => answer.json(), lost);
    const { error } = reply;
    if (error !== undefined) setResult({ isGood: false, text: `${error.message}. ${error.hint}.` });
    return reply;
  };
  const ask = async (action: Action): Promise<void> => {
    const { confirm } = await send(action, {});
    setText('');
    if (confirm !== undefined) setAsked({ action, confirm });
  };
  const act = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (asked === null) return;
    const { done } = await send(asked.action, { text, confirm: asked.confirm });
    setAsked(null);
    if (done !== undefined) setResult({ isGood: true, text: done.join(' ') });
  };
  if (possible.length === 0 && result === null) return null;
  const [button, effect, label] = ACTIONS[asked?.action ?? 'release'];
  return (
    <section class="actions stack" aria-label="Act on this run">
      {asked === null ? (
        <div class="line">
          {possible.map((action) => (
            <button key={action} type="button" class="act box" onClick={() => void ask(action)}>
              {ACTIONS[action][0]}
            </button>
          ))}
        </div>
      ) : (
        <form class="panel box stack" onSubmit={(event) => void act(event)}>
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
            <button type="button" class="act box" onClick={() => setAsked(null)}>
              Cancel
            </button>
          </div>
        </form>
      )}
      <p
        class={result === null ? '' : `notice tone-${result.isGood ? 'good' : 'bad'}`}
        role="status"
      >
        {result?.text}
      </p>
    </section>
  );
}

const lost = (): Refused => ({
  error: { code: 'lost', message: 'The server does not answer', hint: 'Nothing was changed' },
});
