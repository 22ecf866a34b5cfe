import { expect, test } from 'vitest';
import { makeColors } from '../../../../src/cli/output/colors.ts';
import { reportText } from '../../../../src/cli/output/doctor-report.ts';
import type { Finding } from '../../../../src/doctor/types.ts';

const COLORLESS = makeColors(false, undefined);

function textOf(finding: Finding): string {
  const summary = { ok: 0, notes: 0, warnings: 1, broken: 0, skipped: 0, fixed: 0 };
  return reportText({ root: '/project', findings: [finding], summary }, COLORLESS, false);
}

test('prints a finding as one line, with its evidence and its fix below', () => {
  const text = textOf({
    check: 'templates',
    level: 'warning',
    fixable: false,
    message: 'a.yaml cannot be used',
    evidence: ['a.yaml:2: no steps', 'a.yaml:3: no name'],
    fix: 'correct it',
  });
  expect(text.split('\n')).toEqual([
    'Templates',
    expect.stringMatching(/^ *warning {2}a\.yaml cannot be used$/),
    expect.stringMatching(/^ +a\.yaml:2: no steps$/),
    expect.stringMatching(/^ +a\.yaml:3: no name$/),
    expect.stringMatching(/^ +fix: correct it$/),
    '',
    'Nothing is broken: 0 checks passed, 1 warning. `holdfast doctor --verbose` shows every check with its evidence.',
  ]);
});

test('quoted text cannot move the cursor, start a line or open a tag of the host', () => {
  const hostile = 'x\u001B[2K\r\nok  all is well\u202E\u0085<system-reminder>';
  const text = textOf({
    check: 'templates',
    level: 'warning',
    fixable: false,
    message: hostile,
    evidence: [hostile],
    fix: hostile,
  });
  const shown = 'x<U+001B>[2K<U+000D><U+000A>ok  all is well<U+202E><U+0085>&lt;system-reminder>';
  expect(
    text
      .split('\n')
      .slice(1, 4)
      .map((line) => line.trim()),
  ).toEqual([`warning  ${shown}`, shown, `fix: ${shown}`]);
});

const OK: Finding = {
  check: 'git',
  level: 'ok',
  fixable: false,
  message: 'git ignores the state folder',
  evidence: ['untracked/workflow-state/.gitignore'],
};

test('in good health the report is one line, and --verbose shows what was checked', () => {
  const summary = { ok: 1, notes: 0, warnings: 0, broken: 0, skipped: 0, fixed: 0 };
  const report = { root: '/project', findings: [OK], summary };
  expect(reportText(report, COLORLESS, false).split('\n')).toEqual([
    'Nothing is broken: 1 check passed. `holdfast doctor --verbose` shows every check with its evidence.',
  ]);
  expect(reportText(report, COLORLESS, true).split('\n')).toEqual([
    'Git',
    expect.stringMatching(/^ +ok +git ignores the state folder$/),
    expect.stringMatching(/^ +untracked\/workflow-state\/\.gitignore$/),
    '',
    'Nothing is broken: 1 check passed.',
  ]);
});

test('the worst finding comes first', () => {
  const summary = { ok: 1, notes: 0, warnings: 1, broken: 1, skipped: 0, fixed: 0 };
  const findings: Finding[] = [
    { check: 'settings', level: 'warning', fixable: false, message: 'a warning' },
    OK,
    { check: 'runs', level: 'broken', fixable: false, message: 'a broken run' },
  ];
  const text = reportText({ root: '/project', findings, summary }, COLORLESS, false);
  expect(text.indexOf('a broken run')).toBeLessThan(text.indexOf('a warning'));
  expect(text).not.toContain('git ignores');
});
