import { HoldfastError } from '../errors/holdfast-error.ts';
import { touchHolder } from '../sessions/heartbeat.ts';
import {
  messagesFor,
  withoutMessages,
  type HookState,
  type Message,
} from '../state/store/hook-state.ts';
import { timeAgo } from '../util/relative-time.ts';
import type { OperationContext } from './open-project.ts';
import { callerSession } from './target-run.ts';

/** What others did to the run of this session, told once. The caller must deliver it. */
export function takeMessages(context: OperationContext): string[] {
  const { store, now } = context;
  const memory = store.hookState();
  if (context.session === null || Object.keys(memory.messages).length === 0) return [];
  const session = callerSession(context, store.list().runs) ?? context.session;
  if (messagesFor(memory, session).length === 0) return [];
  return store.transaction((tx) => {
    const messages = messagesFor(tx.hookState, session);
    tx.saveHookState(withoutMessages(tx.hookState, session));
    return messages.map((message) => messageText(message, now));
  });
}

/** For hooks: what a session has to be told, in lines, and the memory once it was. */
export function withoutTold(
  memory: HookState,
  session: string | null,
  now: Date,
): { text: string | null; memory: HookState } {
  const messages = session === null ? [] : messagesFor(memory, session);
  if (session === null || messages.length === 0) return { text: null, memory };
  const text = messages.map((message) => `holdfast: ${messageText(message, now)}`).join('\n');
  return { text, memory: withoutMessages(memory, session) };
}

function messageText({ at, text }: Message, now: Date): string {
  return `${text} (${timeAgo(new Date(at).toISOString(), now)}).`;
}

/** A session whose agent runs commands or calls tools is alive, even while no hook fires. */
export function touchSession(context: OperationContext): void {
  if (context.session === null) return;
  const { store, now, warn } = context;
  const { runs } = store.list();
  const session = callerSession(context, runs);
  if (session === null) return;
  try {
    touchHolder(store, runs, session, now);
  } catch (error) {
    // The operation has succeeded and stays reported as such if only this write fails.
    if (!(error instanceof HoldfastError)) throw error;
    warn(error.message);
  }
}
