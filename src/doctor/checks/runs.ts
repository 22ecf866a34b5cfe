import type { SourceUpdate } from '../../sync/types.ts';
import { sanitizeLine, shortId } from '../../util/sanitize.ts';
import { readingList } from '../../reading/reading-list.ts';
import { timeAgo, pluralize } from '../../util/relative-time.ts';
import { projectFiles } from '../../reading/project-files.ts';
import { readProjectFile } from '../../io/read-file.ts';
import { readSyncInput } from '../../sync/sync-input.ts';
import { holderOf, isHeldByLiveSession } from '../../sessions/holder.ts';
import { phaseLabel } from '../../state/phases.ts';
import { isStale, recencyOf } from '../../sessions/recency.ts';
import { isActive } from '../../sessions/select-run.ts';
import { planSync, sourcesFor } from '../../sync/plan-sync.ts';
import type { StoredRun } from '../../state/types.ts';
import { MAX_TODO_BYTES } from '../../todo/list.ts';
import { pivotsOf } from '../../workflow/machine/pivot-count.ts';
import { findingsFor } from '../findings.ts';
import { quoteForShell } from '../quote-for-shell.ts';
import type { Check, DoctorContext, Finding } from '../types.ts';

const say = findingsFor('runs');

/** Whether the active runs are what somebody works on, and have what they need. */
export const checkRuns: Check = {
  run: (examined) => {
    const active = examined.store.list().runs.filter(isActive);
    if (active.length === 0) return [say.ok('no run is active'), ...contradictions(examined)];
    const troubles = [
      ...active.flatMap((run) => abandoned(examined, run)),
      ...active.flatMap((run) => missingReading(examined, run)),
      ...active.flatMap((run) => lostTodo(examined, run)),
      ...active.flatMap(pivotLimitReached),
      ...contradictions(examined),
    ];
    const names = active.map(
      (run) => `${run.runId}: phase ${sanitizeLine(phaseLabel(run.state.phase))}`,
    );
    return [say.ok(pluralize(active.length, 'active run'), { evidence: names }), ...troubles];
  },
};

function abandoned(examined: DoctorContext, run: StoredRun): Finding[] {
  if (!isStale(run, examined.now) || isHeldByLiveSession(run, examined)) return [];
  const holder = holderOf(run.state);
  const touched = `last touched ${timeAgo(recencyOf(run), examined.now)}`;
  return [
    say.note(`${run.runId} is active, but nobody works on it`, {
      evidence: [holder === null ? touched : `${touched}, held by session ${shortId(holder)}`],
      fix: `end it with \`holdfast complete ${quoteForShell(run.runId)}\`, or go on with \`holdfast claim ${quoteForShell(run.runId)}\` in a session`,
    }),
  ];
}

/** A list that the run wrote to, and that its guidance would show. */
function lostTodo({ root }: DoctorContext, { runId, state }: StoredRun): Finding[] {
  const path = state.todo?.['path'];
  if (typeof path !== 'string') return [];
  const file = readProjectFile(root, path, MAX_TODO_BYTES);
  if (file.kind === 'text') return [];
  const why = file.kind === 'absent' ? 'it is gone' : file.why;
  return [
    say.note(`the todo list of ${runId} cannot be read`, {
      evidence: [`${sanitizeLine(path)}: ${why}`],
      fix: 'bring it back, or write a new one with `holdfast todo set -`',
    }),
  ];
}

/** A run that broke is told of elsewhere. */
function pivotLimitReached({ runId, state }: StoredRun): Finding[] {
  const pivots = pivotsOf(state);
  if (pivots === null || pivots.made < pivots.max) return [];
  const { phase } = state;
  return [
    say.warning(`${runId} was sent back as often as its template allows`, {
      evidence: [
        `${pluralize(pivots.made, 'pivot')}, now at phase ${sanitizeLine(phaseLabel(phase))} (${phase.status})`,
      ],
      fix: `settle what sends it back, then \`holdfast advance ${quoteForShell(runId)}\`, or give it up with \`holdfast fail ${quoteForShell(runId)} --reason "…"\``,
    }),
  ];
}

function missingReading({ root }: DoctorContext, { runId, state }: StoredRun): Finding[] {
  const missing = readingList(state, projectFiles(root)).filter(
    (entry) => entry.state === 'missing' || entry.state === 'outside',
  );
  const [first] = missing;
  if (first === undefined) return [];
  return [
    say.warning(`${runId} requires reading that is not there`, {
      evidence: missing.map(({ path, state: why }) => `${sanitizeLine(path)} (${why})`),
      fix: `bring the file back, or \`holdfast update ${quoteForShell(runId)} --unread ${quoteForShell(first.path.slice(1))}\``,
    }),
  ];
}

/** A marker or plan that names another phase than the state of its run. */
function contradictions(examined: DoctorContext): Finding[] {
  const { settings, store } = examined;
  const { runs } = store.list();
  const { input, problems } = readSyncInput(
    { ...examined, settings: settings.settings, session: null },
    { runs, sourceRecords: store.sourceRecords() },
  );
  const changes = planSync(input);
  return [
    ...problems.map(({ path, why }) =>
      say.warning(`${path} was not read: ${why}`, { fix: `make ${path} readable` }),
    ),
    ...runs.filter(isActive).flatMap((run) => {
      const change = changes.find((each) => each.kind === 'update' && each.run === run);
      const next = change?.kind === 'update' ? change.state.phase.current : run.state.phase.current;
      return sourcesFor(run, input).flatMap((feeding) => contradiction(run, feeding, next));
    }),
  ];
}

function contradiction(
  run: StoredRun,
  { source, declared }: SourceUpdate,
  next: number,
): Finding[] {
  const told = declared.phase?.current;
  const { phase } = run.state;
  if (told === undefined || told === phase.current) return [];
  const evidence = [
    `${source.path}: phase ${told}`,
    `${run.path}: phase ${sanitizeLine(phaseLabel(phase))}`,
  ];
  return [
    next === told
      ? say.warning(`${source.path} and the state of ${run.runId} name different phases`, {
          evidence: [...evidence, `${source.path} is newer and counts from the next compaction on`],
          fix: `holdfast update ${quoteForShell(run.runId)} --phase ${told}`,
        })
      : say.warning(`${source.path} and the state of ${run.runId} name different phases`, {
          evidence: [...evidence, 'the state counts'],
          fix: `write phase ${phase.current} into ${source.path}`,
        }),
  ];
}
