/** A session of the client, and how it is started. */
export interface SessionSpec {
  session: string;
  /** Whether the conversation exists already. */
  isResumed: boolean;
  model: string | null;
  permissionMode: string | null;
  allow: readonly string[];
  /** Settings as JSON; null if nothing has to be added to those of the user and the project. */
  settings: string | null;
  agent: AgentSpec | null;
  /** What the client may still spend; null without a limit. */
  budget: number | null;
  /** Ask for a structured report at the end of the turn. */
  wantsReport: boolean;
}

/** The agent that a step is for. Without a definition, the client knows it from a file of the project or user. */
export interface AgentSpec {
  name: string;
  definition: { description: string; prompt: string } | null;
}

/** The report that a turn may end with instead of a command. */
const REPORT_SCHEMA = {
  type: 'object',
  properties: {
    done: {
      type: 'boolean',
      description: 'Whether the work of this step is finished.',
    },
    output: {
      type: 'string',
      description: 'If it is finished: what later steps need to know.',
    },
    reason: {
      type: 'string',
      description: 'If it is not finished: what is missing or went wrong.',
    },
  },
  required: ['done'],
  additionalProperties: false,
} as const;

/** Prompts go over standard input: one that starts with `-` would be taken as an option. */
export function clientArguments(spec: SessionSpec): string[] {
  const { session, isResumed, model, permissionMode, allow, settings, agent, budget } = spec;
  const option = (name: string, value: string | null): string[] =>
    value === null ? [] : [name, value];
  const definition = agent?.definition ?? null;
  return [
    '-p',
    '--output-format',
    'stream-json',
    '--input-format',
    'stream-json',
    '--verbose',
    ...(isResumed ? ['--resume', session] : ['--session-id', session]),
    ...option('--model', model),
    ...option('--permission-mode', permissionMode),
    ...option('--settings', settings),
    ...option(
      '--agents',
      agent === null || definition === null ? null : JSON.stringify({ [agent.name]: definition }),
    ),
    ...option('--agent', agent?.name ?? null),
    ...option('--max-budget-usd', budget === null ? null : budget.toFixed(4)),
    ...option('--json-schema', spec.wantsReport ? JSON.stringify(REPORT_SCHEMA) : null),
    // Last: it takes all words that follow.
    ...(allow.length === 0 ? [] : ['--allowedTools', ...allow]),
  ];
}
