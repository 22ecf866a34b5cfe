import { HoldfastError } from '../../errors/holdfast-error.ts';
import { previewGuidance } from '../../operations/guidance.ts';
import { guidancePage, noGuidance } from '../model/guidance-page.ts';
import type { GuidancePage } from '../model/types/guidance.ts';
import { openForPage, type PageProject } from './open-for-page.ts';
import { listArchive } from '../../state/store/list-runs.ts';

/** What a session gets that continues the run after a compaction. Null if no run has this id. */
export function loadGuidance(project: PageProject, id: string, now: Date): GuidancePage | null {
  const context = openForPage(project, now);
  const { max_chars: maxCharacters } = context.settings.restore;
  const isOf = ({ runId }: { runId: string }): boolean => runId === id;
  const run = context.store.list().runs.find(isOf);
  if (run === undefined)
    return listArchive(context.store.root).runs.some(isOf)
      ? noGuidance('archived runs are never restored', maxCharacters)
      : null;
  const { status } = run.state;
  if (status === 'completed' || status === 'cancelled')
    return noGuidance(`${status} runs are never restored`, maxCharacters);
  try {
    const { restoration } = previewGuidance(context, id, 'compact', { isResumed: true });
    const page = guidancePage(restoration, maxCharacters);
    return status === 'in_progress'
      ? { ...page, why: 'the session that continues this run gets it after a compaction' }
      : { ...page, why: `${status} runs are not restored; this is what \`holdfast resume\` gives` };
  } catch (error) {
    // The sync that a compaction starts with can end the run.
    if (!(error instanceof HoldfastError) || error.code !== 'unknown_run') throw error;
    return noGuidance(
      'the source of this run has ended it: the next compaction archives it',
      maxCharacters,
    );
  }
}
