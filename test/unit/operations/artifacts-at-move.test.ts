import { describe, expect, test } from 'vitest';
import type { Artifact } from '../../../src/artifacts/types.ts';
import {
  artifactsForTransition,
  requireArtifacts,
  type TransitionArtifacts,
} from '../../../src/operations/artifacts-at-move.ts';
import { describeWarning, type Warning } from '../../../src/errors/warnings.ts';
import { advanceRun } from '../../../src/operations/advance.ts';
import { approveRun } from '../../../src/operations/approve.ts';
import { failRun } from '../../../src/operations/fail.ts';
import { primeRun } from '../../../src/operations/prime.ts';
import { rejectRun } from '../../../src/operations/reject.ts';
import { setLoopTasks } from '../../../src/operations/set-tasks.ts';
import { skipRun } from '../../../src/operations/skip.ts';
import { startRun } from '../../../src/operations/start.ts';
import { dueArtifacts } from '../../../src/sessions/context-record.ts';
import type { RunState, StoredRun } from '../../../src/state/types.ts';
import { makeProject, type Project } from '../../support/project.ts';
import { aPhase, aState, heldBy, minutesBefore } from '../../support/runs.ts';
import { createRun } from '../../support/store.ts';
import { anArtifact } from '../artifacts/support.ts';
import { action, aTemplate, loop, sub } from '../../support/templates.ts';
import { begun, contextIn, stored, type TestContext } from './support.ts';
import { saying } from '../../support/failures.ts';

const atMoves = (fields: Partial<Artifact> = {}): Artifact =>
  anArtifact({ reload_triggers: ['phase_transition'], ...fields });

function aRunWith(
  context: TestContext,
  artifacts: Artifact[],
  fields: Partial<RunState> = {},
): StoredRun {
  const critical_artifacts = { phase_specific: artifacts };
  return createRun(context.store, { ...heldBy('s1'), critical_artifacts, ...fields });
}

const moved = ({ state }: StoredRun, fields: Partial<RunState> = {}): RunState => ({
  ...state,
  phase: aPhase({ current: 2, name: 'Build' }),
  ...fields,
});

const withSpec = (): Project => makeProject({ 'docs/spec.md': 'SPEC' });

function movedWith(context: TestContext, ...artifacts: Artifact[]): TransitionArtifacts {
  const run = aRunWith(context, artifacts);
  return artifactsForTransition(context, run, moved(run));
}

describe('at a move', () => {
  test('what it sets off is given, and counts as being in the context from then on', () => {
    const context = contextIn(withSpec());
    const { due, text, state } = movedWith(context, atMoves());
    expect(due).toEqual([{ id: 'spec', state: 'given' }]);
    expect(text).toContain('SPEC');
    expect(state.phase.current).toBe(2);
    expect(state.context_metadata?.artifacts_in_context).toMatchObject([
      { artifact_id: 'spec', load_trigger: 'phase_transition' },
    ]);
  });

  test.each(['session_start', 'compaction', 'manual', 'phase_start:design', 'phase_start:ship'])(
    'what only %s sets off is not looked at, even if it is required and missing',
    (trigger) => {
      const context = contextIn(makeProject());
      const result = movedWith(context, anArtifact({ required: true, reload_triggers: [trigger] }));
      expect(result).toMatchObject({ due: [], text: '', absent: [] });
    },
  );

  test.each(['phase_start:build', 'phase_start:Build', 'phase_transition:design->build'])(
    'what %s sets off is',
    (trigger) => {
      const context = contextIn(withSpec());
      expect(movedWith(context, anArtifact({ reload_triggers: [trigger] })).due).toHaveLength(1);
    },
  );

  test('the condition is asked of the run as it is afterwards', () => {
    const context = contextIn(withSpec());
    const { due } = movedWith(
      context,
      atMoves({ id: 'then', condition: 'state.phase.current == 2' }),
      atMoves({ id: 'now', condition: 'state.phase.current == 1' }),
    );
    expect(due).toEqual([{ id: 'then', state: 'given' }]);
  });

  test('a run that stays where it is, or is over, is due nothing', () => {
    const context = contextIn(withSpec());
    const run = aRunWith(context, [atMoves()]);
    expect(artifactsForTransition(context, run, run.state).due).toEqual([]);
    expect(artifactsForTransition(context, run, moved(run, { status: 'completed' })).due).toEqual(
      [],
    );
  });

  test('a declaration that cannot be used is warned of', () => {
    const context = contextIn(withSpec());
    const critical_artifacts = { phase_specific: [atMoves()], odd: 1 };
    const run = createRun(context.store, { ...heldBy('s1'), critical_artifacts });
    expect(artifactsForTransition(context, run, moved(run)).due).toHaveLength(1);
    expect(context.warnings).toEqual([expect.stringContaining('odd')]);
  });
});

