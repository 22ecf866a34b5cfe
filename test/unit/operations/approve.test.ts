import { describe, expect, test } from 'vitest';
import { advanceRun } from '../../../src/operations/advance.ts';
import { approveRun } from '../../../src/operations/approve.ts';
import { failRun } from '../../../src/operations/fail.ts';
import { rejectRun } from '../../../src/operations/reject.ts';
import { startRun } from '../../../src/operations/start.ts';
import { trust } from '../../../src/workflow/gates/trust.ts';
import type { Step, Template } from '../../../src/workflow/template/template-types.generated.ts';
import { makeProject } from '../../support/project.ts';
import { NOW } from '../../support/runs.ts';
import { createRun } from '../../support/store.ts';
import { action, approval, aTemplate } from '../../support/templates.ts';
import { begun, contextIn, machineIn, stored, type TestContext } from './support.ts';
import { saying } from '../../support/failures.ts';

interface Waiting {
  /** The session that works on the run. */
  agent: TestContext;
  /** The user's own terminal. */
  user: TestContext;
  runId: string;
}

async function waiting(
  step: Partial<Step> = {},
  after: Step[] = [action('build', { context: 'clear' })],
  fields: Partial<Template> = {},
): Promise<Waiting> {
  const project = makeProject();
  const agent = contextIn(project);
  const user = contextIn(project, null);
  const template = aTemplate([action('plan'), approval('plan_review', step), ...after], fields);
  trust(user, template, 'here', NOW);
  const { run } = startRun(agent, begun(template), { switches: false });
  await advanceRun(agent, undefined, { artefacts: [] });
  return { agent, user, runId: run.runId };
}

describe('an approval', () => {
  test('is refused in an agent’s session, whatever shows that it is one', async () => {
    const { agent, user, runId } = await waiting();
    const before = machineIn(user, runId);
    const sessions = [
      agent,
      { ...user, environment: { CLAUDECODE: '1' } },
      { ...user, environment: { CLAUDE_CODE_SESSION_ID: 's9' } },
    ];
    for (const context of sessions) {
      await expect(approveRun(context, runId, undefined)).rejects.toThrow(
        saying('only a person can approve'),
      );
      expect(() => rejectRun(context, runId, 'no')).toThrow(saying('only a person can reject'));
    }
    expect(machineIn(user, runId)).toEqual(before);
  });

  test('that is refused names the run for the user, and stores none that is only declared', async () => {
    const { agent, runId } = await waiting();
    await expect(approveRun(agent, undefined, undefined)).rejects.toThrow(
      saying(`\`holdfast approve ${runId}\``),
    );
    const declared = '# Workflow State\nWorkflow: Foo\nPhase: 1/3 - A\n';
    const other = contextIn(makeProject({ 'CLAUDE.local.md': declared }));
    await expect(approveRun(other, undefined, undefined)).rejects.toThrow(
      saying('`holdfast approve`'),
    );
    expect(other.store.list().runs).toEqual([]);
  });

  test('is what the run waits for: the agent can neither advance nor fail it', async () => {
    const { agent, user, runId } = await waiting({ on_fail: 'skip' });
    await expect(advanceRun(agent, undefined, { artefacts: [] })).rejects.toMatchObject({
      code: 'approval_pending',
    });
    expect(() => failRun(agent, undefined, 'slow')).toThrow(saying('holdfast approve'));
    expect(machineIn(user, runId)).toMatchObject({ step: 'plan_review', status: 'running' });
  });

  test('given, the run continues, and the context action stays due for the session', async () => {
    const { user, runId } = await waiting();
    const { run, approved } = await approveRun(user, undefined, 'mind the tests');
    expect(approved).toContain('plan_review');
    expect(machineIn(user, runId)).toMatchObject({
      step: 'build',
      outputs: { plan_review: 'mind the tests' },
      contextAction: { command: '/clear' },
      contextActionExecuted: false,
    });
    expect(user.store.journal(run).at(-1)).toMatchObject({
      event: 'approved',
      step: 'plan_review',
      note: 'mind the tests',
      by: 'cli',
    });
    expect(stored(user, runId).state.sessions?.current_session_id).toBe('s1');
  });

  test('of the last step completes the run', async () => {
    const { user, runId } = await waiting({}, []);
    const { run } = await approveRun(user, runId, undefined);
    expect(run.state.status).toBe('completed');
    expect(user.store.list().runs).toEqual([]);
  });

  test('does not skip the gate of its step', async () => {
    const { user, runId } = await waiting({ gate: 'exit 4' });
    await expect(approveRun(user, runId, undefined)).rejects.toMatchObject({ code: 'gate_failed' });
    expect(machineIn(user, runId)).toMatchObject({ step: 'plan_review' });
  });

  test('is refused where no approval is pending', async () => {
    const { user, runId } = await waiting();
    await approveRun(user, runId, undefined);
    await expect(approveRun(user, runId, undefined)).rejects.toMatchObject({ code: 'no_approval' });
    expect(() => rejectRun(user, runId, 'no')).toThrow(saying('is not an approval step'));
  });

  test('names the run where it has no steps, because there may be others', async () => {
    const { user } = await waiting();
    const { runId } = createRun(user.store, { workflow: 'Plain' });
    const refusal = saying(`continue with \`holdfast advance ${runId}\``);
    await expect(approveRun(user, runId, undefined)).rejects.toThrow(refusal);
    expect(() => rejectRun(user, runId, 'no')).toThrow(refusal);
  });

  test('is refused for a run without a template', async () => {
    const project = makeProject();
    const user = contextIn(project, null);
    createRun(user.store);
    await expect(approveRun(user, undefined, undefined)).rejects.toThrow(saying('has no template'));
    expect(() => rejectRun(user, undefined, 'no')).toThrow(saying('has no template'));
  });
});

describe('a rejection', () => {
  test('goes back with feedback, which is kept with the run', async () => {
    const { user, runId } = await waiting();
    const { run, from, to, tag } = rejectRun(user, runId, 'Add the migration.');
    expect({ from, to, tag }).toEqual({
      from: 'plan_review',
      to: 'plan',
      tag: 'PLAN_PIVOT_FEEDBACK',
    });
    expect(stored(user, runId).state.feedback).toMatchObject([{ text: 'Add the migration.' }]);
    expect(user.store.journal(run).at(-1)).toMatchObject({
      event: 'rejected',
      from: 'plan_review',
      to: 'plan',
    });
  });

  test('needs feedback', async () => {
    const { user, runId } = await waiting();
    expect(() => rejectRun(user, runId, ' \n')).toThrow(saying('the feedback is blank'));
  });

  test('past the limit of pivots blocks the run, and it can still be approved', async () => {
    const { agent, user, runId } = await waiting({}, [action('build')], { max_pivots: 1 });
    rejectRun(user, runId, 'once');
    await advanceRun(agent, undefined, { artefacts: [] });
    expect(() => rejectRun(user, runId, 'twice')).toThrow(saying('its template allows 1'));
    expect(stored(user, runId).state.phase).toMatchObject({ status: 'blocked', current: 2 });
    await approveRun(user, runId, undefined);
    expect(stored(user, runId).state.phase).toMatchObject({ status: 'in_progress', current: 3 });
  });
});
