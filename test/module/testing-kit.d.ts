/** The part of the client's own test kit that is used here; the client provides the module when it runs the tests. */
declare module 'claude-code/testing' {
  interface Clock {
    advance(ms: number): Promise<void>;
    settle(): Promise<void>;
  }
  interface Turn {
    readonly answer: string;
    readonly durationMs: number;
    readonly isAborted: boolean;
    readonly turnId: string;
    readonly reason: string;
    readonly agentId?: string;
  }
  interface Engine {
    readonly session: {
      start(e: {
        cwd: string;
        surface: string | null;
        isInteractive: boolean;
      }): Promise<unknown>;
    };
    readonly command: {
      run(e: {
        command: string;
        args: string;
        origin: { kind: string; name?: string; isMeta?: boolean };
      }): Promise<{ readonly text?: string }>;
    };
    readonly turn: {
      start(e: { text: string; turnId: string }): Promise<unknown>;
      complete(e: Turn): Promise<unknown>;
    };
  }
  /** The fields of the events that the tests answer. */
  interface Event {
    readonly path: string;
    readonly argv: readonly string[];
    readonly init?: { readonly stdin?: string };
    readonly text: string;
    readonly cwd: string;
    readonly turnId: string;
    readonly answer: string;
  }
  type On = (event: string, hook: ($: unknown, e: Event) => unknown) => unknown;

  export const expect: (received: unknown) => {
    toEqual(expected: unknown): void;
  };
  export const mock: {
    clock(on: On): Clock;
    env(on: On, variables: Readonly<Record<string, string>>): void;
  };
  export const test: (
    name: string,
    body: ($: Engine, on: On) => Promise<void>,
  ) => void;
}
