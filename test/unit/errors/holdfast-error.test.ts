import { describe, expect, onTestFinished, test } from 'vitest';
import {
  HoldfastError,
  setDescribe,
  describeByCode,
  type Failure,
} from '../../../src/errors/holdfast-error.ts';
import { describe as describeFailure } from '../../../src/errors/describe.ts';
import { unreachable } from '../../../src/util/unreachable.ts';

const failures: Failure[] = [
  { code: 'no_workflow', also: [] },
  { code: 'no_workflow', also: ['DETAIL (paused)'] },
  { code: 'unknown_run', name: 'DETAIL', near: ['a'], all: ['a', 'b'] },
  { code: 'unknown_run', name: 'DETAIL', near: [], all: ['a', 'b'] },
  { code: 'unknown_run', name: 'DETAIL', near: [], all: [] },
  { code: 'ambiguous_run', name: null, runs: ['DETAIL', 'b'] },
  { code: 'ambiguous_run', name: 'DETAIL', runs: ['a', 'b'] },
  { code: 'all_held', runs: ['DETAIL'] },
  { code: 'session_busy', run: 'DETAIL', wanted: 'start x' },
  { code: 'held_by_other', run: 'DETAIL', session: 's', seen: '5 min ago', verb: 'claim' },
  { code: 'held_by_other', run: 'DETAIL', session: 's', seen: '5 min ago', verb: 'release' },
  { code: 'no_session', command: 'DETAIL' },
  { code: 'not_active', run: 'DETAIL', status: 'completed', command: 'advance' },
  { code: 'not_active', run: 'DETAIL', status: 'paused', command: 'advance' },
  { code: 'not_paused', run: 'DETAIL', status: 'in_progress' },
  { code: 'phase_out_of_range', phase: 9, total: 3 },
  { code: 'unknown_entry', what: 'reminder', given: 'DETAIL', existing: ['a'] },
  { code: 'unknown_entry', what: 'reminder', given: 'DETAIL', existing: [] },
  { code: 'bad_value', option: '--phase', given: 'DETAIL', expected: 'a number' },
  { code: 'no_such_folder', path: 'DETAIL' },
  { code: 'blocked_path', path: 'DETAIL' },
  { code: 'not_a_file', path: 'DETAIL' },
  { code: 'outside_project', path: 'DETAIL' },
  { code: 'not_writable', path: 'DETAIL', reason: 'EROFS' },
  { code: 'locked', path: 'DETAIL', seconds: 10 },
  { code: 'unreadable_input', what: 'DETAIL', reason: 'too large' },
  { code: 'not_text', path: 'DETAIL' },
  { code: 'settings_not_json', path: 'DETAIL', line: 3, why: 'a comment' },
  { code: 'settings_misshapen', path: 'DETAIL', part: '"hooks"' },
  { code: 'no_package', path: 'DETAIL' },
  { code: 'unknown_template', name: 'DETAIL', near: 'feature', all: ['feature'] },
  { code: 'unknown_template', name: 'DETAIL', near: null, all: ['feature'] },
  { code: 'ambiguous_template', name: 'DETAIL', files: ['a.yaml', 'b.yaml'] },
  { code: 'invalid_template', file: 'DETAIL', line: 2, message: 'x', more: 0 },
  { code: 'invalid_template', file: 'a', line: 2, message: 'DETAIL', more: 3 },
  { code: 'trust_from_agent', template: 'DETAIL' },
  { code: 'trust_unconfirmed', template: 'DETAIL', answered: true },
  { code: 'trust_unconfirmed', template: 'DETAIL', answered: false },
  { code: 'never_trusted', template: 'DETAIL', trusted: [] },
  { code: 'never_trusted', template: 'DETAIL', trusted: ['a'] },
  { code: 'gate_untrusted', template: 'DETAIL', command: 'DETAIL', run: 'DETAIL' },
  { code: 'gate_not_started', command: 'DETAIL', reason: 'DETAIL' },
  { code: 'gate_timed_out', command: 'DETAIL', seconds: 600 },
  { code: 'gate_failed', command: 'DETAIL', exitCode: 1 },
  { code: 'no_template', run: 'DETAIL' },
  { code: 'template_decides', option: '--phase', run: 'DETAIL' },
  { code: 'no_context_action', run: 'DETAIL' },
  { code: 'moved_meanwhile', run: 'DETAIL' },
  { code: 'changed_meanwhile', path: 'DETAIL' },
  { code: 'half_done', path: 'DETAIL', reason: 'EROFS' },
  { code: 'user_folder', path: 'DETAIL', command: 'init' },
];

test('without the sentences it is told by its code and its fields', () => {
  setDescribe(describeByCode);
  onTestFinished(() => setDescribe(describeFailure));
  const error = new HoldfastError({ code: 'not_writable', path: 'a.json', reason: 'ENOSPC' });
  expect(error.message).toBe('not_writable, path "a.json", reason "ENOSPC"');
});

describe('a failure is told in one line: what, and what to do', () => {
  test.each(failures)('$code', (failure) => {
    const error = new HoldfastError(failure);
    expect(error.code).toBe(failure.code);
    expect(error.hint).not.toBe('');
    const line = `${error.message}; ${error.hint}`;
    expect(line).not.toMatch(/\n|undefined|\[object|\.;|\.$/);
    const details = JSON.stringify(failure).match(/DETAIL/g) ?? [];
    expect(line.match(/DETAIL/g) ?? []).toEqual(expect.arrayContaining(details));
  });
});

test('the data that belongs to a failure is kept beside it', () => {
  const error = new HoldfastError({ code: 'nothing_paused' }, { others: [1] });
  expect(error).toBeInstanceOf(Error);
  expect(error.data).toEqual({ others: [1] });
  expect(new HoldfastError({ code: 'nothing_paused' }).data).toEqual({});
});

test('one problem is no plural', () => {
  const told = (problems: number) => new HoldfastError({ code: 'invalid_files', problems }).message;
  expect([told(1), told(2)]).toEqual(['1 problem found', '2 problems found']);
});

test('a failure nobody thought of is not passed over', () => {
  // @ts-expect-error -- the compiler would not let it come to this
  expect(() => unreachable({ code: 'new' })).toThrow('{"code":"new"}');
});
