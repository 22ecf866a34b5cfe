import { describe, expect, it, test } from 'vitest';
import { describeWarning, warnWith, type Warning } from '../../../src/errors/warnings.ts';

const RUN = 'shop-20251209_143052';
const PATH = 'untracked/workflow-state/shop/state-shop-20251209_143052.json';

describe('a warning says what happened, and to what', () => {
  it.each<[Warning, string]>([
    [
      {
        code: 'settings_problems',
        file: '.claude/holdfast.json',
        problems: [{ kind: 'unknown_key', name: 'detects' }],
      },
      '.claude/holdfast.json: unknown key "detects"; it is ignored',
    ],
    [
      { code: 'artifact_problems', problems: [{ kind: 'unknown_key', name: 'pth' }] },
      'unknown key "pth"; it is ignored',
    ],
    [
      {
        code: 'source_problem',
        problem: { path: 'PLAN.md', why: { kind: 'file_too_large', megabytes: 1 } },
      },
      'PLAN.md was not read: the file is larger than 1 MB',
    ],
    [
      { code: 'trust_problem', problem: { path: 'trust.json', kind: 'not_json' } },
      'trust.json is not JSON; no template is trusted',
    ],
    [
      { code: 'unreadable_state', path: PATH, why: { kind: 'too_complex' } },
      `${PATH} cannot be read: too large or too deeply nested`,
    ],
    [
      {
        code: 'set_aside',
        path: PATH,
        why: { kind: 'not_a_run', defect: 'not_an_object' },
        movedTo: `${PATH}.corrupt-20250601_120000`,
      },
      `${PATH} could not be read (it is not a JSON object) and was moved aside as ${PATH}.corrupt-20250601_120000`,
    ],
    [
      { code: 'not_recorded', failure: { code: 'no_such_folder', path: '/gone' } },
      'there is no folder /gone',
    ],
    [{ code: 'run_released', run: RUN }, `released ${RUN}`],
    [{ code: 'duplicate_run', run: RUN }, `another run of this workflow is also active: ${RUN}`],
    [
      { code: 'declared_run_stored', run: RUN, workflow: 'Shop', source: 'CLAUDE.local.md' },
      `stored "Shop" as ${RUN}; it was only declared in CLAUDE.local.md`,
    ],
    [
      { code: 'untrusted_template', template: 'Ship it', name: 'ship' },
      '"Ship it" runs commands; before the first of them the user has to trust it: holdfast trust ship',
    ],
  ])('%o', (warning, sentence) => {
    expect(describeWarning(warning)).toEqual([sentence]);
  });
});

test('problems that read the same are printed once, the others one after the other', () => {
  const printed: string[] = [];
  const unknown = (name: string) => ({ kind: 'unknown_key', name }) as const;
  const problems = [unknown('a'), unknown('a'), unknown('b')];
  warnWith((sentence) => printed.push(sentence))({ code: 'artifact_problems', problems });
  expect(printed).toEqual(['unknown key "a"; it is ignored', 'unknown key "b"; it is ignored']);
});
