import { SessionRegistry, type LoadedModule } from './session-registry.ts';

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
  const registry = new SessionRegistry(config, at);
  const module = registry.entry(session)?.module;
  const isKnown = module?.version === version && module.project === project;
  if (isKnown && Math.abs(at - module.at) < NOTED_FOR) return;
  registry.update(session, (before) => ({
    ...before,
    module: { version: version.slice(0, 40), project, at },
  }));
}

/** The modules that sessions of this project have loaded, the latest first. */
export function modulesSeen({ config, now }: Place, project: string): LoadedModule[] {
  return new SessionRegistry(config, now.getTime())
    .entries()
    .flatMap(({ module }) => module ?? [])
    .filter((module) => module.project === project)
    .toSorted((a, b) => b.at - a.at);
}
