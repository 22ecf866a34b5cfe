import { join } from 'node:path';
import { locate, readEnd } from '../../files/read-file.ts';
import { byRecency } from '../../sessions/select-run.ts';
import { LOG_FILE } from '../../state/paths.ts';
import type { Store } from '../../state/store/store.ts';
import { timeAgo } from '../../text/relative-time.ts';
import { asWord, quoted } from '../../text/sanitize.ts';
import type { Facts } from '../facts.ts';
import { note, ok, skipped, warning, type Finding } from '../finding.ts';
import { listArchive, readJournalOf } from '../../state/store/run-files.ts';

/** Whether the client really runs the hooks: when each last left a trace in holdfast's own records. */
export function checkTraces({
  store,
  now,
  host,
  registrations,
}: Facts): Finding[] {
  const last = new Map<string, number>();
  for (const [event, at] of tracesIn(store))
    if (event !== undefined && at > (last.get(event) ?? -Infinity))
      last.set(event, at);
  const evidence = [...last]
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

type Trace = [event: string | undefined, at: number];

function tracesIn(store: Store): Trace[] {
  const newest = byRecency([
    ...store.list().runs,
    ...listArchive(store.root).runs,
  ]).slice(0, 10);
  const { calls } = store.hookState();
  return [
    ...newest.flatMap((run) =>
      readJournalOf(store.root, run).map(({ event, by, at }): Trace => [
        eventBehind(event, by),
        Date.parse(at),
      ]),
    ),
    ...Object.entries(calls).map(([call, at]): Trace => [
      call.split(' ')[1],
      at,
    ]),
  ];
}

/** Only hooks write these journal entries; commands write others. */
function eventBehind(entry: string, by: unknown): string | undefined {
  if (typeof by === 'string' && by.startsWith('hook '))
    return by.slice('hook '.length);
  if (entry === 'restored') return 'SessionStart';
  return entry === 'session_ended' ? 'SessionEnd' : undefined;
}

const MAX_LINE = 300;
const RECENT = 7 * 24 * 3_600_000;

export function checkLog({ root, now }: Facts): Finding[] {
  const path = join(root, LOG_FILE);
  const place = locate(root, path);
  const lines =
    place === 'absent' ? [] : place === 'inside' ? readEnd(path, 64_000) : null;
  if (lines === null) return [skipped(`${LOG_FILE} is not a readable file`)];
  const last = lines.at(-1);
  if (last === undefined) return [ok('hooks have logged no failure')];
  const isOld = now.getTime() - Date.parse(last.split(' ')[0] ?? '') > RECENT;
  const shown = lines.slice(-3).map((line) => quoted(line, MAX_LINE));
  const tell = isOld ? note : warning;
  return [
    tell(
      'hooks have logged failures',
      `fix the causes, then delete ${LOG_FILE}`,
      shown,
    ),
  ];
}
