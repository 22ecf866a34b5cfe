import type { LoadedModule } from './session-entry.ts';
import type { SessionRegistry } from './session-registry.ts';

const NOTED_FOR = 3_600_000;

/** Evidence that the client has loaded the module, which asks at the end of every turn. */
export function recordModule(
  { entries, now }: SessionRegistry,
  session: string,
  { version, project }: Omit<LoadedModule, 'at'>,
): void {
  const before = entries.read(session) ?? { session };
  const { module } = before;
  const isKnown = module?.version === version && module.project === project;
  if (isKnown && Math.abs(now - module.at) < NOTED_FOR) return;
  entries.write({ ...before, module: { version: version.slice(0, 40), project, at: now } });
}

/** The modules that sessions of this project have loaded, the latest first. */
export function modulesSeen({ entries }: SessionRegistry, project: string): LoadedModule[] {
  return entries
    .all()
    .flatMap(({ module }) => module ?? [])
    .filter((module) => module.project === project)
    .toSorted((a, b) => b.at - a.at);
}
