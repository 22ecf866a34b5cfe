import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { describeAction, describeMissing } from '../../../src/artifacts/describe-loaded.ts';
import { loadPlain } from '../../../src/artifacts/load-plain.ts';
import { loadArtifact } from '../../../src/artifacts/load.ts';
import type { Artifact, Loaded } from '../../../src/artifacts/types.ts';
import type { RunState } from '../../../src/state/types.ts';
import { makeProject, type Project } from '../../support/project.ts';
import { aState } from '../../support/runs.ts';
import { anArtifact } from './support.ts';

const load = (
  { root }: Pick<Project, 'root'>,
  fields: Partial<Artifact>,
  state: RunState = aState(),
): Loaded =>
  loadArtifact(anArtifact(fields), state, {
    root,
    runId: 'feature-1',
    path: 'state-feature-1.json',
  });

describe('a file', () => {
  test('is loaded whole, with its size in bytes', () => {
    const project = makeProject({ 'docs/spec.md': '# Größe\r\n\r\nline\r\n' });
    expect(load(project, {})).toEqual({
      kind: 'text',
      text: '# Größe\r\n\r\nline\r\n',
      size: 19,
      path: 'docs/spec.md',
    });
  });

  test.each(['docs/with spaces/größe 大.md', './docs//a.md', '{project_root}/docs/a.md', '.env'])(
    'may be called %s',
    (path) => {
      const project = makeProject();
      project.write(path.replace('{project_root}/', ''), 'text');
      expect(load(project, { path })).toMatchObject({ kind: 'text', text: 'text' });
    },
  );

  test('is found at the path in the state', () => {
    const project = makeProject({ 'specs/258.md': 'text' });
    const state = aState({ artifacts: { spec: '{project_root}/specs/{work_id}.md' } });
    const { path: _path, ...fields } = anArtifact({ path_from_state: '$.artifacts.spec' });
    const loaded = loadArtifact(
      fields,
      { ...state, context: { work_id: 258 } },
      {
        root: project.root,
        runId: 'r',
        path: 'state-r.json',
      },
    );
    expect(loaded).toMatchObject({ kind: 'text', text: 'text', path: 'specs/258.md' });
  });

  test('of 100 KB is loaded, and of a million bytes too', () => {
    const project = makeProject({ 'a.md': 'x'.repeat(100_000), 'b.md': 'x'.repeat(1_000_000) });
    expect(load(project, { path: 'a.md' })).toMatchObject({ kind: 'text', size: 100_000 });
    expect(load(project, { path: 'b.md' })).toMatchObject({ kind: 'text', size: 1_000_000 });
  });

  test.each(['', ' \r\n\t\n', '\uFEFF'])('with nothing in it (%j) is empty', (content) => {
    const project = makeProject({ 'docs/spec.md': content });
    expect(load(project, {})).toEqual({ kind: 'empty', path: 'docs/spec.md' });
  });

  test('that is a link inside the project is followed', () => {
    const project = makeProject({ 'a.md': 'text' });
    project.link('docs/spec.md', project.at('a.md'));
    expect(load(project, {})).toMatchObject({ kind: 'text', text: 'text' });
  });

  test('that is declared as a directory is loaded as a file', () => {
    const project = makeProject({ 'docs/spec.md': 'text' });
    expect(load(project, { type: 'directory' })).toMatchObject({ kind: 'text', text: 'text' });
  });
});

describe('JSON', () => {
  test('is loaded as written', () => {
    const project = makeProject({ 'a.json': '{ "a":1 }\n' });
    expect(load(project, { type: 'json', path: 'a.json' })).toEqual({
      kind: 'text',
      text: '{ "a":1 }\n',
      size: 10,
      path: 'a.json',
    });
  });

  test('that does not parse is loaded with a note', () => {
    const project = makeProject({ 'a.json': '{ "a":1, }' });
    for (const load_strategy of ['all', 'summary'] as const) {
      expect(load(project, { type: 'json', path: 'a.json', load_strategy })).toMatchObject({
        kind: 'text',
        text: '{ "a":1, }',
        note: 'not valid JSON',
      });
    }
  });
});

