import { isObject, type JsonObject } from '../text/json.ts';

export type HostName = 'claude' | 'codex' | 'qwen' | 'gemini' | 'opencode';

export interface Host {
  title: string;
  /** What the host sets in the shells of its agent: its session, the first that is set, and a sign of itself. */
  session: readonly string[];
  shell: string;
  /** What is said at SessionStart would stay for good, or cost the user's prompt: it is said at the next prompt. */
  startsAtPrompt?: true;
  /** What was said is gone when a conversation is resumed. */
  forgets?: true;
  /** The host cuts a longer reply in the middle: so long may a guidance be, which leaves space for a few lines more. */
  maxBytes?: number;
  events?: Readonly<Record<string, string>>;
  /** One process may have several conversations at a time, so that it says nothing about one of them. */
  sharesProcess?: true;
}

export const HOSTS: Record<HostName, Host> = {
  claude: {
    title: 'Claude Code',
    session: ['CLAUDE_CODE_SESSION_ID'],
    shell: 'CLAUDECODE',
  },
  codex: {
    title: 'Codex',
    // A sub-agent has its parent's session, and a thread of its own.
    session: ['CODEX_SESSION_ID', 'CODEX_THREAD_ID'],
    shell: 'CODEX_SESSION_ID',
    maxBytes: 9_900,
    sharesProcess: true,
  },
  qwen: {
    title: 'Qwen Code',
    session: ['QWEN_CODE_SESSION_ID'],
    shell: 'QWEN_CODE',
    startsAtPrompt: true,
    forgets: true,
  },
  gemini: {
    title: 'Gemini CLI',
    // Not set by the host itself: see `withSession`.
    session: ['GEMINI_SESSION_ID'],
    shell: 'GEMINI_CLI',
    startsAtPrompt: true,
    events: { BeforeAgent: 'UserPromptSubmit', AfterTool: 'PostToolUse' },
  },
  opencode: {
    title: 'OpenCode',
    // Set by the plugin that `init` writes.
    session: ['OPENCODE_SESSION_ID'],
    shell: 'OPENCODE',
    forgets: true,
    sharesProcess: true,
  },
};

export const HOST_NAMES: readonly HostName[] = [
  'claude',
  'codex',
  'qwen',
  'gemini',
  'opencode',
];

export const isHostName = (word: string | undefined): word is HostName =>
  HOST_NAMES.some((name) => name === word);

/** The agent of a session, before its id: `Codex `; nothing for Claude Code. */
export function hostTitle(
  record: { environment?: { host?: string } } | undefined,
): string {
  const { host } = record?.environment ?? {};
  return isHostName(host) ? `${HOSTS[host].title} ` : '';
}

type Environment = Readonly<Record<string, string | undefined>>;

/** As `claudeEnvironment` has noted it. */
export function hostOf(environment: Environment): HostName {
  const { HOLDFAST_HOST: name } = environment;
  return isHostName(name) ? name : 'claude';
}

/** The environment of a hook or a command of another host in the words of Claude Code, which the rest is written for. */
export function claudeEnvironment(
  name: HostName,
  environment: Environment,
  { session, pid }: { session: string | null; pid?: string | undefined },
): Record<string, string | undefined> {
  if (name === 'claude') return environment;
  // The agent may have been started from a shell of Claude Code.
  const isForeign = (key: string): boolean =>
    key.startsWith('CLAUDE') && !/^CLAUDE_(?:CONFIG|PROJECT)_DIR$/.test(key);
  const kept = Object.entries(environment).filter(([key]) => !isForeign(key));
  const translated: Record<string, string | undefined> = {
    ...Object.fromEntries(kept),
    HOLDFAST_HOST: name,
  };
  if (session !== null) translated['CLAUDE_CODE_SESSION_ID'] = session;
  const hasOwnProcess = HOSTS[name].sharesProcess !== true;
  if (pid !== undefined && hasOwnProcess) translated['CLAUDE_PID'] = pid;
  return translated;
}

/** An agent that another one has started inherits its variables: the session that was seen last is the one at work. */
export function shellEnvironment(
  environment: Environment,
  seenAt: (session: string) => number | null,
): Record<string, string | undefined> {
  const sessions: { name: HostName; session: string; at: number }[] = [];
  for (const name of HOST_NAMES) {
    const ids = HOSTS[name].session.map((key) => environment[key]?.trim());
    const session = ids.find((id) => id !== undefined && id !== '');
    if (session !== undefined)
      sessions.push({ name, session, at: seenAt(session) ?? 0 });
  }
  // Of two that nobody has seen yet, the one that Claude Code's shell has started.
  const [last] = sessions.toReversed().toSorted((a, b) => b.at - a.at);
  const shell = HOST_NAMES.find(
    (name) => (environment[HOSTS[name].shell] ?? '') !== '',
  );
  const session = last?.session ?? null;
  return claudeEnvironment(last?.name ?? shell ?? 'claude', environment, {
    session,
  });
}

