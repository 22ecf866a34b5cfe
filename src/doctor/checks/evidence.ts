import { sanitizeLine, truncate, shortId } from '../../util/sanitize.ts';
import { timeAgo, pluralize } from '../../util/relative-time.ts';
import { holderOf, sessionRecord } from '../../sessions/holder.ts';
import { LOG_FILE } from '../../state/paths.ts';
import { isActive } from '../../sessions/select-run.ts';
import type { StoredRun } from '../../state/types.ts';
import { findingsFor } from '../findings.ts';
import { lastFailures } from '../host/hook-log.ts';
import { fixCommandFor } from '../fix-command.ts';
import { isOurCommandLine, registrationsIn, type Registration } from '../host/registrations.ts';
import { stateTraces } from '../host/state-traces.ts';
import type { HookExecution } from '../host/transcript.ts';
import { readTranscripts, transcriptFolder, type SessionTranscript } from '../host/transcripts.ts';
import type { Check, DoctorContext, Finding } from '../types.ts';

const say = findingsFor('evidence');
const RECENT = 7 * 24 * 3_600_000;
/** How long after a compaction its guidance may come. */
const SOON = 60_000;

/** Whether the host really runs the hooks: when each last fired here, and how it ended. */
export const checkEvidence: Check = {
  run: (examined) => {
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
  trace: HookExecution;
  from: string;
}

function fired(
  { store, now }: DoctorContext,
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
      trace.failure === null
        ? 'ended well'
        : `failed: ${truncate(sanitizeLine(trace.failure), 120)}`;
    return `${sanitizeLine(trace.event)}: ${timeAgo(trace.at, now)}, ${end} (${from})`;
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
      ? [`${sanitizeLine(event)}: ${truncate(sanitizeLine(failure), 200)}`]
      : [],
  );
  return evidence.length === 0
    ? []
    : [
        say.warning('the client says that hooks of ours failed the last time they ran', {
          evidence,
          fix: fixCommandFor(registered),
        }),
      ];
}

/** Compactions in which a hook of ours would have had to speak, and none did. */
function unfired(
  { store, now }: DoctorContext,
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
          `session ${shortId(session)} was compacted ${timeAgo(at, now)} without a hook of ours`,
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
  const started = Date.parse(sessionRecord(state, session)?.started_at ?? '');
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
        say.ok(`${pluralize(transcripts.length, 'transcript')} of the client looked through`, {
          evidence: transcripts.map(
            ({ session, traces, compactions }) =>
              `session ${shortId(session)}: ${pluralize(compactions.length, 'compaction')}, ${pluralize(traces.length, 'record')} of our hooks`,
          ),
        }),
      ];
}

function logged({ root, now }: DoctorContext): Finding[] {
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
