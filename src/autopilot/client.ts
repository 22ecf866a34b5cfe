/**
 * The part of the client's module interface that is used here. The interface is early access and the client checks a
 * module's source before it loads it: `$` may only be called as `$.noun.event(…)` or passed to a function at the top
 * of a file, so an event that is missing cannot be tested for, only called and caught.
 */
interface Dollar {
  readonly plugin: { readonly root: string };
  readonly session: {
    id(): Promise<string>;
    root(): Promise<string>;
    surfaces(): Promise<readonly string[]>;
    compact(options: object): Promise<{ readonly skip?: string | undefined }>;
  };
  readonly model: {
    /** One request with the conversation so far and this prompt; no turn, no tools. */
    fork(request: {
      prompt: string;
    }): Promise<{ isAnswered: boolean; text?: string | undefined }>;
  };
  readonly command: {
    run(request: { command: string; args: string }): Promise<unknown>;
  };
  readonly prompt: {
    read(): Promise<{ readonly text: string }>;
    submit(request: {
      text: string;
    }): Promise<{ readonly drop?: string | undefined }>;
  };
  readonly agent: { list(): Promise<readonly { readonly status: string }[]> };
  readonly process: {
    run(
      argv: readonly string[],
      options: { cwd: string; timeoutMs: number; stdin: string },
    ): Promise<{
      readonly exitCode: number;
      readonly stdout: string;
      readonly stderr: string;
    }>;
  };
  readonly fs: {
    exists(path: string): Promise<boolean>;
    read(path: string): Promise<string>;
  };
  readonly env: { get(name: string): Promise<string | undefined> };
  readonly clock: { after(ms: number, callback: () => void): unknown };
  readonly ui: { log(text: string): void };
}

interface Events {
  'session.start': { readonly isInteractive: boolean };
  'session.end': { readonly reason: string };
  'session.compact': LoopEvent & {
    readonly trigger?: string;
    readonly instructions?: string;
  };
  'session.measure': { readonly context: ContextFill };
  'command.run': {
    readonly command: string;
    readonly args?: string;
    /** `composer` for what a person typed; the client sets it, and no agent can. */
    readonly origin?: { readonly kind: string };
  };
  /** `turnId` is the turn that was running when the prompt was sent. */
  'prompt.submit': { readonly turnId?: string };
  'turn.start': LoopEvent;
  'turn.complete': LoopEvent & { readonly reason: string };
}

interface LoopEvent {
  /** Set in the loop of a sub-agent. */
  readonly agentId?: string;
}

export interface ContextFill {
  /** Missing until the first response. */
  readonly tokens?: number;
  readonly window: number;
}

export type On = <Event extends keyof Events>(
  event: Event,
  hook: (
    $: Dollar,
    e: Events[Event],
    next: (e: Events[Event]) => Promise<unknown>,
  ) => Promise<unknown>,
) => unknown;

const PROGRAM_TIMEOUT_MS = 20_000;
const SECRET_BYTES = 32;

interface RunOptions {
  readonly secret?: string;
  readonly timeoutMs?: number;
}

/** What the autopilot needs of the client, apart from the client's own interface. Every call may fail. */
export interface Client {
  pluginRoot: string;
  sessionId: () => Promise<string>;
  projectRoot: () => Promise<string>;
  /** Whether a person sits at a terminal; false for `-p` and for sessions that a program drives. */
  isAttended: () => Promise<boolean>;
  isSwitchedOff: () => Promise<boolean>;
  /** What the user has typed and not sent yet. */
  draft: () => Promise<string>;
  hasRunningAgents: () => Promise<boolean>;
  exists: (path: string) => Promise<boolean>;
  read: (path: string) => Promise<string>;
  /** In hexadecimal digits. Fails in a client that has no source of randomness. */
  makeSecret: () => string;
  /**
   * The program's standard output; fails if it does not exit with 0. The secret is written to its standard input, because
   * other programs of the user can read its arguments.
   */
  run: (
    argv: readonly string[],
    cwd: string,
    options?: RunOptions,
  ) => Promise<string>;
  /** What the model answers in a fork of the conversation; empty if it does not. */
  ask: (prompt: string) => Promise<string>;
  compact: () => Promise<void>;
  clear: () => Promise<void>;
  submit: (text: string) => Promise<void>;
  /** A line in the conversation that the user sees and the model does not. */
  say: (text: string) => void;
  after: (ms: number, callback: () => void) => void;
}

export function clientOf($: Dollar): Client {
  return {
    pluginRoot: $.plugin.root,
    sessionId: () => $.session.id(),
    projectRoot: () => $.session.root(),
    isAttended: async () => (await $.session.surfaces()).includes('terminal'),
    isSwitchedOff: async () => (await $.env.get('HOLDFAST')) === 'off',
    draft: async () => (await $.prompt.read()).text,
    hasRunningAgents: async () => {
      const agents = await $.agent.list();
      return agents.some(
        ({ status }) => status === 'running' || status === 'pending',
      );
    },
    exists: (path) => $.fs.exists(path),
    read: (path) => $.fs.read(path),
    makeSecret: () => {
      const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
      const digits = Array.from(bytes, (byte) =>
        byte.toString(16).padStart(2, '0'),
      );
      return digits.join('');
    },
    run: async (argv, cwd, options = {}) => {
      const { secret = '', timeoutMs = PROGRAM_TIMEOUT_MS } = options;
      const { exitCode, stdout, stderr } = await $.process.run(argv, {
        cwd,
        timeoutMs,
        stdin: secret,
      });
      if (exitCode !== 0)
        throw new Error(stderr.trim() || `holdfast exited with ${exitCode}`);
      return stdout;
    },
    ask: async (prompt) => {
      const { isAnswered, text } = await $.model.fork({ prompt });
      return isAnswered ? (text ?? '').trim() : '';
    },
    compact: async () => {
      // No instructions: the PreCompact hook gives the summariser its text in this compaction too.
      const { skip } = await $.session.compact({});
      if (skip !== undefined) throw new Error(skip);
    },
    clear: async () => {
      const before = await $.session.id();
      await $.command.run({ command: 'clear', args: '' });
      if ((await $.session.id()) === before)
        throw new Error('the session is still the same');
    },
    submit: async (text) => {
      const { drop } = await $.prompt.submit({ text });
      if (drop !== undefined) throw new Error(drop);
    },
    say: (text) => $.ui.log(text),
    after: (ms, callback) => void $.clock.after(ms, callback),
  };
}
