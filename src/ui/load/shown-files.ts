import { requiredPaths } from '../../reading/reading-list.ts';
import { canonicalPath } from '../../io/canonical-path.ts';
import { openForPage, type PageProject } from './open-for-page.ts';

/** The required files and the sources of the runs that pages show, relative to the project root. */
export function filesShownBy(project: PageProject, shown: readonly string[], now: Date): string[] {
  if (shown.length === 0) return [];
  const { root } = project;
  const { runs } = openForPage(project, now).store.list();
  return runs
    .filter(({ runId }) => shown.includes(runId))
    .flatMap(({ state }) => [
      ...requiredPaths(state, { canonical: (path) => canonicalPath(root, path) }).map((path) =>
        path.slice(1),
      ),
      ...(state.source?.path === undefined ? [] : [state.source.path]),
    ]);
}
