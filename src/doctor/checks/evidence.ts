import { sanitizeLine } from '../../util/sanitize.ts';
import { timeAgo } from '../../util/relative-time.ts';
import { LOG_FILE } from '../../state/paths.ts';
import { findingsFor } from '../findings.ts';
import { lastFailures } from '../host/hook-log.ts';
import { registrationsIn } from '../host/registrations.ts';
import { stateTraces, type Trace } from '../host/state-traces.ts';
import type { Check, DoctorContext, Finding } from '../types.ts';

const report = findingsFor('evidence');
const RECENT = 7 * 24 * 3_600_000;

/** Whether the client really runs the hooks: when each last left a trace in holdfast's own records, and what failed. */
export const checkEvidence: Check = {
  run: (context) => [fired(context), logged(context)],
};

function fired(context: DoctorContext): Finding {
  const evidence = lastOfEach(stateTraces(context.store)).map(
    ({ event, at }) => `${sanitizeLine(event)}: ${timeAgo(at, context.now)}`,
  );
  if (evidence.length > 0) return report.ok('hooks have fired in this project', { evidence });
  if (registrationsIn(context).length === 0) return report.skipped('no hooks are registered');
  return report.note('no hook has left a trace in this project yet', {
    evidence: ['hooks that have nothing to do leave no trace'],
    fix: 'type /compact in a session here: the client then lists the hooks it ran; if it lists none, restart it in the project root, trust the folder, and ask whether a policy of this machine forbids hooks',
  });
}

function lastOfEach(traces: readonly Trace[]): Trace[] {
  const last = new Map<string, Trace>();
  for (const trace of traces)
    if (trace.at > (last.get(trace.event)?.at ?? -Infinity)) last.set(trace.event, trace);
  return [...last.values()].toSorted((a, b) => b.at - a.at);
}

function logged({ root, now }: DoctorContext): Finding {
  const failures = lastFailures(root);
  if (failures === undefined) return report.skipped(`${LOG_FILE} is not a readable file`);
  if (failures === null) return report.ok('hooks have logged no failure');
  const isOld = now.getTime() - failures.lastAt > RECENT;
  const tell = isOld ? report.note : report.warning;
  return tell('hooks have logged failures', {
    evidence: failures.lines,
    fix: `fix the causes, then delete ${LOG_FILE}`,
  });
}