/** By these a command knows that an agent calls it, and which session. */
export const AGENT_VARIABLES: readonly string[] = HOST_NAMES.flatMap((name) => [
  ...HOSTS[name].session,
  HOSTS[name].shell,
]);

export const isAgentShell = (environment: Environment): boolean =>
  AGENT_VARIABLES.some((key) => (environment[key] ?? '') !== '');

/** What is quoted of the project's files, between two lines of as many backticks. */
const FENCED = /^(`{3,}).*\n[^]*?\n\1$/gm;

/** Our sentences are written for Claude Code: only it has a tool called Read, and slash commands of ours. */
export function wordsFor(name: HostName, text: string): string {
  if (name === 'claude') return text;
  let translated = '';
  let end = 0;
  for (const match of text.matchAll(FENCED)) {
    const [quote] = match;
    translated += ownWords(name, text.slice(end, match.index)) + quote;
    end = match.index + quote.length;
  }
  return translated + ownWords(name, text.slice(end));
}

/** A path may contain `/compact`, so only the command alone is replaced. */
const COMPACT = /(?<![\w./-])\/compact(?![\w./-])/g;

function ownWords(name: HostName, text: string): string {
  const compact =
    name === 'qwen' || name === 'gemini' ? '/compress' : '/compact';
  return text
    .replaceAll(/ (?:with|for) the Read tool(?: or `holdfast prime`)?/g, '')
    .replaceAll('the Read tool', 'your tools')
    .replaceAll(/`?\/holdfast:approve[^;\n]*; (?=in a terminal)/g, '')
    .replaceAll(
      /(?:in Claude Code,? )?type (`?)\/holdfast:/g,
      'call $1holdfast ',
    )
    .replaceAll(/(`\/holdfast:[^`\n]*`) in Claude Code/g, '$1')
    .replaceAll('/holdfast:', 'holdfast ')
    .replaceAll('Claude Code session', `${HOSTS[name].title} session`)
    .replaceAll(COMPACT, compact);
}

/** A reply of ours as the host takes it; `event` is the host's own name. Null if there is nothing to say. */
export function replyFor(
  name: HostName,
  event: string,
  reply: string | null,
): string | null {
  // Gemini wants JSON from every hook.
  if (reply === null) return name === 'gemini' ? '{}' : null;
  if (name === 'claude') return reply;

  const { hookSpecificOutput, systemMessage, ...rest } = objectOf(reply);
  const translated: JsonObject = {};
  if (isObject(hookSpecificOutput)) {
    const output: JsonObject = { ...hookSpecificOutput, hookEventName: event };
    const text = output['additionalContext'];
    if (typeof text === 'string') {
      // Codex takes no text for the summary.
      const isForSummary = event === 'PreCompact' || event === 'PostCompact';
      if (name === 'codex' && isForSummary) return null;
      const words = wordsFor(name, text);
      output['additionalContext'] = cut(words, HOSTS[name].maxBytes);
    }
    translated['hookSpecificOutput'] = output;
  }
  if (typeof systemMessage === 'string')
    translated['systemMessage'] = wordsFor(name, systemMessage);
  return JSON.stringify({ ...translated, ...rest });
}

/** A reply is JSON, or the text that the model is to get. */
function objectOf(reply: string): JsonObject {
  if (!reply.startsWith('{'))
    return { hookSpecificOutput: { additionalContext: reply } };
  const json: unknown = JSON.parse(reply);
  return isObject(json) ? json : {};
}

const CUT_NOTE =
  '\n\nThis text is cut here: `holdfast guidance` prints all of it.';

function cut(text: string, maxBytes = Infinity): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const lines = text.split('\n');
  const bytes = (): number =>
    Buffer.byteLength(lines.join('\n')) + CUT_NOTE.length;
  while (bytes() > maxBytes) lines.pop();
  return lines.join('\n') + CUT_NOTE;
}

/** Gemini's shells do not know their session: a command that calls holdfast is told, and only such a one. */
export function withSession(
  raw: JsonObject,
  session: string | null,
): string | null {
  const { tool_input: input } = raw;
  const command = isObject(input) ? input['command'] : undefined;
  if (!isObject(input) || typeof command !== 'string') return null;
  if (!/\bholdfast\b/.test(command)) return null;
  // The id becomes a word of a command.
  if (session === null || !/^[\w-]+$/.test(session)) return null;
  return JSON.stringify({
    hookSpecificOutput: {
      hookEventName: 'BeforeTool',
      tool_input: {
        ...input,
        command: `export GEMINI_SESSION_ID=${session}; ${command}`,
      },
    },
  });
}
