import { describe, expect, test } from 'vitest';
import { postCompact } from '../../../src/hooks/post-compact.ts';
import { preCompact } from '../../../src/hooks/pre-compact.ts';
import type { Reply } from '../../../src/hooks/protocol.ts';
import { sessionStart } from '../../../src/hooks/session-start.ts';
import type { HookContext } from '../../../src/hooks/context.ts';
import { userPromptSubmit } from '../../../src/hooks/user-prompt-submit.ts';
import { advanceRun } from '../../../src/operations/advance.ts';
import { startRun } from '../../../src/operations/start.ts';
import { contextActionOf } from '../../../src/workflow/run-view.ts';
import { makeProject, type Project } from '../../support/project.ts';
import { action, aTemplate } from '../../support/templates.ts';
import { hookContext } from './support.ts';
import { begun, contextIn, stored, type TestContext } from '../operations/support.ts';

const template = aTemplate([
  action('a'),
  action('b', { context: 'compact' }),
  action('c', { context: 'compact' }),
]);

function called(
  project: Project,
  handler: (context: HookContext) => Reply,
  event: string,
  fields: Record<string, string> = {},
): Reply {
  return handler({
    ...hookContext(project, { event, session: 's1', raw: fields }),
    note: (problem) => {
      throw new Error(problem);
    },
  });
}

/** The session was asked for /compact before step b. */
async function askedAtB(): Promise<{
  project: Project;
  context: TestContext;
  runId: string;
  actionState: () => string | undefined;
}> {
  const project = makeProject();
  const context = contextIn(project, 's1');
  const { runId } = startRun(context, begun(template), { switches: false }).run;
  await advanceRun(context, undefined, { artefacts: [] });
  const actionState = () => contextActionOf(stored(context, runId).state)?.state;
  expect(actionState()).toBe('requested');
  return { project, context, runId, actionState };
}

describe('a compaction whose SessionStart never came', () => {
  test('performs the context action of the step at once', async () => {
    const { project, context, runId, actionState } = await askedAtB();
    called(project, preCompact, 'PreCompact');
    called(project, postCompact, 'PostCompact');
    expect(actionState()).toBe('performed');
    expect(context.store.journal(stored(context, runId)).at(-1)).toMatchObject({
      event: 'context',
      performed: '/compact',
      session_id: 's1',
    });
  });

  test('does not count for the step that the run has reached by the next prompt', async () => {
    const { project, context, actionState } = await askedAtB();
    called(project, preCompact, 'PreCompact');
    called(project, postCompact, 'PostCompact');
    await advanceRun(context, undefined, { artefacts: [] });
    expect(called(project, userPromptSubmit, 'UserPromptSubmit')).toContain('Feature');
    expect(actionState()).toBe('requested');
  });

  test('performs nothing in the run of another session', async () => {
    const { project, context, runId, actionState } = await askedAtB();
    const { revision } = stored(context, runId).state;
    called(
      project,
      (hook) => postCompact({ ...hook, input: { ...hook.input, session: 's2' } }),
      'PostCompact',
    );
    expect(actionState()).toBe('requested');
    expect(stored(context, runId).state.revision).toBe(revision);
  });
});

test('a compaction whose SessionStart came performs the context action once', async () => {
  const { project, context, runId, actionState } = await askedAtB();
  called(project, preCompact, 'PreCompact');
  called(project, sessionStart, 'SessionStart', { source: 'compact' });
  expect(actionState()).toBe('performed');
  const { revision } = stored(context, runId).state;
  called(project, postCompact, 'PostCompact');
  expect(stored(context, runId).state.revision).toBe(revision);
});

test('after a restored compaction, PostCompact does not detect again', async () => {
  const { project, context } = await askedAtB();
  called(project, preCompact, 'PreCompact');
  called(project, sessionStart, 'SessionStart', { source: 'compact' });
  project.write(
    'CLAUDE/Plan/00001-new/PLAN.md',
    '# Plan 1: Newcomer\n\n**Status**: 🔄 In Progress\n\n### Phase 1: A\n',
  );
  called(project, postCompact, 'PostCompact');
  expect(context.store.list().runs).toHaveLength(1);
  expect(context.store.hookState().compactions).toEqual({});

  called(project, postCompact, 'PostCompact', { prompt_id: 'of the next one' });
  expect(context.store.list().runs).toHaveLength(2);
  expect(context.store.hookState().compactions).toMatchObject({ s1: { stage: 'due' } });
});
