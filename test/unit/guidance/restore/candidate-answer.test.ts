import { describe, expect, test } from 'vitest';
import { candidateAnswer } from '../../../../src/guidance/restore/candidate-answer.ts';
import { aRun, HERE, NOW } from '../../../support/runs.ts';

const run = aRun();
const other = aRun({}, { runId: 'other-20250501_080000', slug: 'other' });
const answered = (summary: string) =>
  candidateAnswer(summary, [run, other], 's1', { now: NOW, hostname: HERE })?.runId ?? null;

describe('the run that a summary names', () => {
  test.each([
    'holdfast run: ID',
    '- holdfast run: `ID`',
    '**holdfast run: ID**',
    '- **holdfast run:** ID',
    '`holdfast run: ID`',
    '> Holdfast run: "ID"',
    'holdfast run: <ID>',
  ])('%s', (line) => {
    const text = line.replace('ID', run.runId);
    expect(answered(`Summary\n\n${text}\nThe rest.`)).toBe(run.runId);
  });

  test.each([
    ['in a sentence', `We typed holdfast run: ${run.runId} yesterday.`],
    ['that is unknown', 'holdfast run: nothing-20250501_080000'],
    ['that is one of two', `holdfast run: ${run.runId}\nholdfast run: ${other.runId}`],
  ])('is not taken %s', (_case, summary) => {
    expect(answered(summary)).toBeNull();
  });
});
