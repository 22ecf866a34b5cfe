import fc from 'fast-check';
import { expect, test } from 'vitest';
import { statusText } from '../../../src/autopilot/messages.ts';
import { parseReport } from '../../../src/autopilot/report.ts';

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

test('a report gives what the module needs', () => {
  expect(parseReport(JSON.stringify(REPORT))).toEqual({
    holder: 's1',
    workflow: 'Release',
    place: 'step 2 of 3 (build)',
    step: 'build',
    next: NEXT,
    position: 'run/step=build',
    warnAt: [65, 80],
  });
});

test('a run without a template shows its phase', () => {
  expect(parseReport(JSON.stringify({ ...REPORT, step: null }))?.place).toBe('phase 2/3 Build');
});

test('a run that waits for an approval names a command that works wherever the user types it', () => {
  const next = { perform: 'none', prompt: null, stop: 'approval' };
  const report = parseReport(JSON.stringify({ ...REPORT, next }));
  const text = report === null ? '' : statusText(report);
  expect(text).toContain('`holdfast status` in a terminal');
  expect(text).not.toMatch(/holdfast (?:approve|reject)/);
});

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

test('names from a repository are shown as one short line', () => {
  const run = { ...REPORT.run, workflow: `\u001b[2J${'x'.repeat(500)}\nrm` };
  const report = parseReport(JSON.stringify({ ...REPORT, run }));
  const text = report === null ? '' : statusText(report);
  expect(text).not.toMatch(/[\u001b\n]/);
  expect(text.length).toBeLessThan(120);
});
