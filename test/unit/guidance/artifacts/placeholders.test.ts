import { asWord } from '../../../../src/text/sanitize.ts';
import { describe, expect, test } from 'vitest';
import { type Artifact } from '../../../../src/guidance/artifacts/load-plain.ts';
import { targetOf } from '../../../../src/guidance/artifacts/artifact-path.ts';
import { aRun, aState } from '../../../support/runs.ts';

const place = {
  runId: 'feature-20250501_080000',
  path: 'untracked/workflow-state/feature/state-feature-20250501_080000.json',
};
const state = aState({
  context: { plan_id: 'P-7', work_id: 258, other: 'x' },
  artifacts: { blank: ' ' },
});

const targetFor = (fields: Partial<Artifact>) =>
  targetOf(
    { id: 'a', type: 'markdown', reload_triggers: [], ...fields },
    { ...aRun(), ...place, state },
    '/home/dev/shop',
  );

describe('placeholders', () => {
  test.each([
    ['docs/spec.md', 'docs/spec.md'],
    ['{project_root}/docs/spec.md', '/home/dev/shop/docs/spec.md'],
    ['state-{run_id}.json', 'state-feature-20250501_080000.json'],
    ['plans/{plan_id}/{work_id}.md', 'plans/P-7/258.md'],
  ])('%s is %s', (path, text) => {
    expect(targetFor({ path })).toEqual({ kind: 'path', text });
  });

  test.each([
    '{other}',
    '{}',
    '{PLAN_ID}',
    '{constructor}',
    '{__proto__}',
    '{plan_id }',
  ])('%s is not a placeholder, and the valid ones are listed', (path) => {
    expect(targetFor({ path })).toEqual({
      kind: 'missing',
      words: `missing: ${asWord(path)} is no placeholder; there are project_root, run_id, plan_id, work_id, state_file`,
    });
  });
});

describe('a path from the state', () => {
  test.each([
    ['artifacts.plan', '`holdfast update --artifact plan=<path>`'],
    ['$.artifacts.blank', '`holdfast update --artifact blank=<path>`'],
    ['context.file', '`holdfast update --set file=<value>`'],
    ['context.a; touch x', "`holdfast update --set 'a; touch x'=<value>`"],
    ['phase', 'write it into the state file'],
    ['workflow.length', 'write it into the state file'],
    ['', 'write it into the state file'],
  ])(
    '%s: explains what to do if there is no value',
    (path_from_state, hint) => {
      expect(targetFor({ path_from_state })).toEqual({
        kind: 'missing',
        words: `missing: the run's state has no path at ${asWord(path_from_state)}; ${hint}`,
      });
    },
  );
});
