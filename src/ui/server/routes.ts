import { isFolder } from '../../operations/open-project.ts';
import { loadGuidance } from '../load/load-guidance.ts';
import { loadOverview } from '../load/load-overview.ts';
import { loadRestored } from '../load/load-restored.ts';
import { loadRun } from '../load/load-run.ts';
import type { PageProject } from '../load/open-for-page.ts';
import { unreachable } from '../../util/unreachable.ts';
import { jsonAnswer, refused, type Answer } from './answers.ts';
import type { Route } from './request-check.ts';

export type DataRoute = Extract<Route, { kind: 'overview' | 'run' | 'guidance' | 'restored' }>;

/** The data that a page asks for. No route takes a path: a run is looked up by its id among those there are. */
export function answerData(route: DataRoute, project: PageProject, now: Date): Answer {
  if (!isFolder(project.root))
    return jsonAnswer(
      refused(
        'project_gone',
        `the project folder ${project.root} no longer exists`,
        'restore it, or stop this server with Ctrl-C',
      ),
      410,
    );
  const data = load(route, project, now);
  return data === null
    ? jsonAnswer(
        refused(
          'unknown_run',
          'this run no longer exists',
          '`holdfast list --all` lists the others',
        ),
        404,
      )
    : jsonAnswer(data);
}

function load(route: DataRoute, project: PageProject, now: Date): object | null {
  switch (route.kind) {
    case 'overview':
      return loadOverview(project, now);
    case 'run':
      return loadRun(project, route.id, now);
    case 'guidance':
      return loadGuidance(project, route.id, now);
    case 'restored':
      return loadRestored(project, route.id, route.at, now);
    default:
      return unreachable(route);
  }
}
