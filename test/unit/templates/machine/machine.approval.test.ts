import { describe, expect, test } from 'vitest';
import type { WorkflowStateMachine } from '../../../../src/templates/machine/machine.ts';
import type { Step } from '../../../../src/templates/template-types.generated.ts';
import { action, approval, aTemplate, restarted, started } from '../../../support/templates.ts';
import { saying } from '../../../support/failures.ts';

function atApproval(fields: Partial<Step> = {}, before: Step[] = []): WorkflowStateMachine {
  const steps = [action('plan'), ...before, approval('agree', fields), action('build')];
  const machine = started(aTemplate(steps));
  while (machine.getState().stepType !== 'approval') machine.advance();
  return restarted(machine);
}

describe('an approval step', () => {
  test('waits for the user, and says how to answer', () => {
    const status = atApproval({ instructions: 'Show the plan to the user.' }).getStatus();
    expect(status).toMatchObject({ stepType: 'approval', step: 'agree' });
    expect(status.progress.text).toBe("step 2 of 3 (agree), waiting for the user's approval");
    expect(status.instructions).toMatch(/^Show the plan to the user\.\n\nThis step waits/);
    expect(status.instructions).toContain('`holdfast approve`');
    expect(status.instructions).toContain('`holdfast reject --feedback "…"`');
  });

  test('needs no instructions of its own', () => {
    expect(atApproval().getStatus().instructions).toMatch(/^This step waits for the user/);
  });

  test('is not passed by advance, nor by a failure that would skip it', () => {
    const machine = atApproval({ on_fail: 'skip' });
    const before = machine.getState();
    expect(() => machine.advance('done')).toThrow(saying("waits for the user's approval"));
    expect(() => machine.fail('too slow')).toThrow(saying("waits for the user's approval"));
    expect(machine.getState()).toEqual(before);
  });

  test('is left by approve, and the note is its output', () => {
    const machine = atApproval();
    machine.approve('go ahead');
    expect(machine.getState()).toMatchObject({ step: 'build', outputs: { agree: 'go ahead' } });
  });

  test('of a step of another type there is nothing to approve or reject', () => {
    const machine = started(aTemplate([action('plan'), action('build')]));
    machine.advance();
    expect(() => machine.approve()).toThrow(saying('is not an approval step'));
    expect(() => machine.reject()).toThrow(saying('is not an approval step'));
  });
});

describe('a rejection goes back', () => {
  test('to the step before', () => {
    const machine = atApproval({}, [action('draft')]);
    expect(machine.reject()).toBe('draft');
    expect(machine.getState()).toMatchObject({ step: 'draft', pivots: 1 });
  });

  test('to the step that on_reject names', () => {
    expect(atApproval({ on_reject: 'plan' }, [action('draft')]).reject()).toBe('plan');
  });

  test('past steps whose condition is false', () => {
    expect(atApproval({}, [action('draft', { when: 'false' })]).reject()).toBe('plan');
    expect(atApproval({ on_reject: 'draft' }, [action('draft', { when: 'false' })]).reject()).toBe(
      'plan',
    );
  });

  test('nowhere from the first step', () => {
    const machine = started(aTemplate([approval('agree'), action('build')]));
    expect(() => machine.reject()).toThrow(saying('no step before "agree" applies'));
  });

  test('no more often than the template allows', () => {
    const machine = started(aTemplate([action('plan'), approval('agree')], { max_pivots: 1 }));
    machine.advance();
    machine.reject();
    machine.advance();
    expect(() => machine.reject()).toThrow(saying('sent back once, and its template allows 1'));
  });

  test('at that limit only to what the user still can do', () => {
    const machine = started(aTemplate([action('plan'), approval('agree')], { max_pivots: 1 }));
    machine.advance();
    expect(() => machine.skip()).toThrow(saying('`holdfast reject'));
    machine.reject();
    machine.advance();
    for (const move of [
      () => machine.reject(),
      () => machine.advance(),
      () => machine.fail('x'),
      () => machine.skip(),
    ]) {
      expect(move).toThrow(saying(/`holdfast approve`.*`holdfast complete`/));
      expect(move).not.toThrow(saying(/holdfast (?:reject|advance|fail|skip)/));
    }
    machine.approve();
    expect(machine.state.status).toBe('complete');
  });
});
