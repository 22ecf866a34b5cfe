import { expect, test } from 'vitest';
import {
  feedbackOf,
  feedbackTag,
  openFeedback,
  settled,
  withFeedback,
  type Feedback,
} from '../../../../src/state/feedback.ts';
import { aState } from '../../../support/runs.ts';

const entry: Feedback = {
  from: 'review',
  to: 'plan',
  tag: 'REVIEW_PIVOT_FEEDBACK',
  text: 'too dear',
  at: '2025-06-01T12:00:00.000Z',
};

test.each([
  ['budget_review', 'BUDGET_PIVOT_FEEDBACK'],
  ['code-review', 'CODE_PIVOT_FEEDBACK'],
  ['review_of_code', 'REVIEW_OF_CODE_PIVOT_FEEDBACK'],
  ['prüfung', 'PR_FUNG_PIVOT_FEEDBACK'],
])('the tag of what step %s says is %s', (step, tag) => {
  expect(feedbackTag(step)).toBe(tag);
});

test('feedback that somebody wrote by hand stays, and breaks nothing', () => {
  const odd = [
    null,
    'x',
    3,
    { to: 'plan' },
    { ...entry, tag: 'plan' },
    { ...entry, at: 1 },
  ];
  const state = aState({ feedback: odd });
  expect(openFeedback(state, 'plan')).toEqual([]);
  expect(feedbackOf(state)).toEqual([]);
  expect(settled(state, ['plan'])).toBe(state);
  expect(withFeedback(state, entry).feedback).toEqual([...odd, entry]);
});
