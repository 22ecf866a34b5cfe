export interface Commands {
  holdfast: (
    words: string[],
    options?: { session?: string; input?: string },
  ) => string;
  /** Returns the hook's reply. */
  hook: (event: string, session: string, fields?: object) => string;
}

export interface DemoProject extends Commands {
  write: (path: string, text: string) => void;
  sessions: { auth: string; shop: string; approval: string };
}

export function commandsIn(root: string, home: string): Commands;

export function makeDemoProject(root: string, home: string): DemoProject;
