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

/** The agent of a session, before its id; nothing for Claude Code. */
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
  return {
    ...Object.fromEntries(kept),
    HOLDFAST_HOST: name,
    ...(session === null ? {} : { CLAUDE_CODE_SESSION_ID: session }),
    ...(pid === undefined || HOSTS[name].sharesProcess
      ? {}
      : { CLAUDE_PID: pid }),
  };
}

/** An agent that another one has started inherits its variables: the session that was seen last is the one at work. */
export function shellEnvironment(
  environment: Environment,
  seenAt: (session: string) => number | null,
): Record<string, string | undefined> {
  const sessions = HOST_NAMES.flatMap((name) => {
    const set = HOSTS[name].session.map(
      (key) => environment[key]?.trim() ?? '',
    );
    const session = set.find((value) => value !== '');
    return session === undefined
      ? []
      : [{ name, session, at: seenAt(session) ?? 0 }];
  });
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

/** What is quoted of the project's files. */
const FENCED = /^(`{3,}).*\n[^]*?\n\1$/gm;

/** Our sentences are written for Claude Code: only it has a tool called Read, and slash commands of ours. */
export function wordsFor(name: HostName, text: string): string {
  if (name === 'claude') return text;
  const quotes = [...text.matchAll(FENCED), ''].map(([quote = '']) => quote);
  return text
    .split(FENCED)
    .filter((_part, index) => index % 2 === 0)
    .map((part, index) => `${ownWords(name, part)}${quotes[index]}`)
    .join('');
}

/** A path may contain `/compact`, so only the command alone is replaced. */
const COMPACT = /(?<![\w./-])\/compact(?![\w./-])/g;

const ownWords = (name: HostName, text: string): string =>
  text
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
    .replaceAll(
      COMPACT,
      name === 'qwen' || name === 'gemini' ? '/compress' : '/compact',
    );

/** A reply of ours as the host takes it; `event` is the host's own name. Null if there is nothing to say. */
export function replyFor(
  name: HostName,
  event: string,
  reply: string | null,
): string | null {
  if (name === 'claude' || reply === null)
    return name === 'gemini' ? '{}' : reply;
  const json: unknown = reply.startsWith('{')
    ? JSON.parse(reply)
    : { hookSpecificOutput: { additionalContext: reply } };
  const {
    hookSpecificOutput: output,
    systemMessage: line,
    ...rest
  } = isObject(json) ? json : {};
  const said = isObject(output) ? output['additionalContext'] : undefined;
  // Codex takes no text for the summary.
  if (
    typeof said === 'string' &&
    name === 'codex' &&
    /^(?:Pre|Post)Compact$/.test(event)
  )
    return null;
  const text = typeof said === 'string' && {
    additionalContext: cut(wordsFor(name, said), HOSTS[name].maxBytes),
  };
  return JSON.stringify({
    ...(isObject(output) && {
      hookSpecificOutput: { ...output, hookEventName: event, ...text },
    }),
    ...(typeof line === 'string' && { systemMessage: wordsFor(name, line) }),
    ...rest,
  });
}

const REST = '\n\nThis text is cut here: `holdfast guidance` prints all of it.';

function cut(text: string, bytes = Infinity): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  const lines = text.split('\n');
  while (Buffer.byteLength(lines.join('\n')) + REST.length > bytes) lines.pop();
  return `${lines.join('\n')}${REST}`;
}

/** Gemini's shells do not know their session: a command that calls holdfast is told, and only such a one. */
export function withSession(
  raw: JsonObject,
  session: string | null,
): string | null {
  const { tool_input: input } = raw;
  const command = isObject(input) ? input['command'] : undefined;
  if (!isObject(input) || typeof command !== 'string' || session === null)
    return null;
  if (!/\bholdfast\b/.test(command) || !/^[\w-]+$/.test(session)) return null;
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