describe('what is in the context', () => {
  function twice(project: Project, between: () => void, session = 's1'): TransitionArtifacts {
    const context = contextIn(project);
    const run = aRunWith(context, [atMoves()]);
    const { state } = artifactsForTransition(context, run, moved(run));
    between();
    const later = {
      ...state,
      context_metadata: {
        artifacts_in_context: (state.context_metadata?.artifacts_in_context ?? []).map((entry) => ({
          ...entry,
          loaded_at: minutesBefore(60),
        })),
      },
    };
    const after = { ...later, phase: aPhase({ current: 3, name: 'Ship' }) };
    return artifactsForTransition(contextIn(project, session), { ...run, state: later }, after);
  }

  test('is named and not repeated, however long ago it was given', () => {
    expect(twice(withSpec(), () => {})).toMatchObject({
      due: [{ id: 'spec', state: 'in_context' }],
      text: 'Artifact spec is already in context.',
    });
  });

  test('is given again where it has changed since', () => {
    const project = withSpec();
    const { due, text } = twice(project, () => project.write('docs/spec.md', 'CHANGED'));
    expect(due).toEqual([{ id: 'spec', state: 'given' }]);
    expect(text).toContain('CHANGED');
  });

  test('is missing where it is gone since', () => {
    const project = withSpec();
    const { due } = twice(project, () => project.write('docs/spec.md', Uint8Array.of(0, 1)));
    expect(due).toEqual([{ id: 'spec', state: 'missing' }]);
  });

  test('is so for the session that holds the run; another one is given it, and nothing is noted', () => {
    const { due, state } = twice(withSpec(), () => {}, 's2');
    expect(due).toEqual([{ id: 'spec', state: 'given' }]);
    expect(state.context_metadata?.artifacts_in_context).toMatchObject([
      { loaded_at: minutesBefore(60) },
    ]);
  });
});

describe('what cannot be given whole', () => {
  test('is named where it is too long for the reply', () => {
    const context = contextIn(makeProject({ 'docs/spec.md': 'x'.repeat(12_000) }));
    const { due, text, state } = movedWith(context, atMoves());
    expect(due).toEqual([{ id: 'spec', state: 'named' }]);
    expect(text).toBe('Artifact spec @docs/spec.md (12 KB): to be opened with the Read tool');
    expect(state.context_metadata?.artifacts_in_context ?? []).toEqual([]);
  });

  test('keeps the run where it is if it is required, with what to do', () => {
    const context = contextIn(makeProject({ 'docs/empty.md': '' }));
    const run = aRunWith(context, [
      atMoves({ required: true }),
      atMoves({ id: 'out', path: '../x.md', required: true }),
      atMoves({ id: 'empty', path: 'docs/empty.md', required: true }),
      atMoves({ id: 'optional', path: 'docs/no.md' }),
    ]);
    const result = artifactsForTransition(context, run, moved(run));
    expect(result.due.map(({ state }) => state)).toEqual([
      'missing',
      'missing',
      'named',
      'missing',
    ]);
    expect(() => requireArtifacts(run, result)).toThrow(
      saying(
        `required artifact missing: Artifact spec is missing: docs/spec.md does not exist; write it, or correct the path of artifact spec; Artifact out @../x.md was not loaded: outside the project; the run was not advanced; create it, or advance without it: \`holdfast advance ${run.runId} --force\``,
      ),
    );
  });

  test('is not loaded if its condition cannot be read, and that is said', () => {
    const context = contextIn(withSpec());
    const warned: Warning[] = [];
    const watched = { ...context, warn: (warning: Warning) => warned.push(warning) };
    const bad = atMoves({ required: true, condition: 'state.x ==' });
    expect(movedWith(watched, bad)).toMatchObject({ due: [], absent: [] });
    expect(warned.flatMap(describeWarning)).toEqual([
      'artifact spec is not loaded: its condition state.x == cannot be read: it ends too early',
    ]);
  });

  test('keeps no run where it is if it is optional', () => {
    const context = contextIn(makeProject());
    const run = aRunWith(context, [atMoves()]);
    const result = artifactsForTransition(context, run, moved(run));
    expect(result.text).toContain('Artifact spec is missing');
    expect(() => requireArtifacts(run, result)).not.toThrow();
  });
});

