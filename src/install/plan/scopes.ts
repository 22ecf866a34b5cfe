import { join } from 'node:path';

export const SCOPES = ['local', 'project', 'user'] as const;
export type Scope = (typeof SCOPES)[number];

/** The files and folders of a scope that the client reads. */
export interface Places {
  settings: string;
  commands: string;
  skill: string;
}

export function placesOf(scope: Scope, root: string, config: string): Places {
  const base = scope === 'user' ? config : join(root, '.claude');
  return {
    settings: join(base, scope === 'local' ? 'settings.local.json' : 'settings.json'),
    commands: join(base, 'commands', 'holdfast'),
    skill: join(base, 'skills', 'holdfast'),
  };
}
