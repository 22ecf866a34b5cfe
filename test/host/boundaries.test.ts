import { describe, it } from 'vitest';
import { onlyRun } from '../support/state.ts';
import { openAttendedHost } from './support/attended.ts';
import { ONE_VERSION } from './support/client.ts';
import { given, occurrences, restoredIn } from './support/given.ts';
import { doHoldfast } from './support/holdfast.ts';
import { sessionOf } from './support/request.ts';

const TAG = '**[BUDGET_PIVOT_FEEDBACK]:**';

describe.each(ONE_VERSION)('a cycle of planning, coding and review in client %s', (version) => {
  it('carries over each /clear exactly what is preserved, and the feedback once', async (context) => {
    const { expect } = context;
    const { host, sitDown } = await openAttendedHost(version, context, { allow: ['Bash'] });
    const { root } = host.project;
    const { terminal, ask } = await sitDown();
    const holder = () => onlyRun(root).sessions?.current_session_id;
    const clear = async () => {
      const before = holder();
      await terminal.say('/clear');
      return terminal.until('the hand-over', () => (holder() === before ? undefined : holder()));
    };

    await ask(doHoldfast('start', '--template', 'code-review-cycle', 'SHOP-WITH-A-BASKET'));
    const plan = doHoldfast('advance', '--output', 'PLAN-IN-TWO-PARTS');
    await ask(`${plan} THEN ${doHoldfast('advance', '--output', 'REVIEWER-NODDED')}`);
    expect(given(host.model.turns().at(-1))).toContain('Please run `/clear` first');

    const coder = await clear();
    const coding = await ask('go on');
    expect(sessionOf(coding)).toBe(coder);
    expect(restoredIn(coding)).toEqual(['SHOP-WITH-A-BASKET, Phase 3/5']);
    // The run is named after its summary: in its title, and in the line that the first reply starts with.
    expect(occurrences(given(coding), 'SHOP-WITH-A-BASKET')).toBe(2);
    expect(occurrences(given(coding), 'PLAN-IN-TWO-PARTS')).toBe(1);
    expect(given(coding)).not.toContain('REVIEWER-NODDED');

    const back = doHoldfast('pivot', 'planning', '--feedback', 'HALVE-THE-BASKET');
    await ask(`${doHoldfast('advance', '--output', 'CODED-IT')} THEN ${back}`);
    expect(given(host.model.turns().at(-1))).toContain('Please run `/clear` first');

    const planner = await clear();
    const planning = await ask('go on again');
    expect(sessionOf(planning)).toBe(planner);
    expect(restoredIn(planning)).toEqual(['SHOP-WITH-A-BASKET, Phase 1/5']);
    expect(occurrences(given(planning), `${TAG} HALVE-THE-BASKET`)).toBe(1);
    expect(occurrences(given(planning), 'HALVE-THE-BASKET')).toBe(1);
    expect(occurrences(given(planning), 'PLAN-IN-TWO-PARTS')).toBe(1);
    expect(given(planning)).toContain('Work done since then may have to be reverted');
    expect(given(planning)).not.toContain('CODED-IT');

    await ask(doHoldfast('advance', '--output', 'PLAN-IN-ONE-PART'));
    expect(onlyRun(root).feedback).toMatchObject([{ text: 'HALVE-THE-BASKET', finished: true }]);
    await terminal.quit();
  });
});
