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
  '- Every decision made, every instruction of the user that changes the plan (such as a phase to skip), and every file path that is being worked on.',
  'Do not guess what the required files contain, and do not describe unfinished phases as done.',
];

test('the summariser is told what to carry over word by word', () => {
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
    '- Required reading, each path as written:',
    '  - @docs/RELEASING.md',
    '- Key reminders:',
    '  - tag last',
    '  - no force push',
    '- Context:',
    '  - branch: main',
    '  - reviewed',
    ...END,
  ]);
});

test('a long list of paths does not displace reminders and context', () => {
  const required_reading = Array.from(
    { length: 60 },
    (_, at) => `@docs/${'part-'.repeat(7)}${at}.md`,
  );
  const key_reminders = ['NEVER push to main'];
  const text = summaryInstructions(
    aRun({ required_reading, key_reminders, context: { ticket: 42 } }),
  );
  expect(text).toContain(
    '- Key reminders:\n  - NEVER push to main\n- Context:\n  - ticket: 42\n',
  );
  expect(text).toContain(`  - ${required_reading[0]}\n`);
  expect(text).toMatch(/^  - … \d+ more: `holdfast status`$/m);
  expect(text.length).toBeGreaterThan(1_800);
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
            /^(?:A workflow|\s*- |Do not|… \d+ more: `holdfast status`$)/,
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
