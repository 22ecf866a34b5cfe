import { describe, it } from 'vitest';
import { onlyRun } from '../support/state.ts';
import { openAttendedHost } from './support/attended.ts';
import { CLIENT_VERSIONS } from './support/client.ts';
import { given, noticesIn, restoredIn } from './support/given.ts';
import { doHoldfast, holdfast } from './support/holdfast.ts';
import { sessionOf } from './support/request.ts';
import { obeyAndFillUp, SMALL_WINDOW } from './support/script.ts';

describe.each(CLIENT_VERSIONS)('client %s in a terminal', (version) => {
  it('hands the run over /compact in full, and over /clear to the next session', async (context) => {
    const { expect } = context;
    const { host, sitDown } = await openAttendedHost(version, context);
    const { terminal, ask } = await sitDown();
    const { root } = host.project;
    const read = ['--read', 'docs/RULES.md'];
    await ask(
      doHoldfast('start', 'Checkout', '--phases', 'Design,Build', ...read),
    );
    const former = onlyRun(root).sessions?.current_session_id;

    await terminal.say('/compact');
    const isCompacted = () =>
      onlyRun(root).context_metadata?.compaction_count === 1;
    await terminal.until('the compaction', isCompacted);
    const compacted = await ask('after the compaction');
    expect(restoredIn(compacted)).toEqual(['Checkout, Phase 1/2']);

    await terminal.say('/clear');
    const successor = await terminal.until(
      'the hand-over',
      () => onlyRun(root).sessions?.session_history?.[0]?.handed_to,
    );
    const cleared = await ask('after the clear');
    expect(sessionOf(cleared)).toBe(successor);
    expect(given(cleared)).toContain(
      'A WORKFLOW WAS IN PROGRESS BEFORE THE CONTEXT WAS CLEARED',
    );
    expect(given(cleared)).toContain('continue with it if the user wants to');
    expect(restoredIn(cleared)).toEqual([]);
    expect(onlyRun(root).sessions).toMatchObject({
      current_session_id: successor,
      session_history: [
        { session_id: former, end_reason: 'clear', handed_to: successor },
        { session_id: successor },
      ],
    });

    await ask(doHoldfast('advance'));
    expect(onlyRun(root)).toMatchObject({
      phase: { current: 2, name: 'Build' },
      sessions: { current_session_id: successor },
    });
    await terminal.quit();
    expect(onlyRun(root).sessions?.session_history?.[1]?.end_reason).toBe(
      'prompt_input_exit',
    );
  });

  it('gets the newest phase back from each of four compactions that come by themselves', async (context) => {
    const { expect } = context;
    const options = { answer: obeyAndFillUp, env: SMALL_WINDOW };
    const { host, sitDown } = await openAttendedHost(version, context, options);
    const { model, project } = host;
    const { terminal, ask } = await sitDown();
    const phases = Array.from(
      { length: 20 },
      (_, index) => `Stage ${index + 1}`,
    ).join();
    await ask(doHoldfast('start', 'March', '--phases', phases));

    // The second turn may be too early for the client to compact.
    for (let turn = 2; turn < 9 && model.summaries().length < 4; turn += 1) {
      const before = model.summaries().length;
      const { current, name } = onlyRun(project.root).phase;
      const request = await ask(doHoldfast('advance'));
      expect(onlyRun(project.root).phase.current).toBe(current + 1);
      if (model.summaries().length === before) continue;
      expect(given(model.summaries().at(-1))).toContain(
        `Phase: ${current}/20 - ${name}`,
      );
      expect(restoredIn(request)).toEqual([`March, Phase ${current}/20`]);
    }

    expect(model.summaries()).toHaveLength(4);
    expect(onlyRun(project.root).context_metadata?.compaction_count).toBe(4);
    await terminal.quit();
  });

  it('is offered a run that nobody holds, and holds it when it says so', async (context) => {
    const { expect } = context;
    const { host, sitDown } = await openAttendedHost(version, context);
    const { root } = host.project;
    await holdfast(host, ['start', 'Orphan']);
    const { terminal, ask } = await sitDown();

    const first = await ask('hello');
    expect(noticesIn(first)).toEqual([
      expect.stringMatching(/^In progress here: Orphan, .*$/),
    ]);
    expect(restoredIn(first)).toEqual([]);
    expect(onlyRun(root).sessions?.current_session_id ?? null).toBeNull();

    await ask(doHoldfast('resume', 'Orphan'));
    expect(onlyRun(root).sessions?.current_session_id).toBe(sessionOf(first));
    await terminal.quit();
  });
});
