import { describe, expect, test } from 'vitest';
import { HoldfastError, type Failure } from '../../../src/errors/holdfast-error.ts';
import { describe as describeFailure } from '../../../src/errors/describe.ts';
import { errorLine } from '../../../src/errors/messages.ts';
import type { FileProblem } from '../../../src/errors/problems.ts';
import { unreachable } from '../../../src/util/unreachable.ts';

const failures: Failure[] = [
  { code: 'no_workflow', also: [] },
  { code: 'no_workflow', also: ['DETAIL (paused)'] },
  { code: 'unknown_run', name: 'DETAIL', near: ['a'], all: ['a', 'b'] },
  { code: 'unknown_run', name: 'DETAIL', near: [], all: ['a', 'b'] },
  { code: 'unknown_run', name: 'DETAIL', near: [], all: [] },
  { code: 'ambiguous_run', name: null, runs: [{ run: 'DETAIL', source: null }] },
  { code: 'ambiguous_run', name: null, runs: [{ run: 'a', source: 'DETAIL' }] },
  { code: 'only_declared', run: 'DETAIL', source: 'a.md' },
  { code: 'only_declared', run: 'a', source: 'DETAIL' },
  { code: 'ambiguous_run', name: 'DETAIL', runs: [{ run: 'a', source: null }] },
  { code: 'all_held', runs: ['DETAIL'] },
  { code: 'session_busy', run: 'DETAIL' },
  { code: 'held_by_other', run: 'DETAIL', session: 's', seen: '5 min ago', verb: 'resume' },
  { code: 'held_by_other', run: 'DETAIL', session: 's', seen: '5 min ago', verb: 'release' },
  { code: 'no_session', run: 'DETAIL' },
  { code: 'run_archived', run: 'DETAIL', status: 'cancelled' },
  { code: 'not_active', run: 'DETAIL', status: 'completed', command: 'advance' },
  { code: 'not_active', run: 'DETAIL', status: 'paused', command: 'advance' },
  { code: 'not_paused', run: 'DETAIL', status: 'in_progress' },
  { code: 'phase_out_of_range', phase: 9, total: 3, command: 'update' },
  { code: 'phase_out_of_range', phase: 0, total: 3, command: 'update' },
  { code: 'phase_out_of_range', phase: 9, total: 3, command: 'skip' },
  { code: 'unknown_entry', what: 'reminder', given: 'DETAIL', existing: ['a'] },
  { code: 'unknown_entry', what: 'reminder', given: 'DETAIL', existing: [] },
  { code: 'bad_value', option: '--phase', given: 'DETAIL', expected: { kind: 'phase_number' } },
  { code: 'no_such_folder', path: 'DETAIL' },
  { code: 'cwd_after_command', path: 'DETAIL' },
  { code: 'blocked_path', path: 'DETAIL' },
  { code: 'not_a_file', path: 'DETAIL' },
  { code: 'outside_project', path: 'DETAIL' },
  { code: 'foreign_folder', path: 'DETAIL' },
  { code: 'not_writable', path: 'DETAIL', reason: 'EROFS' },
  { code: 'not_writable', path: 'DETAIL', reason: 'EROFS', isPartial: true },
  { code: 'locked', path: 'DETAIL', seconds: 10 },
  { code: 'unreadable_input', what: 'DETAIL', problem: { kind: 'refused', why: 'too large' } },
  { code: 'unreadable_input', what: 'DETAIL', problem: { kind: 'outside_for_agent' } },
  { code: 'not_text', path: 'DETAIL' },
  { code: 'settings_not_json', path: 'DETAIL', line: 3, why: { kind: 'comment' } },
  { code: 'settings_misshapen', path: 'DETAIL', part: '"hooks"' },
  { code: 'no_package', path: 'DETAIL' },
  { code: 'record_damaged', path: 'DETAIL' },
  { code: 'unknown_template', name: 'DETAIL', near: 'feature', all: ['feature'] },
  { code: 'unknown_template', name: 'DETAIL', near: null, all: ['feature'] },
  { code: 'ambiguous_template', name: 'DETAIL', files: ['a.yaml', 'b.yaml'] },
  {
    code: 'invalid_template',
    problems: [{ file: 'DETAIL', line: 2, defect: { kind: 'no_such_file' } }],
  },
  {
    code: 'invalid_template',
    problems: [
      {
        file: 'a',
        line: 2,
        defect: { kind: 'template', template: { kind: 'namesake', path: 'DETAIL' } },
      },
    ],
  },
  { code: 'trust_from_agent', template: 'DETAIL', given: 'x' },
  { code: 'trust_unconfirmed', template: 'DETAIL', answered: true },
  { code: 'trust_unconfirmed', template: 'DETAIL', answered: false },
  { code: 'never_trusted', template: 'DETAIL', trusted: [] },
  { code: 'never_trusted', template: 'DETAIL', trusted: ['a'] },
  { code: 'gate_untrusted', template: 'DETAIL', command: 'DETAIL', run: 'DETAIL', problem: null },
  { code: 'gate_not_started', command: 'DETAIL', reason: 'DETAIL' },
  { code: 'gate_timed_out', command: 'DETAIL', seconds: 600, output: '' },
  { code: 'gate_failed', command: 'DETAIL', exitCode: 1, output: '' },
  { code: 'no_template', run: 'DETAIL' },
  { code: 'template_decides', option: '--phase', run: 'DETAIL' },
  { code: 'no_context_action', run: 'DETAIL' },
  { code: 'moved_meanwhile', run: 'DETAIL' },
  { code: 'changed_meanwhile', path: 'DETAIL' },
  { code: 'half_done', path: 'DETAIL', reason: 'EROFS' },
  { code: 'user_folder', path: 'DETAIL', command: 'init' },
];

