import { expect, it } from 'vitest';
import { describeStaysBehind, missingFiles } from '../../../../src/driver/worktree/stays-behind.ts';
import type { RunState } from '../../../../src/state/types.ts';
import { makeProject } from '../../../support/project.ts';

const STATE: RunState = {
  workflow: 'Release',
  workflow_type: 'custom',
  phase: { current: 1, total: 1, name: 'build', status: 'in_progress' },
  required_reading: ['@docs/spec.md', '@README.md', '@/etc/hosts', '@~/notes.md', '@nowhere.md'],
  created_at: '2026-01-01T00:00:00Z',
  artifacts: { design: '{project_root}/design.md' },
  source: { kind: 'plan', path: 'plans/plan.md' },
  todo: { path: 'TODO.md', owned: true },
};

it('names each file that the run needs and only the checkout has, once', () => {
  const files = ['docs/spec.md', 'README.md', 'design.md', 'plans/plan.md', 'TODO.md'];
  const origin = makeProject(Object.fromEntries(files.map((path) => [path, 'text']))).root;
  const root = makeProject({ 'README.md': 'text' }).root;
  const wanted = ['docs/spec.md', 'design.md', 'plans/plan.md', 'TODO.md'];
  expect(missingFiles(STATE, { origin, root })).toEqual(wanted);
  const twice = { ...STATE, required_reading: ['@docs/spec.md', '@docs/spec.md'] };
  expect(missingFiles(twice, { origin, root })).toEqual(wanted);
  expect(missingFiles(STATE, { origin, root: origin })).toEqual([]);
  // A template is part of the run, so its file is not needed.
  const source = { kind: 'template' as const, path: 'plans/plan.md' };
  expect(missingFiles({ ...STATE, source }, { origin, root })).not.toContain('plans/plan.md');
});

it('says nothing where nothing is missing, and counts what it does not name', () => {
  const place = { origin: '/here', base: '0123456789abcdef' };
  expect(describeStaysBehind({ uncommitted: [], missing: [] }, place)).toEqual([]);
  const uncommitted = Array.from({ length: 8 }, (_, n) => `file${n}\u001B[31m`);
  const [line = '', ...more] = describeStaysBehind({ uncommitted, missing: [] }, place);
  expect(more).toEqual([]);
  expect(line).toContain('stay in /here: file0');
  expect(line).toContain('and 3 more');
  expect(line).toContain('commit 01234567');
  expect(line).not.toContain('\u001B');
});
