import { expect, test } from 'vitest';
import { parsePhase } from '../../../src/state/phase-line.ts';

const seo = { current: 4, total: 10, name: 'SEO Generation' };

test.each([
  '4/10 - SEO Generation',
  '4 / 10 - SEO Generation',
  '4 of 10 - SEO Generation',
  '4 out of 10 - SEO Generation',
  '4/10: SEO Generation',
  '4/10 – SEO Generation',
  '4/10 — SEO Generation',
  '4/10 SEO Generation',
  'Phase 4 of 10: SEO Generation',
  'phase 4/10 - SEO Generation',
  '[4/10] SEO Generation',
  '🔄 4/10 - SEO Generation',
])('%s', (text) => {
  expect(parsePhase(text)).toEqual(seo);
});

test.each([
  ['(in progress)', 'in_progress'],
  ['(in_progress)', 'in_progress'],
  ['(In-Progress)', 'in_progress'],
  ['(🔄 in progress)', 'in_progress'],
  ['(completed)', 'completed'],
  ['(done)', 'completed'],
  ['(✅ Done)', 'completed'],
  ['(blocked)', 'blocked'],
  ['(not started)', 'not_started'],
])('a status %s is taken off the name', (status, expected) => {
  expect(parsePhase(`4/10 - SEO Generation ${status}`)).toEqual({ ...seo, status: expected });
});

test('any other parenthesis belongs to the name', () => {
  expect(parsePhase('1/2 - Build (API)')?.name).toBe('Build (API)');
  expect(parsePhase('1/2 - Build (API) (done)')).toEqual({
    current: 1,
    total: 2,
    name: 'Build (API)',
    status: 'completed',
  });
});

test('numbers without a name', () => {
  expect(parsePhase('4/10')).toEqual({ current: 4, total: 10 });
  expect(parsePhase('4/10 (blocked)')).toEqual({ current: 4, total: 10, status: 'blocked' });
  expect(parsePhase('4')).toEqual({ current: 4 });
});

test('a name without numbers', () => {
  expect(parsePhase('SEO Generation')).toEqual({ name: 'SEO Generation' });
  expect(parsePhase('SEO Generation (done)')).toEqual({
    name: 'SEO Generation',
    status: 'completed',
  });
  expect(parsePhase('2 factor login')).toEqual({ name: '2 factor login' });
});

test('the number alone says which phase it is', () => {
  expect(parsePhase('4 - SEO Generation')).toEqual({ current: 4, name: 'SEO Generation' });
});

test.each([
  '11/10',
  '4/0',
  '-1/5',
  '99999999999999999999/99999999999999999999',
  '1/9007199254740993',
])('absurd numbers (%s) cost the numbers only', (numbers) => {
  expect(parsePhase(`${numbers} - Build`)).toEqual({ name: 'Build' });
});

test('phases count from 1, so a phase 0 is the first one', () => {
  expect(parsePhase('0/3 - Setup')).toEqual({ current: 1, total: 3, name: 'Setup' });
  expect(parsePhase('0: Setup')).toEqual({ current: 1, name: 'Setup' });
});

test('a date is no progress', () => {
  expect(parsePhase('4/10/2025')).toEqual({ name: '4/10/2025' });
});

test.each(['', '   ', '7/3'])('%j says nothing', (text) => {
  expect(parsePhase(text)).toBeUndefined();
});
