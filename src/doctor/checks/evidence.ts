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
import { transcriptFolder } from '../../sessions/find-transcript.ts';
import { readTranscripts, type SessionTranscript } from '../host/transcripts.ts';
import type { Check, DoctorContext, Finding } from '../types.ts';

const report = findingsFor('evidence');
const RECENT = 7 * 24 * 3_600_000;
/** How long after a compaction the guidance may follow. */
const SOON = 60_000;

/** Whether the client really runs the hooks: when each last fired here, and with which result. */
export const checkEvidence: Check = {
  run: (context) => {
    const registered = registrationsIn(context);
    const folders = new Set(
      [context.root, context.cwd].map((folder) => transcriptFolder(context.config, folder)),
    );
    const recorded = new Set(registered.flatMap((registration) => registration.recorded));
    const isOurs = (line: string): boolean => recorded.has(line) || isOurCommandLine(line);
    const transcripts = [...folders].flatMap((folder) => readTranscripts(folder, isOurs));
    const missed = unfired(context, registered, transcripts);
    const told = fired(context, registered, transcripts);
    return [
      // If hooks should have replied and did not, do not suggest that they had nothing to do.
      ...(missed.length === 0 ? told : told.filter(({ level }) => level === 'ok')),
      ...missed,
      ...failed(registered, transcripts),
      ...transcriptsLooked([...folders], transcripts),
      ...logged(context),
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
  if (evidence.length > 0) return [report.ok('hooks have fired in this project', { evidence })];
  if (registered.length === 0) return [report.skipped('no hooks are registered')];
  return [
    report.note('no hook has left a trace in this project yet', {
      evidence: ['hooks that have nothing to do leave no trace'],
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
        report.warning('the client says that holdfast hooks failed the last time they ran', {
          evidence,
          fix: fixCommandFor(registered),
        }),
      ];
}

/** Compactions in which one of our hooks should have replied and none did. */
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
          `session ${shortId(session)} was compacted ${timeAgo(at, now)} without a holdfast hook`,
      ),
  );
  return evidence.length === 0
    ? []
    : [
        report.warning('hooks are registered, but the client did not run them', {
          evidence,
          fix: 'restart Claude Code in the project root and trust the folder; see "settings" and "coverage" above',
        }),
      ];
}

function heldBefore({ state }: StoredRun, session: string, at: number): boolean {
  const started = Date.parse(sessionRecord(state, session)?.started_at ?? '');
  return holderOf(state) === session && started < at;
}

/** Infinity if nothing is registered, so that no event counts. */
function sinceOf(registered: readonly Registration[]): number {
  return Math.min(...registered.map(({ since }) => since));
}

function transcriptsLooked(
  folders: readonly string[],
  transcripts: readonly SessionTranscript[],
): Finding[] {
  return transcripts.length === 0
    ? [
        report.skipped('the client has no transcript of a session here', {
          evidence: folders.map((folder) => `looked in ${folder}`),
        }),
      ]
    : [
        report.ok(`${pluralize(transcripts.length, 'transcript')} of the client read`, {
          evidence: transcripts.map(
            ({ session, traces, compactions }) =>
              `session ${shortId(session)}: ${pluralize(compactions.length, 'compaction')}, ${pluralize(traces.length, 'record')} of our hooks`,
          ),
        }),
      ];
}

function logged({ root, now }: DoctorContext): Finding[] {
  const failures = lastFailures(root);
  if (failures === undefined) return [report.skipped(`${LOG_FILE} is not a readable file`)];
  if (failures === null) return [report.ok('hooks have logged no failure')];
  const isOld = now.getTime() - failures.lastAt > RECENT;
  const tell = isOld ? report.note : report.warning;
  return [
    tell('hooks have logged failures', {
      evidence: failures.lines,
      fix: `fix the causes, then delete ${LOG_FILE}`,
    }),
  ];
}
