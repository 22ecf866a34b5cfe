/** A text that a request gives to the model, with the rank that it gives to it: `system`, `developer`, `user` and so on. */
export interface Message {
  role: string;
  text: string;
}

/** The part of the three APIs that matters here: Chat Completions, Responses, and Gemini's own. */
interface Request {
  messages?: RawMessage[];
  instructions?: string;
  input?: RawMessage[];
  systemInstruction?: RawMessage;
  contents?: RawMessage[];
}

/** Calls of tools and their results have texts of other names, or none. */
interface RawMessage {
  role?: string;
  content?: string | { text?: string }[] | null;
  parts?: { text?: string }[];
}

/** The texts of a request in their order, the system prompt first. */
export function messagesOf(body: string): Message[] {
  const request = JSON.parse(body) as Request;
  const system = [
    { role: 'system', content: request.instructions ?? '' },
    { ...request.systemInstruction, role: 'system' },
  ];
  const conversation =
    request.messages ?? request.input ?? request.contents ?? [];
  return [...system, ...conversation].flatMap((message) => {
    const text = textOf(message);
    return text === '' ? [] : [{ role: message.role ?? 'tool', text }];
  });
}

function textOf({ content, parts }: RawMessage): string {
  if (typeof content === 'string') return content;
  return (content ?? parts ?? []).map(({ text = '' }) => text).join('\n');
}

/** The roles of the messages that contain a text, one for each time that it occurs. */
export function rolesOf(body: string, text: string): string[] {
  return messagesOf(body).flatMap((message) => {
    const times = message.text.split(text).length - 1;
    return Array<string>(times).fill(message.role);
  });
}
