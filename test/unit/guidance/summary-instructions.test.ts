import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  candidateInstructions,
  shortSummaryInstructions,
  summaryInstructions,
} from '../../../src/guidance/summary-instructions.ts';
import { anyText } from '../../support/arbitraries.ts';
import { hostTagIn } from '../../support/guidance-text.ts';
import { aPhase, aRun } from '../../support/runs.ts';

const END = [
  'Afterwards holdfast gives back the phase, notes, reminders, context and required reading by itself, so the summary need not copy them.',
  'What holdfast does not know, and the summary should hold:',
  '- where exactly the work stands: what is finished, what is half done and in which files, what comes next',
  '- what the user said last, their instructions that still count, and decisions that no note has',
  'Do not guess what the required files contain, and do not describe unfinished phases as done.',
];

test('the summariser is told where the run stands, and what only the summary can hold', () => {
  const run = aRun({
    workflow: 'Release',
    run_id: 'release-20250501_080000',
    phase: aPhase({ current: 2, total: 3, name: 'Build' }),
    required_reading: ['@docs/RELEASING.md'],
    key_reminders: ['tag last', 'no force push'],
    context: { branch: 'main', reviewed: true },
  });
  expect(summaryInstructions(run).split('\n')).toEqual([
    'A workflow is in progress. Keep the following verbatim in the summary:',
    '- Workflow: Release, run release-20250501_080000',
    '- Phase: 2/3 - Build (in_progress)',
    ...END,
  ]);
  const short = shortSummaryInstructions(run);
  for (const line of END.slice(0, -1))
    expect(short).toContain(line.replace('- ', ''));
});

test('for any run it has at most 2,000 characters and ends as it should', () => {
  const text = anyText();
  const texts = fc.array(text, { maxLength: 30 });
  fc.assert(
    fc.property(
      text,
      text,
      text,
      texts,
      texts,
      (workflow, type, name, paths, reminders) => {
        const run = aRun({
          workflow,
          workflow_type: type,
          phase: aPhase({ name, total: 40 }),
          phases: reminders,
          skipped: Object.fromEntries(
            reminders.map((reason, at) => [at + 2, reason]),
          ),
          required_reading: paths.map((path) => `@${path}`),
          key_reminders: reminders,
          context: Object.fromEntries(
            reminders.map((reminder) => [reminder, reminder]),
          ),
        });
        const given = summaryInstructions(run);
        expect(given.length).toBeLessThanOrEqual(2_000);
        expect(shortSummaryInstructions(run).length).toBeLessThanOrEqual(2_000);
        expect(given.endsWith(`\n${END.join('\n')}`)).toBe(true);
        expect(given.split('\n')[2]).toMatch(/^- Phase: 1\/40/);
        expect(hostTagIn(given)).toBeNull();
        for (const line of given.split('\n'))
          expect(line).toMatch(
            /^(?:A workflow|- |Afterwards|What holdfast|Do not|… \d+ more: `holdfast status`$)/,
          );
      },
    ),
  );
});

test('the summariser is asked which of several runs the conversation works on', () => {
  const runs = ['a-1', 'b-1'].map((runId) => aRun({}, { runId }));
  expect(candidateInstructions(runs).split('\n')).toEqual([
    'Workflows are in progress, and nothing shows whether this conversation works on any of these:',
    '  - a-1: Feature, Phase 1/5 - Design',
    '  - b-1: Feature, Phase 1/5 - Design',
    'If it works on one, put this line into the summary, alone on its line: holdfast run: <id>',
    'If it does not, or that is not clear, leave the line out.',
  ]);
});
