import { ownEntry } from '../../text/json.ts';
import { timeAgo } from '../../text/relative-time.ts';
import type { HookState, Message } from './hook-state.ts';

/** Of the notices and of the messages for one session; the latest count, because each is shown in full. */
export const MAX_NOTICES = 5;

/** Hooks take no longer ids, so nobody would be told. */
const MAX_SESSION_ID_CHARS = 4_096;

/** Kept until the session is told, at its next prompt or command. */
export function addMessage(
  memory: HookState,
  session: string,
  message: Message,
): HookState {
  if (session.length > MAX_SESSION_ID_CHARS) return memory;
  const list = [...messagesFor(memory, session), message].slice(-MAX_NOTICES);
  return { ...memory, messages: { ...memory.messages, [session]: list } };
}

export function messagesFor(
  { messages }: HookState,
  session: string,
): readonly Message[] {
  // A session may be named like a part of every object.
  return ownEntry(messages, session) ?? [];
}

/** What the session is told now, and the memory in which it counts as told. */
export function takeMessages(
  memory: HookState,
  session: string,
  now: Date,
): { news: string[]; memory: HookState } {
  const news = messagesFor(memory, session).map(
    ({ at, text }) => `${text} (${timeAgo(at, now)}).`,
  );
  const { [session]: _told, ...messages } = memory.messages;
  return { news, memory: { ...memory, messages } };
}
