import { oneLine, shortened, shortId } from '../guidance/plain.ts';
import { ago, counted } from '../guidance/words.ts';
import { holderOf, recordOf } from '../sessions/history.ts';
import { LOG_FILE } from '../state/places.ts';
import { isActive } from '../state/select.ts';
import type { StoredRun } from '../state/types.ts';
import { findingsOf } from './findings.ts';
import { lastFailures } from './hook-log.ts';
import { initFor } from './init-for.ts';
import { isOurCommandLine, registrationsIn, type Registration } from './registrations.ts';
import { stateTraces } from './state-traces.ts';
import type { Trace } from './transcript.ts';
import { readTranscripts, transcriptFolder, type SessionTranscript } from './transcripts.ts';
import type { Check, Examined, Finding } from './types.ts';

const say = findingsOf('evidence');
const RECENT = 7 * 24 * 3_600_000;
/** How long after a compaction its guidance may come. */
const SOON = 60_000;

/** Whether the host really runs the hooks: when each last fired here, and how it ended. */
export const checkEvidence: Check = {
  examine: (examined) => {
    const registered = registrationsIn(examined);
    const folders = new Set(
      [examined.root, examined.cwd].map((folder) => transcriptFolder(examined.config, folder)),
    );
    const recorded = new Set(registered.flatMap((registration) => registration.recorded));
    const isOurs = (line: string): boolean => recorded.has(line) || isOurCommandLine(line);
    const transcripts = [...folders].flatMap((folder) => readTranscripts(folder, isOurs));
    const missed = unfired(examined, registered, transcripts);
    const told = fired(examined, registered, transcripts);
    return [
      // That hooks may simply have had nothing to do is no comfort where they should have spoken.
      ...(missed.length === 0 ? told : told.filter(({ level }) => level === 'ok')),
      ...missed,
      ...failed(registered, transcripts),
      ...transcriptsLooked([...folders], transcripts),
      ...logged(examined),
    ];
  },
};

interface Origin {
  trace: Trace;
  from: string;
}

function fired(
  { store, now }: Examined,
  registered: readonly Registration[],
  transcripts: readonly SessionTranscript[],
): Finding[] {
  const origins: Origin[] = [
    ...stateTraces(store).map((trace) => ({ trace, from: 'the state' })),
    ...transcripts.flatMap(({ session, traces }) =>
      traces.map((trace) => ({ trace, from: `the transcript of session ${shortId(session)}` })),
    ),
  ];
  const evidence = lastOfEach(origins).map(({ trace, from }) => {
    const end =
      trace.failure === null ? 'ended well' : `failed: ${shortened(oneLine(trace.failure), 120)}`;
    return `${oneLine(trace.event)}: ${ago(trace.at, now)}, ${end} (${from})`;
  });
  if (evidence.length > 0) return [say.ok('hooks have fired in this project', { evidence })];
  if (registered.length === 0) return [say.skipped('no hook is registered that could have fired')];
  return [
    say.note('no hook has left a trace in this project yet', {
      evidence: ['a hook that has nothing to do leaves none'],
      fix: 'type /compact in a session here: the client then lists the hooks it ran',
    }),
  ];
}

function lastOfEach(origins: readonly Origin[]): Origin[] {
  const last = new Map<string, Origin>();
  for (const origin of origins) {
    const { event, at } = origin.trace;
    if (at > (last.get(event)?.trace.at ?? -Infinity)) last.set(event, origin);
  }
  return [...last.values()].toSorted((a, b) => b.trace.at - a.trace.at);
}

function failed(
  registered: readonly Registration[],
  transcripts: readonly SessionTranscript[],
): Finding[] {
  const origins = transcripts.flatMap(({ traces }) => traces.map((trace) => ({ trace, from: '' })));
  const evidence = lastOfEach(origins).flatMap(({ trace: { event, at, failure } }) =>
    failure !== null && at > sinceOf(registered)
      ? [`${oneLine(event)}: ${shortened(oneLine(failure), 200)}`]
      : [],
  );
  return evidence.length === 0
    ? []
    : [
        say.warning('the client says that hooks of ours failed the last time they ran', {
          evidence,
          fix: initFor(registered),
        }),
      ];
}

/** Compactions in which a hook of ours would have had to speak, and none did. */
function unfired(
  { store, now }: Examined,
  registered: readonly Registration[],
  transcripts: readonly SessionTranscript[],
): Finding[] {
  const active = store.list().runs.filter(isActive);
  const evidence = transcripts.flatMap(({ session, traces, compactions }) =>
    compactions
      .filter(({ at, isListed }) => {
        if (at <= sinceOf(registered) || isListed === true) return false;
        const isRestored = traces.some((trace) => Math.abs(trace.at - at) < SOON);
        const wasDue = active.some((run) => heldBefore(run, session, at));
        return !isRestored && (isListed === false || wasDue);
      })
      .map(
        ({ at }) =>
          `session ${shortId(session)} was compacted ${ago(at, now)} without a hook of ours`,
      ),
  );
  return evidence.length === 0
    ? []
    : [
        say.warning('hooks are registered, but the client did not run them', {
          evidence,
          fix: 'start Claude Code anew in the project root and trust the folder; see the settings and the coverage here',
        }),
      ];
}

function heldBefore({ state }: StoredRun, session: string, at: number): boolean {
  const started = Date.parse(recordOf(state, session)?.started_at ?? '');
  return holderOf(state) === session && started < at;
}

/** Infinity where nothing is registered: then nothing that happened is held against it. */
function sinceOf(registered: readonly Registration[]): number {
  return Math.min(...registered.map(({ since }) => since));
}

function transcriptsLooked(
  folders: readonly string[],
  transcripts: readonly SessionTranscript[],
): Finding[] {
  return transcripts.length === 0
    ? [
        say.skipped('the client has kept no transcript of a session here', {
          evidence: folders.map((folder) => `looked in ${folder}`),
        }),
      ]
    : [
        say.ok(`${counted(transcripts.length, 'transcript')} of the client looked through`, {
          evidence: transcripts.map(
            ({ session, traces, compactions }) =>
              `session ${shortId(session)}: ${counted(compactions.length, 'compaction')}, ${counted(traces.length, 'record')} of our hooks`,
          ),
        }),
      ];
}

function logged({ root, now }: Examined): Finding[] {
  const failures = lastFailures(root);
  if (failures === undefined) return [say.skipped(`${LOG_FILE} is no file that can be read`)];
  if (failures === null) return [say.ok('hooks have logged no failure')];
  const isOld = now.getTime() - failures.lastAt > RECENT;
  const tell = isOld ? say.note : say.warning;
  return [
    tell('hooks have logged failures', {
      evidence: failures.lines,
      fix: `solve what they name, then delete ${LOG_FILE}`,
    }),
  ];
}
