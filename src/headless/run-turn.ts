import { setTimeout as sleep } from 'node:timers/promises';
import { within, type Client } from './client.ts';
import type { DriveContext } from './setup.ts';
import type { StreamMessage } from './stream.ts';
import type { TurnEnd, TurnEvidence } from './turn.ts';

/** How long a client that was interrupted gets to end its turn. */
const INTERRUPT_MS = 5_000;
/** How often to ask whether the turn has to end. */
const LOOK_MS = 1_000;

/**
 * Sends one prompt and collects what the stream says until the turn ends, one way or the other. `reasonToEnd` is asked
 * now and then; a client that is silent for long counts as hanging.
 */
export async function runTurn(
  client: Client,
  prompt: string,
  { signal, timing }: Pick<DriveContext, 'signal' | 'timing'>,
  reasonToEnd: () => TurnEnd | null,
  onMessage: (message: StreamMessage) => void,
): Promise<TurnEvidence> {
  const { silenceMs } = timing;
  let evidence: Omit<TurnEvidence, 'end'> = {};
  let lastMessageAt = Date.now();
  const answered = new Promise<TurnEnd>((settle) => {
    client.onMessage = (message) => {
      lastMessageAt = Date.now();
      evidence = { ...evidence, [message.kind]: message };
      onMessage(message);
      if (message.kind === 'result') settle({ kind: 'result' });
    };
  });
  const ended = Promise.race([answered, client.exited]);

  const look = (): TurnEnd | null => {
    if (signal.aborted) return { kind: 'interrupted' };
    const reason = reasonToEnd();
    if (reason !== null) return reason;
    if (Date.now() - lastMessageAt < silenceMs) return null;
    return { kind: 'silent', minutes: Math.round(silenceMs / 60_000) };
  };
  if (!signal.aborted) client.prompt(prompt);
  let end = look();
  while (end === null) {
    const wait = waitUnlessAborted(Math.min(silenceMs, LOOK_MS), signal);
    end = (await Promise.race([ended, wait])) ?? look();
  }

  // The client is asked to end its turn, so that its conversation stays in order.
  if (end.kind !== 'result' && !client.hasExited) {
    client.request('interrupt');
    await within(ended, INTERRUPT_MS);
  }
  client.onMessage = null;
  return { ...evidence, end };
}

/** Ctrl-C ends the wait. */
function waitUnlessAborted(ms: number, signal: AbortSignal): Promise<null> {
  return sleep(ms, null, { signal, ref: false }).catch(() => null);
}
