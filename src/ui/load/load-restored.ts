import { readEnd } from '../../io/read-end.ts';
import { findTranscript } from '../../sessions/find-transcript.ts';
import { sectionsOfRestored } from '../model/restored.ts';
import { injectedTexts } from '../model/transcript-texts.ts';
import type { RestoredText } from '../model/types/timeline.ts';
import { openForPage, type PageProject } from './open-for-page.ts';
import { listArchive } from '../../state/store/list-runs.ts';
import { readJournalOf } from '../../state/store/journal-file.ts';

const MAX_TRANSCRIPT_BYTES = 32_000_000;
/** How far the client's clock for its transcript may be from the time in the journal. */
const NEAR_MS = 60_000;

/**
 * The very text that a restore gave to the session, from the transcript that the client keeps. Null if no run has this
 * id. The request names an event of the journal, never a file: the session of that event decides which transcript.
 */
export function loadRestored(
  project: PageProject,
  id: string,
  at: string,
  now: Date,
): RestoredText | null {
  const context = openForPage(project, now);
  const isNamed = ({ runId }: { runId: string }): boolean => runId === id;
  const run =
    context.store.list().runs.find(isNamed) ?? listArchive(context.store.root).runs.find(isNamed);
  if (run === undefined) return null;
  const event = readJournalOf(context.store.root, run).find(
    (candidate) => candidate.event === 'restored' && candidate.at === at,
  );
  const session = event?.['session_id'];
  if (event === undefined || typeof session !== 'string') return { sections: null };
  const transcript = findTranscript(context.config, session, context.root);
  const lines = transcript === null ? null : readEnd(transcript, MAX_TRANSCRIPT_BYTES);
  const time = Date.parse(at);
  const [nearest] = injectedTexts(lines ?? [])
    .filter(({ text }) => text.length === event['characters'])
    .map((injected) => ({ ...injected, distance: Math.abs(injected.at - time) }))
    .filter(({ distance }) => distance <= NEAR_MS)
    .toSorted((a, b) => a.distance - b.distance);
  return { sections: nearest === undefined ? null : sectionsOfRestored(nearest.text, event) };
}
