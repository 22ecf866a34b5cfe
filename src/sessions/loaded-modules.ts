import { SessionEntries, type LoadedModule } from './session-entries.ts';

const NOTED_FOR = 3_600_000;

interface Place {
  /** The user's configuration folder of Claude Code. */
  config: string;
  now: Date;
}

/** Evidence that the client has loaded the module, which asks at the end of every turn. */
export function recordModule(
  { config, now }: Place,
  session: string,
  { version, project }: Pick<LoadedModule, 'version' | 'project'>,
): void {
  const at = now.getTime();
  const entries = new SessionEntries(config, at);
  const before = entries.read(session) ?? { session };
  const { module } = before;
  const isKnown = module?.version === version && module.project === project;
  if (isKnown && Math.abs(at - module.at) < NOTED_FOR) return;
  entries.write({ ...before, module: { version: version.slice(0, 40), project, at } });
}

/** The modules that sessions of this project have loaded, the latest first. */
export function modulesSeen({ config, now }: Place, project: string): LoadedModule[] {
  return new SessionEntries(config, now.getTime())
    .all()
    .flatMap(({ module }) => module ?? [])
    .filter((module) => module.project === project)
    .toSorted((a, b) => b.at - a.at);
}
