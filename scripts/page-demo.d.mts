export interface DemoProject {
  holdfast: (words: string[], options?: { session?: string; input?: string }) => string;
  hook: (event: string, session: string, fields?: object) => string;
  write: (path: string, text: string) => void;
  sessions: { auth: string; shop: string; approval: string };
}

export function makeDemoProject(root: string, home: string): DemoProject;
