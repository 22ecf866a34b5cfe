import { canonicalPath, realPath } from '../../files/environment.ts';
import { holderOf } from '../../sessions/holder.ts';
import type { Project } from '../../sessions/open-project.ts';
import {
  findTranscript,
  firstTypedPrompt,
  readToolCalls,
  writtenPath,
} from '../../sessions/transcript.ts';
import type { Run } from '../../state/types.ts';
import { isWaitingPhase } from '../../state/waiting-phase.ts';
import { timeAgo } from '../../text/relative-time.ts';
import { asWord } from '../../text/sanitize.ts';

/** How long the transcript may be read: the host waits for the hook meanwhile. */
const TRANSCRIPT_MS = 500;
const MAX_PATH_CHARS = 160;

type WatchedProject = Pick<Project, 'config' | 'root' | 'settings' | 'now'>;

/**
 * That a phase which waits for the user's word may have begun all the same, for a text: after a later prompt of the user,
 * the session that holds the run edited a file of the project. Null if nothing shows that.
 */
export function earlyWorkText(
  project: WatchedProject,
  run: Run,
): string | null {
  const found = firstEarlyEdit(project, run);
  if (found === null) return null;
  const when = timeAgo(found.at, project.now);
  return `It may have begun: ${asWord(found.file, MAX_PATH_CHARS)} was edited ${when}, after a later prompt.`;
}

/** The first file that was edited after the first prompt that the user typed since the phase waits. */
function firstEarlyEdit(
  { config, root, settings }: WatchedProject,
  run: Run,
): { file: string; at: string } | null {
  const session = holderOf(run.state);
  const since = Date.parse(run.state.phase.waits_since ?? '');
  if (!isWaitingPhase(run.state) || session === null || Number.isNaN(since))
    return null;
  const transcript = findTranscript(config, session, root);
  if (transcript === null) return null;

  const deadline = Date.now() + TRANSCRIPT_MS;
  const isOverdue = (): boolean => Date.now() > deadline;
  const prompt = firstTypedPrompt(transcript, since, isOverdue);
  if (prompt === null) return null;

  // Those who keep the run's own books have not begun its phase by that.
  const bookkeeping = new Set([settings.todo.file, run.state.source?.path]);
  let first: { file: string; at: string } | null = null;
  // The latest call comes first.
  for (const call of readToolCalls(transcript, isOverdue) ?? []) {
    const { at = '' } = call;
    if (Date.parse(at) < Date.parse(prompt)) break;
    const path = writtenPath(call);
    const file = path === null ? null : projectFile(root, path);
    if (file !== null && !bookkeeping.has(file)) first = { file, at };
  }
  return first;
}

/** From the root; null outside the project and in `untracked/`, which is holdfast's own. */
function projectFile(root: string, path: string): string | null {
  for (const folder of [root, realPath(root)]) {
    const file = canonicalPath(folder, path);
    // A path outside the folder stays as it is.
    if (file !== path) return file.startsWith('untracked/') ? null : file;
  }
  return null;
}
