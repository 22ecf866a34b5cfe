import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readSources } from '../../../src/sources/read-sources.ts';
import { DEFAULTS } from '../../../src/settings/settings.ts';
import { makeProject } from '../../support/project.ts';

const MARKER = '# Workflow State\n\nWorkflow: Release\nPhase: 2/5 - Build\n';
const PLAN =
  '# Plan 00007: Auth\n\n**Status**: 🔄 In Progress\n\n## Phase 1: Design\n';
const planFile = (name: string): string => `CLAUDE/Plan/${name}/PLAN.md`;

describe('a plan that a run comes from and that is no longer in its place', () => {
  const known = new Set([planFile('1-x')]);
  const stateOf = (files: Record<string, string>): unknown =>
    readSources(makeProject(files).root, DEFAULTS.detect, {
      known,
    }).sources.find(({ path }) => path === planFile('1-x'))?.state;

  test.each([
    'Completed',
    'complete',
    'DONE',
    'archive',
    'Archived',
    'finished',
  ])('is finished if it was moved to %s', (folder) => {
    expect(stateOf({ [`CLAUDE/Plan/${folder}/1-x/PLAN.md`]: PLAN })).toBe(
      'finished',
    );
  });

  test.each([
    [
      'openspec/changes/add-export/tasks.md',
      'openspec/changes/archive/2026-01-24-add-export/tasks.md',
    ],
    ['docs/superpowers/plans/a.md', 'docs/superpowers/plans/completed/a.md'],
    ['plan.md', 'done/plan.md'],
  ])('also as other tools do it: %s', (path, movedTo) => {
    const { root } = makeProject({ [movedTo]: '- [x] a\n' });
    const { sources } = readSources(root, DEFAULTS.detect, {
      known: new Set([path]),
    });
    expect(sources).toEqual([
      { kind: 'plan', path, movedTo, state: 'finished' },
    ]);
  });

  test('is gone if it was moved elsewhere or deleted', () => {
    expect(stateOf({ 'CLAUDE/Plan/Later/1-x/PLAN.md': PLAN })).toBeUndefined();
    expect(
      stateOf({ 'CLAUDE/Plan/Completed/2-y/PLAN.md': PLAN }),
    ).toBeUndefined();
    expect(stateOf({})).toBeUndefined();
  });

  test('is not gone if the settings no longer name its place', () => {
    const project = makeProject({ [planFile('1-x')]: PLAN });
    const detect = { ...DEFAULTS.detect, plans: [] };
    expect(readSources(project.root, detect, { known }).sources).toEqual([
      { kind: 'plan', path: planFile('1-x'), state: 'unreadable' },
    ]);
  });
});

test('a plan in an archive folder is finished, whatever it says', () => {
  const { root } = makeProject({ 'CLAUDE/Plan/Completed/1-x/PLAN.md': PLAN });
  const detect = { ...DEFAULTS.detect, plans: ['CLAUDE/Plan/*/*/PLAN.md'] };
  expect(readSources(root, detect).sources).toMatchObject([
    { state: 'finished' },
  ]);
});

describe('a file that cannot be read decides nothing, and that is said', () => {
  test('outside the project, too large, binary, no file', () => {
    const project = makeProject({
      'CLAUDE.local.md': `${MARKER}\0`,
      [planFile('1-large')]: PLAN.padEnd(1_000_001),
      [`${planFile('2-folder')}/x`]: '',
    });
    writeFileSync(join(project.outside, 'PLAN.md'), PLAN);
    project.link(planFile('3-linked'), join(project.outside, 'PLAN.md'));
    project.fifo(planFile('4-fifo'));
    const { sources, problems } = readSources(project.root, DEFAULTS.detect);
    const notRead = (path: string, why: string) => ({
      path,
      message: `${path} was not read: ${why}`,
    });
    expect(problems).toEqual([
      notRead('CLAUDE.local.md', 'binary'),
      notRead(planFile('1-large'), 'the file is larger than 1 MB'),
      notRead(planFile('2-folder'), 'not a file'),
      notRead(planFile('3-linked'), 'outside the project'),
      notRead(planFile('4-fifo'), 'not a file'),
    ]);
    expect(sources.map(({ state }) => state)).toEqual(
      Array(5).fill('unreadable'),
    );
  });
});
