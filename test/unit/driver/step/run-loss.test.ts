import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lossNow } from '../../../../src/driver/step/run-moment.ts';
import { RunWatch } from '../../../../src/driver/step/run-watch.ts';
import { advanceRun } from '../../../../src/operations/advance.ts';
import { cancelRun } from '../../../../src/operations/cancel.ts';
import { completeRun } from '../../../../src/operations/complete.ts';
import { failRun } from '../../../../src/operations/fail.ts';
import { holdForClient } from '../../../../src/operations/drive.ts';
import { resumeRun } from '../../../../src/operations/resume.ts';
import { makeProject } from '../../../support/project.ts';
import { createRun } from '../../../support/store.ts';
import { action, aTemplate } from '../../../support/templates.ts';
import { begun, contextIn } from '../../operations/support.ts';

function driven() {
  const project = makeProject();
  const open = (session: string | null = null) => contextIn(project, session);
  const run = createRun(open().store, begun(aTemplate([action('plan'), action('ship')])));
  const { runId } = run;
  holdForClient(open('driven'), runId, { session: 'driven', isFresh: true, agent: null });
  const watch = new RunWatch(project.root, (known) => lossNow({ open, runId }, known));
  watch.see(run);
  watch.session = 'driven';
  return { project, open, run, runId, watch };
}

describe('a run that is driven', () => {
  it('is not lost while its steps are worked on, fail, or are all finished', async () => {
    const { open, runId, watch } = driven();
    expect([watch.loss(), watch.isLost()]).toEqual([null, false]);
    await advanceRun(open('driven'), runId, { artefacts: [] });
    expect([watch.loss(), watch.isLost()]).toEqual([null, false]);
    await advanceRun(open('driven'), runId, { artefacts: [] });
    expect([watch.loss(), watch.isLost()]).toEqual([null, false]);

    const other = driven();
    failRun(other.open('driven'), other.runId, 'broken');
    expect([other.watch.loss(), other.watch.isLost()]).toEqual([null, false]);
  });

  it('is lost if it is completed before its last step, with who did it', () => {
    const { open, runId, watch } = driven();
    completeRun(open(), runId, { purge: false });
    const by = { command: 'holdfast complete', session: null };
    expect(watch.loss()).toEqual({ reason: 'ended', label: 'step 1 of 2 (plan)', by });
    expect(watch.isLost()).toBe(true);

    const other = driven();
    completeRun(other.open('elsewhere'), other.runId, { purge: false });
    expect(other.watch.loss()).toMatchObject({ by: { session: 'elsewhere' } });
  });

  it('is lost if it is cancelled, deleted or taken', () => {
    const cancelled = driven();
    cancelRun(cancelled.open(), cancelled.runId, 'not needed');
    expect(cancelled.watch.loss()).toEqual({ reason: 'cancelled', why: 'not needed' });

    const gone = driven();
    rmSync(join(gone.project.root, dirname(gone.run.path)), { recursive: true });
    expect(gone.watch.loss()).toEqual({ reason: 'gone', path: gone.run.path });

    const taken = driven();
    resumeRun(taken.open('elsewhere'), taken.runId, { force: true });
    expect(taken.watch.loss()).toEqual({ reason: 'taken', session: 'elsewhere' });

    for (const { watch } of [cancelled, gone, taken]) expect(watch.isLost()).toBe(true);
  });

  it('is not taken back from a session that has taken it', () => {
    const { open, runId, watch } = driven();
    resumeRun(open('elsewhere'), runId, { force: true });
    const next = { session: 'next', isFresh: true, agent: null };
    expect(() => holdForClient(open('next'), runId, { ...next, heldBy: watch.session })).toThrow(
      expect.objectContaining({ code: 'held_by_session' }),
    );
  });

  it('may have had any holder before its driver has begun', () => {
    const { watch } = driven();
    watch.session = null;
    expect(watch.loss()).toBeNull();
  });
});