test('the message of an error, for stack traces, is its code and its fields', () => {
  const error = new HoldfastError({ code: 'not_writable', path: 'a.json', reason: 'ENOSPC' });
  expect(error.message).toBe('not_writable, path "a.json", reason "ENOSPC"');
});

describe('a failure is described in one line: what happened, and what to do', () => {
  test.each(failures)('$code', (failure) => {
    const text = describeFailure(failure);
    expect(new HoldfastError(failure).code).toBe(failure.code);
    expect(text.hint).not.toBe('');
    const line = errorLine(text);
    expect(line).not.toMatch(/\n|undefined|\[object|\.;|\.$/);
    const details = JSON.stringify(failure).match(/DETAIL/g) ?? [];
    expect(line.match(/DETAIL/g) ?? []).toEqual(expect.arrayContaining(details));
  });
});

test('a gate that failed is described with its output, below the sentence and as data', () => {
  const output = 'two tests fail';
  expect(describeFailure({ code: 'gate_failed', command: 'c', exitCode: 3, output })).toMatchObject(
    {
      message: 'the gate failed with exit code 3: c',
      details: output,
      data: { gate: { command: 'c', output } },
    },
  );
});

test('a broken record of trust is described below the sentence', () => {
  const problem = { path: '/c/trusted.json', kind: 'in_project' } as const;
  const names = { template: 'T', command: 'c', run: 'r' };
  expect(describeFailure({ code: 'gate_untrusted', ...names, problem }).details).toBe(
    '/c/trusted.json is inside the project; no template is trusted',
  );
});

test('a question at the end of the message is not followed by a semicolon', () => {
  expect(errorLine({ message: 'did you mean "a"?', hint: 'earlier steps: a, b' })).toBe(
    'did you mean "a"? Earlier steps: a, b',
  );
});

test('one problem is written in the singular', () => {
  const problem: FileProblem = { file: 'a', line: 1, defect: { kind: 'no_such_file' } };
  const text = (...problems: FileProblem[]) =>
    describeFailure({ code: 'invalid_files', checked: 2, problems, schemas: null }).message;
  expect([text(problem), text(problem, problem)]).toEqual(['1 problem found', '2 problems found']);
});

test('an unknown failure is not ignored', () => {
  // @ts-expect-error -- the compiler would not let it come to this
  expect(() => unreachable({ code: 'new' })).toThrow('{"code":"new"}');
});
