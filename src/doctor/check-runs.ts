import { oneLine, shortId } from '../guidance/plain.ts';
import { readingList } from '../guidance/reading-list.ts';
import { ago, counted } from '../guidance/words.ts';
import { projectFiles } from '../io/file-facts.ts';
import { readProjectFile } from '../io/read-file.ts';
import { readSources } from '../io/sources.ts';
import { holderOf, liveHolder } from '../sessions/history.ts';
import { phaseLabel } from '../state/phases.ts';
import { recencyOf } from '../state/recency.ts';
import { isActive } from '../state/select.ts';
import { planSync, sourcesOf, type Feeding, type SyncInput } from '../state/sync.ts';
import type { StoredRun } from '../state/types.ts';
import { MAX_TODO_BYTES } from '../todo/list.ts';
import { pivotsOf } from '../workflow/pivot-count.ts';
import { findingsOf } from './findings.ts';
import { typed } from './typed.ts';
import type { Check, Examined, Finding } from './types.ts';

const say = findingsOf('runs');
const LONG_GONE = 14 * 24 * 3_600_000;

/** Whether the active runs are what somebody works on, and have what they need. */
export const checkRuns: Check = {
  examine: (examined) => {
    const active = examined.store.list().runs.filter(isActive);
    if (active.length === 0) return [say.ok('no run is active'), ...contradictions(examined)];
    const troubles = [
      ...active.flatMap((run) => abandoned(examined, run)),
      ...active.flatMap((run) => missingReading(examined, run)),
      ...active.flatMap((run) => lostTodo(examined, run)),
      ...active.flatMap(goesInCircles),
      ...contradictions(examined),
    ];
    const names = active.map(
      (run) => `${run.runId}: phase ${oneLine(phaseLabel(run.state.phase))}`,
    );
    return [say.ok(counted(active.length, 'active run'), { evidence: names }), ...troubles];
  },
};

function abandoned(examined: Examined, run: StoredRun): Finding[] {
  const age = examined.now.getTime() - recencyOf(run);
  if (age <= LONG_GONE || liveHolder(run.state, examined) !== null) return [];
  const holder = holderOf(run.state);
  const touched = `last touched ${ago(recencyOf(run), examined.now)}`;
  return [
    say.note(`${run.runId} is active, but nobody works on it`, {
      evidence: [holder === null ? touched : `${touched}, held by session ${shortId(holder)}`],
      fix: `end it with \`holdfast complete ${typed(run.runId)}\`, or go on with \`holdfast claim ${typed(run.runId)}\` in a session`,
    }),
  ];
}

/** A list that the run wrote to, and that its guidance would show. */
function lostTodo({ root }: Examined, { runId, state }: StoredRun): Finding[] {
  const path = state.todo?.path;
  if (typeof path !== 'string') return [];
  const file = readProjectFile(root, path, MAX_TODO_BYTES);
  if (file.kind === 'text') return [];
  const why = file.kind === 'absent' ? 'it is gone' : file.why;
  return [
    say.note(`the todo list of ${runId} cannot be read`, {
      evidence: [`${oneLine(path)}: ${why}`],
      fix: 'bring it back, or write a new one with `holdfast todo set -`',
    }),
  ];
}

/** A run that broke is told of elsewhere. */
function goesInCircles({ runId, state }: StoredRun): Finding[] {
  const pivots = pivotsOf(state);
  if (pivots === null || pivots.made < pivots.max) return [];
  const { phase } = state;
  return [
    say.warning(`${runId} was sent back as often as its template allows`, {
      evidence: [
        `${counted(pivots.made, 'pivot')}, now at phase ${oneLine(phaseLabel(phase))} (${phase.status})`,
      ],
      fix: `settle what sends it back, then \`holdfast advance ${typed(runId)}\`, or give it up with \`holdfast fail ${typed(runId)} --reason "…"\``,
    }),
  ];
}

function missingReading({ root }: Examined, { runId, state }: StoredRun): Finding[] {
  const missing = readingList(state, projectFiles(root)).filter(
    (entry) => entry.state === 'missing' || entry.state === 'outside',
  );
  const [first] = missing;
  if (first === undefined) return [];
  return [
    say.warning(`${runId} requires reading that is not there`, {
      evidence: missing.map(({ path, state: why }) => `${oneLine(path)} (${why})`),
      fix: `bring the file back, or \`holdfast update ${typed(runId)} --unread ${typed(first.path.slice(1))}\``,
    }),
  ];
}

/** A marker or plan that names another phase than the state of its run. */
function contradictions(examined: Examined): Finding[] {
  const { root, settings, store, now } = examined;
  const { sources, problems } = readSources(root, settings.settings.detect);
  const { runs } = store.list();
  const input: SyncInput = {
    sources,
    runs,
    memory: store.memory(),
    session: null,
    isHeld: (run) => liveHolder(run.state, examined) !== null,
    now,
  };
  const changes = planSync(input);
  return [
    ...problems.map(({ path, why }) =>
      say.warning(`${path} was not read: ${why}`, { fix: `make ${path} readable` }),
    ),
    ...runs.filter(isActive).flatMap((run) => {
      const change = changes.find((each) => each.kind === 'update' && each.run === run);
      const next = change?.kind === 'update' ? change.state.phase.current : run.state.phase.current;
      return sourcesOf(run, input).flatMap((feeding) => contradiction(run, feeding, next));
    }),
  ];
}

function contradiction(run: StoredRun, { source, said }: Feeding, next: number): Finding[] {
  const told = said.phase?.current;
  const { phase } = run.state;
  if (told === undefined || told === phase.current) return [];
  const evidence = [
    `${source.path}: phase ${told}`,
    `${run.path}: phase ${oneLine(phaseLabel(phase))}`,
  ];
  return [
    next === told
      ? say.warning(`${source.path} and the state of ${run.runId} name different phases`, {
          evidence: [...evidence, `${source.path} is newer and counts from the next compaction on`],
          fix: `holdfast update ${typed(run.runId)} --phase ${told}`,
        })
      : say.warning(`${source.path} and the state of ${run.runId} name different phases`, {
          evidence: [...evidence, 'the state counts'],
          fix: `write phase ${phase.current} into ${source.path}`,
        }),
  ];
}