describe('refused with the reason', () => {
  const refused = (why: string, path: string, more = {}): object => ({
    kind: 'refused',
    why,
    path,
    ...more,
  });

  test('a file of 5 MB', () => {
    const project = makeProject({ 'docs/spec.md': 'x'.repeat(5_000_000) });
    expect(load(project, {})).toEqual(refused('too large', 'docs/spec.md', { size: 5_000_000 }));
  });

  test('a binary file', () => {
    const project = makeProject();
    project.write('logo.png', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 1, 2));
    expect(load(project, { path: 'logo.png' })).toEqual(refused('binary', 'logo.png'));
  });

  test('a link out of the project, and files behind a linked folder', () => {
    const project = makeProject();
    writeFileSync(join(project.outside, 'secret.md'), 'secret');
    project.link('docs/spec.md', join(project.outside, 'secret.md'));
    project.link('out', project.outside);
    expect(load(project, {})).toEqual(refused('outside the project', 'docs/spec.md'));
    expect(load(project, { path: 'out/secret.md' })).toEqual(
      refused('outside the project', 'out/secret.md'),
    );
    expect(load(project, { path: 'out' })).toEqual(refused('outside the project', 'out'));
  });

  test.each(['/etc/passwd', '../outside/secret.md', '../not there', '~/secret.md', '..'])(
    'the path %s',
    (path) => {
      expect(load(makeProject(), { path })).toEqual(refused('outside the project', path));
    },
  );

  test('a value of the run that points outside the project', () => {
    const state = aState({ context: { work_id: '../../outside/secret' } });
    expect(load(makeProject(), { path: 'work/{work_id}' }, state)).toMatchObject(
      refused('outside the project', 'work/../../outside/secret'),
    );
  });

  test('a FIFO, without waiting for it', () => {
    const project = makeProject();
    project.fifo('pipe');
    expect(load(project, { path: 'pipe' })).toEqual(refused('not a file', 'pipe'));
  });
});

/** What a user or an agent reads instead of the content. */
const explained = (loaded: Loaded): unknown => {
  if (loaded.kind === 'missing') return describeMissing(loaded.why);
  return loaded.kind === 'listed' ? describeAction(loaded.todo) : loaded;
};

describe('missing, with what to do', () => {
  test('a missing file', () => {
    expect(explained(load(makeProject(), {}))).toEqual({
      what: 'docs/spec.md does not exist',
      hint: 'write it, or correct the path of artifact spec',
    });
  });

  test('a dangling link, a circular link, a path with a NUL', () => {
    const project = makeProject();
    project.link('gone.md', project.at('nowhere'));
    project.link('circle.md', project.at('circle.md'));
    for (const path of ['gone.md', 'circle.md', 'a\0b']) {
      expect(load(project, { path })).toMatchObject({ kind: 'missing' });
    }
  });

  test('a path that the run does not set', () => {
    expect(explained(load(makeProject(), { path: 'plans/{plan_id}.md' }))).toEqual({
      what: '{plan_id} has no value in this run',
      hint: '`holdfast update --set plan_id=<value>`',
    });
  });
});

describe('listed for the agent, never run', () => {
  const { path: _path, ...pathless } = anArtifact();
  const listed = (root: string, fields: Partial<Artifact>): Loaded =>
    loadArtifact({ ...pathless, ...fields }, aState({ context: { work_id: 7 } }), {
      root,
      runId: 'r',
      path: 'state-r.json',
    });

  test.each<[Partial<Artifact>, string]>([
    [{ type: 'work_plugin', command: 'work show {work_id}' }, 'run `work show 7`'],
    [{ type: 'skill', command: 'code-review' }, 'use the skill `code-review`'],
    [{ type: 'markdown', command: 'touch hit' }, 'run `touch hit`'],
    [{ type: 'json', command: '$(touch hit)' }, 'run `$(touch hit)`'],
  ])('%j', (fields, words) => {
    const project = makeProject();
    expect(explained(listed(project.root, fields))).toBe(words);
    expect(project.exists('hit')).toBe(false);
  });

  test('a skill or plugin that is a file', () => {
    const { root } = makeProject({ '.claude/skills/x/SKILL.md': 'x' });
    const path = '.claude/skills/x/SKILL.md';
    for (const type of ['skill', 'work_plugin'] as const) {
      expect(explained(listed(root, { type, path }))).toBe(`read @${path} and follow it`);
    }
    expect(listed(root, { type: 'skill', path: 'no.md' })).toMatchObject({ kind: 'missing' });
  });
});

describe('when only plain files are loaded', () => {
  const plain = (project: Project, fields: Partial<Artifact>): Loaded =>
    loadPlain(anArtifact(fields), aState(), {
      root: project.root,
      runId: 'r',
      path: 'state-r.json',
    });

  test('a file is still loaded', () => {
    const project = makeProject({ 'docs/spec.md': 'text' });
    expect(plain(project, {})).toMatchObject({ kind: 'text', text: 'text' });
  });

  test('for anything else the agent learns how to get it', () => {
    const project = makeProject({ 'docs/spec.md': 'text' });
    const primed = 'run `holdfast prime --artifacts spec`';
    expect(explained(plain(project, { type: 'git_info' }))).toBe(primed);
    expect(explained(plain(project, { type: 'directory', path: 'docs' }))).toBe(primed);
    expect(explained(plain(project, { load_strategy: 'summary' }))).toBe(primed);
  });

  test('missing and refused artifacts are still reported', () => {
    const project = makeProject();
    expect(plain(project, { load_strategy: 'summary' })).toMatchObject({ kind: 'missing' });
    expect(plain(project, { type: 'directory', path: '..' })).toMatchObject({ kind: 'refused' });
  });
});
