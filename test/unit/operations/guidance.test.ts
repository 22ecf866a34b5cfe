import { describe, expect, test } from 'vitest';
import { completeRun } from '../../../src/operations/complete.ts';
import { previewGuidance } from '../../../src/operations/guidance.ts';
import { pauseRun } from '../../../src/operations/pause.ts';
import { describeRestoration } from '../../../src/restore/describe-reason.ts';
import { makeProject } from '../../support/project.ts';
import { createRun } from '../../support/store.ts';
import { contextIn, type TestContext } from './support.ts';

function withRun(fields: Parameters<typeof createRun>[1] = {}): {
  context: TestContext;
  runId: string;
} {
  const context = contextIn(makeProject());
  const { runId } = createRun(context.store, { workflow: 'Shop', ...fields });
  return { context, runId };
}

function given(context: TestContext, name: string): { text: string | null; why: string } {
  const { choice, text } = previewGuidance(context, name, 'compact').restoration;
  return { text, why: describeRestoration(choice) };
}

describe('the guidance of a run that was named', () => {
  test('is all of it if the run is active', () => {
    const { context } = withRun();
    expect(given(context, 'shop').text).toContain('Workflow: Shop');
  });

  test('is nothing if the run is paused, which `resume` continues', () => {
    const { context, runId } = withRun();
    pauseRun(context, undefined, 'later');
    expect(given(context, 'shop')).toEqual({
      text: null,
      why: `paused runs are never restored; \`holdfast resume ${runId}\` continues this one`,
    });
  });

  test('is nothing if the run is archived, which `reopen` brings back', () => {
    const { context, runId } = withRun();
    completeRun(context, undefined, { purge: false });
    expect(given(context, 'shop')).toEqual({
      text: null,
      why: `archived runs are never restored; \`holdfast reopen ${runId}\` brings this one back`,
    });
  });

  test('is nothing if a state file says that the run is completed, which `complete` archives', () => {
    const { context, runId } = withRun({ status: 'completed' });
    expect(given(context, 'shop')).toEqual({
      text: null,
      why: `completed runs are never restored; \`holdfast complete ${runId}\` archives this one`,
    });
  });

  test('is what `resume` would give, where that is asked for', () => {
    const { context } = withRun();
    pauseRun(context, undefined, 'later');
    const { restoration } = previewGuidance(context, 'shop', 'compact', { isResumed: true });
    expect(restoration.text).toContain('Workflow: Shop');
  });
});
