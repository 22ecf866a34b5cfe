import type { DueArtifact } from '../../../src/artifacts/types.ts';
import { describe, expect, test } from 'vitest';
import { artifactsForSession, artifactsReadFrom } from '../../../src/artifacts/for-session.ts';
import type { Artifact } from '../../../src/artifacts/types.ts';
import { DEFAULTS, type Settings } from '../../../src/settings/settings.ts';
import type { RunState } from '../../../src/state/types.ts';
import { makeProject, type Project } from '../../support/project.ts';
import { aRun, minutesBefore, NOW } from '../../support/runs.ts';
import { anArtifact } from './support.ts';

const TRIGGERS = ['session_start', 'compaction', 'phase_start:build', 'phase_transition', 'manual'];
const each = TRIGGERS.map((trigger) => {
  const id = trigger.replace(/\W/g, '-');
  return anArtifact({ id, path: `docs/${id}.md`, reload_triggers: [trigger] });
});

const declared = (...always_load: Artifact[]): Partial<RunState> => ({
  critical_artifacts: { always_load },
});

function given(
  { root }: Project,
  fields: Partial<RunState>,
  around: { source?: string; required?: string[]; settings?: Settings } = {},
): DueArtifact[] {
  const { source = 'compact', required = [], settings = DEFAULTS } = around;
  return artifactsForSession(aRun(fields), { root, now: NOW, source, settings, required });
}

const withSpec = (): Project => makeProject({ 'docs/spec.md': 'text' });

describe('a session is given', () => {
  test.each([
    ['compact', ['session_start', 'compaction']],
    ['startup', ['session_start']],
    ['clear', ['session_start']],
  ])('after %s what %j set off, and nothing else', (source, ids) => {
    const all = given(withSpec(), declared(...each), { source });
    expect(all.map(({ id }) => id)).toEqual(ids);
  });

  test('each file once, whatever its spelling', () => {
    const twice = [anArtifact({ id: 'a' }), anArtifact({ id: 'b' })].map((artifact) => ({
      ...artifact,
      reload_triggers: ['session_start'],
    }));
    expect(given(withSpec(), declared(...twice)).map(({ id }) => id)).toEqual(['a']);
  });

  test('what its condition allows', () => {
    const state = declared(
      anArtifact({ id: 'yes', condition: 'state.phase.current == 1' }),
      anArtifact({ id: 'no', condition: 'state.phase.current == 2' }),
      anArtifact({ id: 'bad', condition: 'state.phase.' }),
    );
    expect(given(withSpec(), state).map(({ id }) => id)).toEqual(['yes']);
  });

  test('also what it got a moment ago, which the compaction removed', () => {
    const artifacts_in_context = [{ artifact_id: 'spec', loaded_at: minutesBefore(1) }];
    const state = { ...declared(anArtifact()), context_metadata: { artifacts_in_context } };
    expect(given(withSpec(), state)).toHaveLength(1);
  });

  test('the description and the result, even if there is none', () => {
    const state = declared(
      anArtifact({ description: 'what is wanted' }),
      anArtifact({ id: 'gone', path: 'docs/gone.md', required: true }),
    );
    expect(given(withSpec(), state)).toEqual([
      {
        id: 'spec',
        description: 'what is wanted',
        loaded: { kind: 'text', text: 'text', size: 4, path: 'docs/spec.md' },
      },
      { id: 'gone', description: undefined, loaded: expect.objectContaining({ kind: 'missing' }) },
    ]);
  });

  test('nothing that is also required reading', () => {
    const state = declared(anArtifact({ path: './docs//spec.md' }), anArtifact({ id: 'plan' }));
    expect(given(withSpec(), state, { required: ['@docs/spec.md'] })).toEqual([]);
    expect(given(withSpec(), state, { required: ['@docs/other.md'] })).toHaveLength(1);
  });

  test('the artifacts of the settings if the run has no template', () => {
    const settings = { ...DEFAULTS, critical_artifacts: { always_load: [anArtifact()] } };
    expect(given(withSpec(), {}, { settings }).map(({ id }) => id)).toEqual(['spec']);
  });
});

describe('reading a file brings into the context', () => {
  const read = (path: string, fields: Partial<RunState>, root = '/project'): string[] =>
    artifactsReadFrom(aRun(fields), path, { root, settings: DEFAULTS });

  test('the artifacts of that file, whatever their triggers and spellings', () => {
    const state = declared(
      anArtifact({ id: 'a', path: './docs//spec.md', reload_triggers: ['manual'] }),
      anArtifact({ id: 'b', path: '{project_root}/docs/spec.md' }),
      anArtifact({ id: 'c', path: 'docs/other.md' }),
      anArtifact({ id: 'd', path: 'docs/{plan_id}.md' }),
    );
    expect(read('docs/spec.md', { ...state, context: { plan_id: 'spec' } })).toEqual([
      'a',
      'b',
      'd',
    ]);
    expect(read('docs/spec.md', state)).toEqual(['a', 'b']);
    expect(read('docs/new.md', state)).toEqual([]);
  });

  test('no command of the same name', () => {
    const { path: _path, ...pathless } = anArtifact({ command: 'docs/spec.md' });
    expect(read('docs/spec.md', declared(pathless))).toEqual([]);
  });
});
