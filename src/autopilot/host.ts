/**
 * The part of the client's module interface that is used here. The interface is early access and the client checks a
 * module's source before it loads it: `$` may only be called as `$.noun.event(…)` or passed to a function at the top
 * of a file, so an event that is missing cannot be tested for, only called and caught.
 */
export interface Dollar {
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
    }): Promise<{ readonly isAnswered: boolean; readonly text?: string | undefined }>;
  };
  readonly command: { run(request: { command: string; args: string }): Promise<unknown> };
  readonly prompt: {
    read(): Promise<{ readonly text: string }>;
    submit(request: { text: string }): Promise<{ readonly drop?: string | undefined }>;
  };
  readonly agent: { list(): Promise<readonly { readonly status: string }[]> };
  readonly process: {
    run(
      argv: readonly string[],
      options: { cwd: string; timeoutMs: number },
    ): Promise<{ readonly exitCode: number; readonly stdout: string; readonly stderr: string }>;
  };
  readonly fs: { exists(path: string): Promise<boolean>; read(path: string): Promise<string> };
  readonly env: { get(name: string): Promise<string | undefined> };
  readonly clock: { after(ms: number, callback: () => void): unknown };
  readonly ui: { log(text: string): void };
}

interface Events {
  'session.start': { readonly isInteractive: boolean };
  'session.end': { readonly reason: string };
  'session.compact': LoopEvent & { readonly trigger?: string; readonly instructions?: string };
  'session.measure': { readonly context: ContextFill };
  'command.run': {
    readonly command: string;
    readonly args?: string;
    /** `composer` for what a person typed; the client sets it, and no agent can. */
    readonly origin?: { readonly kind: string };
  };
  'prompt.submit': {
    /** The turn that was running when the prompt was sent. */
    readonly turnId?: string;
  };
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
