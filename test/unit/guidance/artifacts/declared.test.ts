import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { declaredArtifacts } from '../../../../src/guidance/artifacts/declared.ts';
import {
  describeSettings,
  DEFAULTS,
} from '../../../../src/settings/settings.ts';
import { aState } from '../../../support/runs.ts';
import { repetitions } from '../../../support/repetitions.ts';

const spec = {
  id: 'spec',
  type: 'markdown',
  path: 'docs/spec.md',
  reload_triggers: ['manual'],
};
const plan = {
  id: 'plan',
  type: 'json',
  path: 'plan.json',
  reload_triggers: ['compaction'],
};

/** Only what a state file says. */
const inState = (critical_artifacts: unknown) => {
  const { artifacts, problems } = declaredArtifacts(
    { ...aState(), critical_artifacts } as never,
    DEFAULTS,
  );
  return { artifacts, problems: describeSettings(problems) };
};

test('keeps the order: always, conditional, by phase, each as written', () => {
  const named = (id: string) => ({ ...spec, id });
  const { artifacts } = inState({
    phase_specific: [named('e')],
    conditional_load: [named('d'), named('c')],
    always_load: [named('b'), named('a')],
  });
  expect(artifacts.map(({ id }) => id)).toEqual(['b', 'a', 'd', 'c', 'e']);
});

test('an artifact without triggers is loaded at every start, a phase-specific one only on demand', () => {
  const { reload_triggers: _triggers, ...plain } = spec;
  const triggersIn = (list: string) =>
    inState({ [list]: [plain] }).artifacts.map(
      (artifact) => artifact.reload_triggers,
    );
  expect(triggersIn('always_load')).toEqual([['session_start', 'compaction']]);
  expect(triggersIn('conditional_load')).toEqual([
    ['session_start', 'compaction'],
  ]);
  expect(triggersIn('phase_specific')).toEqual([[]]);
});

describe('an invalid declaration is reported by name and affects no other', () => {
  test.each<[object | string, string]>([
    [
      { ...plan, type: 'yaml' },
      '"critical_artifacts.always_load.plan.type" must be one of json,',
    ],
    [{ type: 'json' }, '"critical_artifacts.always_load.1.id" is missing'],
    ['docs/plan.md', '"critical_artifacts.always_load.1" must be an object'],
  ])('%j', (bad, problem) => {
    const { artifacts, problems } = inState({ always_load: [spec, bad] });
    expect(artifacts).toEqual([spec]);
    expect(problems).toEqual([expect.stringContaining(problem)]);
    expect(problems[0]).toMatch(/this artifact is left out$/);
  });

  test('an unknown trigger loses only itself', () => {
    const two = {
      ...spec,
      reload_triggers: ['sesion_start', 'compaction', 'phase_start:'],
    };
    const { artifacts, problems } = inState({ always_load: [two] });
    expect(artifacts).toEqual([{ ...spec, reload_triggers: ['compaction'] }]);
    expect(problems).toEqual([
      expect.stringMatching(
        /spec\.reload_triggers\.0" must be .+, not "sesion_start"; it is left/,
      ),
      expect.stringMatching(
        /spec\.reload_triggers\.2" must be .+, not "phase_start:"; it is left/,
      ),
    ]);
  });
});

test('whatever a state file declares, the result is valid', () => {
  const field = fc.oneof(
    fc.constantFrom<unknown>(
      'spec',
      'json',
      'all',
      'manual',
      ['manual', 'x'],
      true,
      null,
      '',
      3,
    ),
    fc.object({ maxDepth: 1 }),
  );
  const keys = fc.constantFrom(
    'id',
    'type',
    'path',
    'reload_triggers',
    'load_strategy',
    'other',
  );
  const lists = fc.constantFrom(
    'always_load',
    'conditional_load',
    'phase_specific',
    '__proto__',
  );
  const declaration = fc.dictionary(
    lists,
    fc.oneof(
      field,
      fc.array(fc.oneof(field, fc.dictionary(keys, field)), { maxLength: 4 }),
    ),
  );
  fc.assert(
    fc.property(declaration, (critical_artifacts) => {
      const { artifacts } = inState(critical_artifacts);
      expect(inState({ always_load: artifacts })).toEqual({
        artifacts,
        problems: [],
      });
    }),
    { numRuns: repetitions(100) },
  );
});
