import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseReport, stoppedText } from '../../../src/autopilot/report.ts';

const NEXT = { perform: 'clear', prompt: 'Continue', stop: null };
const REPORT = {
  run: {
    workflow: 'Release',
    phase: { current: 2, total: 3, name: 'Build' },
    sessions: { current_session_id: 's1' },
  },
  step: { step: 'build', progress: { text: 'step 2 of 3 (build)' } },
  next: NEXT,
  position: 'run/step=build',
  warn_at: [65, 80],
};

test.each([
  ['no run', { ...REPORT, run: null }],
  ['an older holdfast', { ...REPORT, next: undefined }],
  ['an action that is unknown', { ...REPORT, next: { ...NEXT, perform: 'rewind' } }],
  ['a prompt that is not a text', { ...REPORT, next: { ...NEXT, prompt: 7 } }],
  ['a reason that is unknown', { ...REPORT, next: { ...NEXT, stop: 'lunch' } }],
  ['a list', []],
])('%s leads to nothing', (_what, report) => {
  expect(parseReport(JSON.stringify(report))).toBeNull();
});

test('any text is answered', () => {
  fc.assert(fc.property(fc.string(), (text) => void parseReport(text)));
  fc.assert(fc.property(fc.json(), (text) => void parseReport(text)));
});

test.each([
  ['Release', /type \/holdfast:approve, or \/holdfast:reject <feedback>/, /\n/],
  [`\u001b[2J${'x'.repeat(500)}\nrm`, /^.{1,170}$/, /[\u001b\n]/],
])(
  'the line about a stop of %j is one short line that names what the user types',
  (workflow, has, lacks) => {
    const next = { perform: 'none', prompt: null, stop: 'approval' };
    const run = { ...REPORT.run, workflow };
    const report = parseReport(JSON.stringify({ ...REPORT, run, next }));
    const text = report === null ? '' : stoppedText('approval', report);
    expect(text).toMatch(has);
    expect(text).not.toMatch(lacks);
  },
);