describe('what is due when a step starts', () => {
  const skips = { on_fail: 'skip' } as const;

  test.each([
    [
      'skip',
      action('first'),
      (context: TestContext) => skipRun(context, undefined, { reason: 'x' }).artifacts,
    ],
    [
      'a failure that is skipped',
      action('first', skips),
      (context: TestContext) => failRun(context, undefined, 'x').artifacts,
    ],
    [
      'an empty list of tasks',
      loop('first'),
      (context: TestContext) => setLoopTasks(context, undefined, 'first', []).artifacts,
    ],
  ])('is given by %s', (_move, first, move) => {
    const context = contextIn(withSpec());
    const template = aTemplate([first, action('second')], {
      loops: { first: [sub('do')] },
      critical_artifacts: {
        phase_specific: [anArtifact({ reload_triggers: ['phase_start:second'] })],
      },
    });
    startRun(context, begun(template), { switches: false });
    const { due, text, state } = move(context);
    expect(due).toEqual([{ id: 'spec', state: 'given' }]);
    expect(text).toContain('SPEC');
    expect(stored(context, state.run_id ?? '').state.context_metadata).toMatchObject({
      artifacts_in_context: [{ artifact_id: 'spec', load_trigger: 'phase_start:second' }],
    });
  });

  test.each([
    [
      'a person approves',
      { id: 'first', type: 'approval' } as const,
      (project: Project) => approveRun(contextIn(project, null), undefined, undefined),
    ],
    [
      '`holdfast run` moves the run',
      action('first'),
      (project: Project) =>
        advanceRun({ ...contextIn(project), by: 'run' }, undefined, { artefacts: [] }),
    ],
  ])('stays due for the session if %s, until it has it', async (_who, first, move) => {
    const project = withSpec();
    const context = contextIn(project);
    const spec = anArtifact({ reload_triggers: ['phase_start:second'] });
    const template = aTemplate([first, action('second'), action('third')], {
      critical_artifacts: { phase_specific: [spec] },
    });
    const { runId } = startRun(context, begun(template), { switches: false }).run;
    const due = (): string[] => dueArtifacts(stored(context, runId).state);
    await move(project);
    expect(due()).toEqual(['spec']);
    expect(stored(context, runId).state.context_metadata?.artifacts_in_context ?? []).toEqual([]);
    primeRun(context, stored(context, runId), { only: ['spec'], force: false });
    expect(due()).toEqual([]);
    await advanceRun(context, undefined, { artefacts: [] });
    expect(stored(context, runId).state.context_metadata).not.toHaveProperty('artifacts_due');
  });

  test('stays due if a person sends the work back to that step', async () => {
    const project = withSpec();
    const context = contextIn(project);
    const spec = anArtifact({ reload_triggers: ['phase_start:first'] });
    const template = aTemplate([action('first'), { id: 'agree', type: 'approval' }], {
      critical_artifacts: { phase_specific: [spec] },
    });
    const { runId } = startRun(context, begun(template), { switches: false }).run;
    await advanceRun(context, undefined, { artefacts: [] });
    const run = stored(context, runId);
    context.store.transaction((tx) => tx.write(run, { ...run.state, context_metadata: {} }));
    rejectRun(contextIn(project, null), undefined, 'too long');
    expect(dueArtifacts(stored(context, runId).state)).toEqual(['spec']);
  });

  test('is due for the session of a run that `holdfast run` starts', () => {
    const context = { ...contextIn(withSpec(), null), by: 'run' as const };
    const spec = anArtifact({ reload_triggers: ['phase_start:first'] });
    const template = aTemplate([action('first')], {
      critical_artifacts: { phase_specific: [spec] },
    });
    const { run } = startRun(context, begun(template), { switches: false });
    expect(dueArtifacts(stored(context, run.runId).state)).toEqual(['spec']);
  });

  test('is named only by ids that artifacts can have', () => {
    const context_metadata = { artifacts_due: ['spec', 'x; rm -rf y', ''] };
    expect(dueArtifacts(aState({ context_metadata }))).toEqual(['spec']);
  });

  test('is not refused by skip if it is missing, but named', () => {
    const context = contextIn(makeProject());
    const spec = anArtifact({ required: true, reload_triggers: ['phase_start:second'] });
    const critical_artifacts = { phase_specific: [spec] };
    const template = aTemplate([action('first'), action('second')], { critical_artifacts });
    startRun(context, begun(template), { switches: false });
    const { artifacts } = skipRun(context, undefined, { reason: 'x' });
    expect(artifacts.due).toEqual([{ id: 'spec', state: 'missing' }]);
    expect(artifacts.text).toContain('Required: Artifact spec is missing');
  });
});
