/** The part of a model request that tests look at; the client sends more, and changes it between versions. */
export interface ModelRequest {
  readonly model: string;
  readonly system?: string | readonly ContentBlock[];
  readonly messages: readonly Message[];
  readonly tools?: readonly { readonly name: string }[];
  readonly stream?: boolean;
  readonly metadata?: { readonly user_id?: string };
}

export interface Message {
  /** `system` also stands between the turns: that is where both versions put parts of the context. */
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: string | readonly ContentBlock[];
}

export interface ContentBlock {
  readonly type: string;
  readonly text?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly content?: string | readonly ContentBlock[];
}

/** Everything the model was given to read: system prompt, turns, tool calls and their results. */
export function conversationText(request: ModelRequest): string {
  return [
    request.system ?? '',
    ...request.messages.map((message) => message.content),
  ]
    .map(textOf)
    .join('\n');
}

/** The request that asks for the summary a compaction leaves behind. */
export function isSummariser(request: ModelRequest): boolean {
  const last = request.messages.findLast((message) => message.role === 'user');
  return (
    last !== undefined &&
    textOf(last.content).includes(
      'Your task is to create a detailed summary of',
    )
  );
}

/** Titles, topics and the like: the client asks for them beside the conversation, without its tools. */
export function isSideJob(request: ModelRequest): boolean {
  return !isSummariser(request) && (request.tools ?? []).length === 0;
}

/** A turn of a conversation, be it the main one or a sub-agent's. */
export function isTurn(request: ModelRequest): boolean {
  return !isSummariser(request) && !isSideJob(request);
}

/** The billing line, first in the system prompt, is the only place that says so. */
export function isSubAgent(request: ModelRequest): boolean {
  return textOf(request.system ?? '').includes('cc_is_subagent=true');
}

/** The session that the client says it asks for; a sub-agent asks for its parent's. */
export function sessionOf(request: ModelRequest): string | undefined {
  const user: { session_id?: string } = JSON.parse(
    request.metadata?.user_id ?? '{}',
  );
  return user.session_id;
}

export interface Prompt {
  readonly text: string;
  /** How many tools the model has already called for it. */
  readonly toolCalls: number;
}

/** What was last asked, leaving out tool results and what the client itself puts beside the prompt. */
export function lastPrompt(request: ModelRequest): Prompt {
  const index = request.messages.findLastIndex(
    (message) => promptText(message) !== '',
  );
  const prompt = request.messages[index];
  const answers = request.messages
    .slice(index + 1)
    .filter((message) => message.role === 'assistant');
  return {
    text: prompt === undefined ? '' : promptText(prompt),
    toolCalls: answers
      .flatMap(blocksOf)
      .filter((block) => block.type === 'tool_use').length,
  };
}

function promptText(message: Message): string {
  if (message.role !== 'user') return '';
  return blocksOf(message)
    .filter((block) => block.type === 'text')
    .map((block) => block.text ?? '')
    .filter((text) => !text.trimStart().startsWith('<system-reminder>'))
    .join('\n');
}

function blocksOf(message: Message): readonly ContentBlock[] {
  return typeof message.content === 'string'
    ? [{ type: 'text', text: message.content }]
    : message.content;
}

function textOf(content: string | readonly ContentBlock[]): string {
  if (typeof content === 'string') return content;
  return content
    .map((block) => {
      if (block.type === 'tool_use')
        return `${block.name ?? ''} ${JSON.stringify(block.input)}`;
      return block.text ?? textOf(block.content ?? '');
    })
    .join('\n');
}
