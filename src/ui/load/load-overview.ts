import { listSetAside } from '../../state/store/set-aside.ts';
import { placesIn, registrationsIn } from '../../doctor/host/registrations.ts';
import { STATE_FOLDER } from '../../state/paths.ts';
import { requireFolderOrNothing } from '../../state/store/state-folder.ts';
import { previewSync } from '../../operations/sync-preview.ts';
import { overview } from '../model/overview.ts';
import type { Overview } from '../model/types/overview.ts';
import { openForPage, type PageProject } from './open-for-page.ts';

export function loadOverview(project: PageProject, now: Date): Overview {
  requireFolderOrNothing(project.root, STATE_FOLDER);
  const context = openForPage(project, now);
  const stored = context.store.list();
  return overview({
    ...context,
    home: project.home,
    stored,
    archive: context.store.archive(),
    changes: previewSync(context, stored.runs).changes,
    setAside: listSetAside(project.root),
    hooks: placesIn(registrationsIn(project)),
  });
}
