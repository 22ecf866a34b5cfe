import { describeSourceProblem } from '../../errors/sources.ts';
import type { SourceFile, SourceUpdate } from '../../sync/types.ts';
import { sanitizeLine, shortId } from '../../util/sanitize.ts';
import { readingList } from '../../reading/reading-list.ts';
import { timeAgo, pluralize } from '../../util/relative-time.ts';
import { projectFiles } from '../../reading/project-files.ts';
import { readProjectFile } from '../../io/read-file.ts';
import { readSyncInput } from '../../sync/read-sources.ts';
import { holderOf, isHeldByLiveSession } from '../../sessions/holder.ts';
import { phaseLabel } from '../../state/phases.ts';
import { recencyOf, isActive } from '../../sessions/select-run.ts';
import { planSync, sourcesFor } from '../../sync/plan-sync.ts';
import { isStale } from '../../sync/source-state.ts';
import { planOf } from '../../state/started-plan.ts';
import type { RunState, StoredRun } from '../../state/types.ts';
import { MAX_TODO_BYTES } from '../../todo/list.ts';
import { pivotsOf } from '../../workflow/machine/pivot-count.ts';
import { findingsFor } from '../findings.ts';
import { quoteForShell } from '../quote-for-shell.ts';
import type { Check, DoctorContext, Finding } from '../types.ts';

const report = findingsFor('runs');

/** Whether active runs are still worked on, and have the files they need. */
export const checkRuns: Check = {
  run: (context) => {
    const { settings, store } = context;
    const { runs } = store.list();
    const read = readSyncInput(
      { ...context, settings: settings.settings, session: null },
      { runs, sourceRecords: store.sourceRecords() },
    );
    const active = runs.filter(isActive);
    if (active.length === 0) return [report.ok('no run is active'), ...contradictions(read)];
    const troubles = [
      ...active.flatMap((run) => abandoned(context, run, read.input.sources)),
      ...active.flatMap((run) => missingReading(context, run)),
      ...active.flatMap((run) => lostTodo(context, run)),
      ...active.flatMap(pivotLimitReached),
      ...contradictions(read),
    ];
    const names = active.map(
      ({ runId, state }) =>
        `${runId}: phase ${sanitizeLine(phaseLabel(state.phase))}${originOf(state)}`,
    );
    return [report.ok(pluralize(active.length, 'active run'), { evidence: names }), ...troubles];
  },
};

/** The plan that the run comes from, and the tool that wrote it. */
function originOf(state: RunState): string {
  const plan = planOf(state);
  const format = state.source?.['format'];
  if (plan === undefined) return '';
  const tool = typeof format === 'string' ? ` (${sanitizeLine(format)})` : '';
  return `, from ${sanitizeLine(plan)}${tool}`;
}

function abandoned(
  context: DoctorContext,
  run: StoredRun,
  sources: readonly SourceFile[],
): Finding[] {
  if (!isStale(run, sources, context.now) || isHeldByLiveSession(run, context)) return [];
  const holder = holderOf(run.state);
  const touched = `last touched ${timeAgo(recencyOf(run), context.now)}`;
  return [
    report.note(`${run.runId} is active, but no session works on it`, {
      evidence: [holder === null ? touched : `${touched}, held by session ${shortId(holder)}`],
      fix: `end it with \`holdfast complete ${quoteForShell(run.runId)}\`, or continue it with \`holdfast resume ${quoteForShell(run.runId)}\` in a session`,
    }),
  ];
}

/** The todo list that the run uses and its guidance shows. */
function lostTodo({ root }: DoctorContext, { runId, state }: StoredRun): Finding[] {
  const path = state.todo?.['path'];
  if (typeof path !== 'string') return [];
  const file = readProjectFile(root, path, MAX_TODO_BYTES);
  if (file.kind === 'text') return [];
  const why = file.kind === 'absent' ? 'it is gone' : file.why;
  return [
    report.note(`the todo list of ${runId} cannot be read`, {
      evidence: [`${sanitizeLine(path)}: ${why}`],
      fix: 'restore it, or write a new one with `holdfast todo set -`',
    }),
  ];
}

/** Runs that cannot be read are reported by the check of the state. */
function pivotLimitReached({ runId, state }: StoredRun): Finding[] {
  const pivots = pivotsOf(state);
  if (pivots === null || pivots.made < pivots.max) return [];
  const { phase } = state;
  return [
    report.warning(`${runId} has reached the pivot limit of its template`, {
      evidence: [
        `${pluralize(pivots.made, 'pivot')}, now at phase ${sanitizeLine(phaseLabel(phase))} (${phase.status})`,
      ],
      fix: `resolve why the work keeps being sent back, then \`holdfast advance ${quoteForShell(runId)}\`, or give it up with \`holdfast fail ${quoteForShell(runId)} --reason "…"\``,
    }),
  ];
}

function missingReading({ root }: DoctorContext, { runId, state }: StoredRun): Finding[] {
  // A plan outside the project is required on purpose: the agent opens it, and holdfast does not have to.
  const plan = `@${planOf(state) ?? ''}`;
  const missing = readingList(state, projectFiles(root)).filter(
    (entry) => entry.state === 'missing' || (entry.state === 'outside' && entry.path !== plan),
  );
  const [first] = missing;
  if (first === undefined) return [];
  return [
    report.warning(`${runId} requires files that cannot be read`, {
      evidence: missing.map(({ path, state: why }) => `${sanitizeLine(path)} (${why})`),
      fix: `restore the file, or \`holdfast update ${quoteForShell(runId)} --unread ${quoteForShell(first.path.slice(1))}\``,
    }),
  ];
}

/** Local files and plans that declare another phase than the state of their run. */
function contradictions({ input, problems }: ReturnType<typeof readSyncInput>): Finding[] {
  const { runs } = input;
  const changes = planSync(input);
  return [
    ...problems.map((problem) =>
      report.warning(describeSourceProblem(problem), { fix: `make ${problem.path} readable` }),
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
    `${source.path}${source.format ? ` (${source.format})` : ''}: phase ${told}`,
    `${run.path}: phase ${sanitizeLine(phaseLabel(phase))}`,
  ];
  return [
    next === told
      ? report.warning(`${source.path} and the state of ${run.runId} name different phases`, {
          evidence: [
            ...evidence,
            `${source.path} is newer and applies from the next compaction on`,
          ],
          fix: `holdfast update ${quoteForShell(run.runId)} --phase ${told}`,
        })
      : report.warning(`${source.path} and the state of ${run.runId} name different phases`, {
          evidence: [...evidence, 'the state applies'],
          fix:
            source.format === undefined
              ? `write phase ${phase.current} into ${source.path}`
              : `tick the items that are done in ${source.path}, or \`holdfast update ${quoteForShell(run.runId)} --phase ${told}\``,
        }),
  ];
}
