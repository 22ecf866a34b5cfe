import { join } from 'node:path';
import fse from 'fs-extra';
import { locate, readEnd } from '../../files/read-file.ts';
import { byRecency } from '../../state/recency.ts';
import { LOG_FILE } from '../../state/paths.ts';
import type { Store } from '../../state/store/store.ts';
import { timeAgo } from '../../text/relative-time.ts';
import { asWord, quoted } from '../../text/sanitize.ts';
import type { Facts } from '../facts.ts';
import { note, ok, skipped, warning, type Finding } from '../finding.ts';
import { readJournalOf } from '../../state/store/journal-files.ts';
import { listArchive } from '../../state/store/run-files.ts';

/** The journals of older runs say nothing about the hooks of today. */
const MAX_JOURNALS = 10;

/** Whether the client really runs the hooks: when each last left a trace in holdfast's own records. */
export function checkTraces(facts: Facts): Finding[] {
  const { store, now, host, registrations } = facts;
  const evidence = [...lastTraces(store)]
    .toSorted(([, one], [, other]) => other - one)
    .map(([event, at]) => `${asWord(event)}: ${timeAgo(at, now)}`);
  if (evidence.length > 0)
    return [ok('hooks have fired in this project', evidence)];
  if (host !== 'claude')
    return [skipped('no hook has left a trace in this project yet')];
  if (registrations.length === 0) return [skipped('no hooks are registered')];
  const fix =
    'type /compact in a session here: the client then lists the hooks it ran; if it lists none, restart it in the project root, trust the folder, and ask whether a policy of this machine forbids hooks';
  const reason = 'hooks that have nothing to do leave no trace';
  return [note('no hook has left a trace in this project yet', fix, [reason])];
}

/** When the hook of each event last left a trace, in milliseconds. */
function lastTraces(store: Store): Map<string, number> {
  const last = new Map<string, number>();
  const record = (event: string | undefined, at: number): void => {
    if (event === undefined) return;
    if (at > (last.get(event) ?? -Infinity)) last.set(event, at);
  };

  const runs = [...store.list().runs, ...listArchive(store.root).runs];
  for (const run of byRecency(runs).slice(0, MAX_JOURNALS))
    for (const { event, by, at } of readJournalOf(store.root, run))
      record(eventBehind(event, by), Date.parse(at));

  // A call is kept as `<session> <event> …`.
  for (const [call, at] of Object.entries(store.hookState().calls))
    record(call.split(' ')[1], at);
  return last;
}

/** Only hooks write these journal entries; commands write others. */
function eventBehind(entry: string, by: unknown): string | undefined {
  if (typeof by === 'string' && by.startsWith('hook '))
    return by.slice('hook '.length);
  if (entry === 'restored') return 'SessionStart';
  return entry === 'session_ended' ? 'SessionEnd' : undefined;
}

const MAX_LINE_CHARS = 300;
const MAX_LOG_BYTES = 64_000;
const SHOWN_LINES = 3;
/** Failures of more than a week ago are a note, not a warning. */
const RECENT_MS = 7 * 24 * 3_600_000;

/** The last failures that hooks have logged. */
export function checkLog({ root, now }: Facts): Finding[] {
  const path = join(root, LOG_FILE);
  const place = locate(root, path);
  const none = [ok('hooks have logged no failure')];
  if (place === 'absent') return none;
  // The repository may bring a link to a file that is kept from agents, such as .env.
  const isOwn = place === 'inside' && fse.lstatSync(path).isFile();
  const lines = isOwn ? readEnd(path, MAX_LOG_BYTES) : null;
  if (lines === null) return [skipped(`${LOG_FILE} is not a readable file`)];

  const last = lines.at(-1);
  if (last === undefined) return none;
  // Each line begins with its time.
  const lastAt = Date.parse(last.split(' ')[0] ?? '');
  const isOld = now.getTime() - lastAt > RECENT_MS;
  const advise = isOld ? note : warning;
  const shown = lines
    .slice(-SHOWN_LINES)
    .map((line) => quoted(line, MAX_LINE_CHARS));
  return [
    advise(
      'hooks have logged failures',
      `fix the causes, then delete ${LOG_FILE}`,
      shown,
    ),
  ];
}
