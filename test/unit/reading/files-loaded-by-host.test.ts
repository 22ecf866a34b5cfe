import { expect, test } from 'vitest';
import { filesLoadedByHost } from '../../../src/reading/files-loaded-by-host.ts';
import { makeProject } from '../../support/project.ts';

test('the host loads its memory files and what they import, relative to the importing file', () => {
  const project = makeProject({
    'CLAUDE.md': 'Rules: @docs/rules.md',
    'CLAUDE.local.md': '@notes.md and @missing.md',
    'docs/rules.md': '@more.md @../CLAUDE.md',
    'docs/more.md': '',
    'notes.md': '',
    'other.md': '',
  });
  expect([...filesLoadedByHost(project.root)].toSorted()).toEqual([
    'CLAUDE.local.md',
    'CLAUDE.md',
    'docs/more.md',
    'docs/rules.md',
    'notes.md',
  ]);
});

test('imports are followed five levels deep, and cycles only once', () => {
  const chain = Array.from({ length: 8 }, (_, level) => [
    `l${level}.md`,
    `@l${level + 1}.md @CLAUDE.md`,
  ]);
  const project = makeProject({ 'CLAUDE.md': '@l1.md', ...Object.fromEntries(chain) });
  const loaded = filesLoadedByHost(project.root);
  expect(loaded.has('l5.md')).toBe(true);
  expect(loaded.has('l6.md')).toBe(false);
});

test('files outside the project are not read', () => {
  const project = makeProject({ 'CLAUDE.md': '@../x.md @~/y.md @/etc/hostname' });
  expect([...filesLoadedByHost(project.root)]).toEqual(['CLAUDE.md']);
});
