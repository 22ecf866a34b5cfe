import type { Dollar } from './host.ts';

/** What the autopilot needs of the client, apart from the client's own interface. Every call may fail. */
export interface Client {
  readonly pluginRoot: string;
  sessionId(): Promise<string>;
  projectRoot(): Promise<string>;
  /** Whether a person sits at a terminal; false for `-p` and for sessions that a program drives. */
  isAttended(): Promise<boolean>;
  isSwitchedOff(): Promise<boolean>;
  /** What the user has typed and not sent yet. */
  draft(): Promise<string>;
  hasRunningAgents(): Promise<boolean>;
  exists(path: string): Promise<boolean>;
  read(path: string): Promise<string>;
  /** The program's standard output; fails if it does not exit with 0. */
  run(argv: readonly string[], cwd: string): Promise<string>;
  /** What the model answers in a fork of the conversation; empty if it does not. */
  ask(prompt: string): Promise<string>;
  compact(): Promise<void>;
  clear(): Promise<void>;
  submit(text: string): Promise<void>;
  /** A line in the conversation that the user sees and the model does not. */
  say(text: string): void;
  after(ms: number, callback: () => void): void;
}

const PROGRAM_TIMEOUT_MS = 20_000;

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
      return agents.some(({ status }) => status === 'running' || status === 'pending');
    },
    exists: (path) => $.fs.exists(path),
    read: (path) => $.fs.read(path),
    run: async (argv, cwd) => {
      const { exitCode, stdout, stderr } = await $.process.run(argv, {
        cwd,
        timeoutMs: PROGRAM_TIMEOUT_MS,
      });
      if (exitCode !== 0) throw new Error(stderr.trim() || `holdfast exited with ${exitCode}`);
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
      if ((await $.session.id()) === before) throw new Error('the session is still the same');
    },
    submit: async (text) => {
      const { drop } = await $.prompt.submit({ text });
      if (drop !== undefined) throw new Error(drop);
    },
    say: (text) => $.ui.log(text),
    after: (ms, callback) => {
      $.clock.after(ms, callback);
    },
  };
}
