import { describe, expect, test } from 'vitest';
import { advanceRun } from '../../../src/operations/advance.ts';
import { startRun } from '../../../src/operations/start.ts';
import { findTargetRun, runToRead } from '../../../src/operations/target-run.ts';
import { findRun } from '../../../src/sessions/select-run.ts';
import type { RunState } from '../../../src/state/types.ts';
import { startTemplateRun } from '../../../src/workflow/template-run.ts';
import { makeProject } from '../../support/project.ts';
import { aState, NOW } from '../../support/runs.ts';
import { createRun } from '../../support/store.ts';
import { action, aTemplate } from '../../support/templates.ts';
import { contextIn } from './support.ts';

const template = aTemplate([action('plan'), action('build')], {
  critical_artifacts: {
    always_load: [
      { id: 'spec', type: 'markdown', path: 'docs/spec.md', required: true },
      { id: 'rules', type: 'markdown', path: 'docs/rules.md', required: true },
    ],
  },
});
const about = (summary: string): RunState => startTemplateRun(template, summary, NOW);
const start = { switches: false };

describe('a template run', () => {
  test('is called by its topic, and found by its topic and its template', () => {
    const context = contextIn(makeProject());
    const { run } = startRun(context, about('Log in by link'), start);
    expect(run).toMatchObject({ slug: 'log-in-by-link', state: { workflow: 'Log in by link' } });
    for (const name of ['log-in-by-link', 'Log in', 'Feature', 'feature']) {
      expect(findRun([run], name)).toMatchObject({ kind: 'run', run: { runId: run.runId } });
    }
  });

  test('is given with the artifacts due at the start, and those that are missing', () => {
    const context = contextIn(makeProject({ 'docs/spec.md': 'The spec.' }));
    const { artifacts, run } = startRun(context, about('x'), start);
    expect(artifacts?.due).toEqual([
      { id: 'spec', state: 'given' },
      { id: 'rules', state: 'missing' },
    ]);
    expect(artifacts?.text).toContain('The spec.');
    expect(artifacts?.absent.map(({ artifact }) => artifact.id)).toEqual(['rules']);
    expect(run.state.context_metadata?.artifacts_in_context).toMatchObject([
      { artifact_id: 'spec' },
    ]);
  });

  test('is started beside another one that nobody holds, which the reply names', () => {
    const project = makeProject();
    const first = startRun(contextIn(project, null), about('first'), start).run;
    const { isNew, unheld } = startRun(contextIn(project), about('second'), start);
    expect(isNew).toBe(true);
    expect(unheld.map(({ runId }) => runId)).toEqual([first.runId]);
    const third = startRun(contextIn(project, 's2'), about('third'), start);
    expect(third.unheld.map(({ runId }) => runId)).toEqual([first.runId]);
  });
});

describe('a server without a session id', () => {
  test('goes on with the run it started', async () => {
    const project = makeProject();
    const context = { ...contextIn(project, null), ownRun: { runId: null } };
    const { run } = startRun(context, aState({ workflow: 'Mine' }), start);
    createRun(context.store, { workflow: 'Other' });
    expect(findTargetRun(context, undefined).runId).toBe(run.runId);
    expect(runToRead(context)).toMatchObject({ run: { runId: run.runId }, others: [{}] });
    const moved = await advanceRun(context, undefined, { artefacts: [] });
    expect(moved.run.runId).toBe(run.runId);
  });
});
