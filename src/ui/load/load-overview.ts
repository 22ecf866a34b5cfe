import { placesIn, readClientSettings } from '../../doctor/client-settings.ts';
import { previewSync } from '../../operations/detected-run.ts';
import { STATE_FOLDER } from '../../state/paths.ts';
import { listSetAside } from '../../state/store/set-aside.ts';
import { requireFolderOrNothing } from '../../state/store/state-folder.ts';
import { overview } from '../model/overview.ts';
import type { Overview } from '../model/types/overview.ts';
import { openForPage, type PageProject } from './open-for-page.ts';
import { listArchive } from '../../state/store/list-runs.ts';

export function loadOverview(project: PageProject, now: Date): Overview {
  requireFolderOrNothing(project.root, STATE_FOLDER);
  const context = openForPage(project, now);
  const stored = context.store.list();
  return overview({
    ...context,
    home: project.home,
    stored,
    archive: listArchive(context.store.root),
    changes: previewSync(context, stored.runs).changes,
    setAside: listSetAside(project.root),
    hooks: placesIn(readClientSettings(project).registrations),
  });
}
