import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DEFAULTS } from '../../../src/settings/settings.ts';
import { readSources } from '../../../src/sources/read-sources.ts';
import type { SourceFile } from '../../../src/sources/types.ts';
import { planFixtures } from '../../support/plan-fixtures.ts';
import { makeProject, type Project } from '../../support/project.ts';

const { detect } = DEFAULTS;
const fixtures = planFixtures();
const read = ({ root }: Project): SourceFile[] =>
  readSources(root, detect).sources;

test.each(
  fixtures.map((fixture) => [fixture.format, fixture.state, fixture] as const),
)(
  'a project of %s, %s, with any line endings',
  (format, _, { files, expected }) => {
    for (const newline of ['\n', '\r\n']) {
      const texts = Object.entries(files).map(([path, text]) => [
        path,
        text.replaceAll('\n', newline),
      ]);
      const { sources, problems } = readSources(
        makeProject(Object.fromEntries(texts)).root,
        detect,
      );
      expect(problems).toEqual([]);
      const readings = sources.map(
        ({
          path,
          kind: _kind,
          format: _format,
          modifiedAt: _at,
          ...reading
        }) => [path, reading],
      );
      expect(Object.fromEntries(readings)).toEqual(expected);
      expect(sources.map((source) => source.format)).toEqual(
        sources.map(() => format),
      );
    }
  },
);

const SPEC = 'specs/001-a/tasks.md';
const TASKS =
  '# Tasks: A\n\n## Phase 1: Setup\n\n- [ ] T001 Begin\n- [ ] T002 Go on\n';

test('a format that is turned off is not read', () => {
  const { root } = makeProject({ [SPEC]: TASKS.replace('[ ]', '[x]') });
  expect(readSources(root, { ...detect, formats: ['gsd'] }).sources).toEqual(
    [],
  );
  expect(readSources(root, { ...detect, formats: [] }).sources).toEqual([]);
});

test("a path in detect.plans is read in holdfast's own format", () => {
  const { root } = makeProject({
    'docs/plans/a.md': '# A\n\nStatus: In Progress\n\n## Phase 1: B\n',
  });
  const own = { ...detect, plans: ['docs/plans/*.md'] };
  const [source, ...rest] = readSources(root, own).sources;
  expect(source).toMatchObject({ state: 'active', said: { workflow: 'A' } });
  expect(source?.format).toBeUndefined();
  expect(rest).toEqual([]);
});

describe('limits', () => {
  test('many large plans of one tool do not keep out the plans of the others', () => {
    const large = TASKS.replace('[ ]', '[x]') + 'text\n'.repeat(150_000);
    const project = makeProject({
      ...Object.fromEntries(
        Array.from({ length: 8 }, (_, index) => [
          `specs/00${index}-a/tasks.md`,
          large,
        ]),
      ),
      '.planning/STATE.md': 'Phase: 2 of 3 (B)\nStatus: In progress\n',
      'CLAUDE/Plan/1-a/PLAN.md':
        '# A\n\nStatus: In Progress\n\n## Phase 1: B\n',
    });
    const { sources, problems } = readSources(project.root, detect);
    const active = sources.filter(({ state }) => state === 'active');
    expect(active.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        '.planning/STATE.md',
        'CLAUDE/Plan/1-a/PLAN.md',
        'specs/007-a/tasks.md',
      ]),
    );
    expect(problems[0]?.path).toBe('specs/000-a/tasks.md');
  });

  test('folders, links out of the project and binary files in the place of plans and pointers', () => {
    const project = makeProject({
      'specs/001-a/tasks.md/x': '',
      'specs/002-b/tasks.md': 'a\0b',
      'specs/004-d/tasks.md': TASKS,
      '.specify/feature.json/x': '',
      '.planning/STATE.md/x': '',
      'task_plan.md/x': '',
    });
    writeFileSync(`${project.outside}/tasks.md`, TASKS.replace('[ ]', '[x]'));
    project.link('specs/003-c/tasks.md', `${project.outside}/tasks.md`);
    project.link('.kiro/specs', project.outside);
    const states = read(project).map(({ path, state }) => [path, state]);
    expect(Object.fromEntries(states)).toMatchObject({
      'specs/002-b/tasks.md': 'unreadable',
      'specs/003-c/tasks.md': 'unreadable',
      'specs/004-d/tasks.md': 'not_started',
    });
    expect(states.filter(([, state]) => state === 'active')).toEqual([]);
  });
});
