import { describe, expect, test } from 'vitest';
import {
  feedbackOf,
  feedbackTag,
  openFeedback,
  settled,
  withFeedback,
  type Feedback,
} from '../../../../src/templates/machine/feedback.ts';
import { aState } from '../../../support/runs.ts';

const entry = (fields: Partial<Feedback> = {}): Feedback => ({
  from: 'review',
  to: 'plan',
  tag: 'REVIEW_PIVOT_FEEDBACK',
  text: 'too dear',
  at: '2025-06-01T12:00:00.000Z',
  ...fields,
});

test.each([
  ['budget_review', 'BUDGET_PIVOT_FEEDBACK'],
  ['coding', 'CODING_PIVOT_FEEDBACK'],
  ['review', 'REVIEW_PIVOT_FEEDBACK'],
  ['_review', '_REVIEW_PIVOT_FEEDBACK'],
  ['code-review', 'CODE_PIVOT_FEEDBACK'],
  ['final review', 'FINAL_PIVOT_FEEDBACK'],
  ['review_of_code', 'REVIEW_OF_CODE_PIVOT_FEEDBACK'],
  ['prüfung', 'PR_FUNG_PIVOT_FEEDBACK'],
  ['v1.2', 'V1_2_PIVOT_FEEDBACK'],
])('the tag of what step %s says is %s', (step, tag) => {
  expect(feedbackTag(step)).toBe(tag);
});

describe('feedback', () => {
  test('is open for its step, the latest first', () => {
    const state = aState({
      feedback: [entry({ text: '1' }), entry({ to: 'other' }), entry({ text: '2' })],
    });
    expect(openFeedback(state, 'plan').map(({ text }) => text)).toEqual(['2', '1']);
    expect(feedbackOf(state).at(-1)?.text).toBe('2');
  });

  test('is finished with its step, and with no other', () => {
    const state = aState({ feedback: [entry(), entry({ to: 'code' })] });
    expect(settled(state, ['ship'])).toBe(state);
    const after = settled(state, ['plan']);
    expect(openFeedback(after, 'plan')).toEqual([]);
    expect(openFeedback(after, 'code')).toHaveLength(1);
    expect(after.feedback?.[0]).toEqual({ ...entry(), finished: true });
  });

  test('that somebody wrote by hand stays, and breaks nothing', () => {
    const odd = [null, 'x', 3, { to: 'plan' }, { ...entry(), tag: 'plan' }, { ...entry(), at: 1 }];
    const state = aState({ feedback: odd });
    expect(openFeedback(state, 'plan')).toEqual([]);
    expect(feedbackOf(state)).toEqual([]);
    expect(settled(state, ['plan'])).toBe(state);
    expect(withFeedback(state, entry()).feedback).toEqual([...odd, entry()]);
  });

  test('that is no list at all becomes the first of one', () => {
    const state = Object.assign(aState(), JSON.parse('{"feedback":"do better"}'));
    expect(openFeedback(state, 'plan')).toEqual([]);
    expect(withFeedback(state, entry()).feedback).toEqual(['do better', entry()]);
  });
});
