import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
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
  expect([...filesLoadedByHost(project.root, project.root)].toSorted()).toEqual([
    'CLAUDE.local.md',
    'CLAUDE.md',
    'docs/more.md',
    'docs/rules.md',
    'notes.md',
  ]);
});

test('imports are followed four levels deep, and cycles only once', () => {
  const chain = Array.from({ length: 8 }, (_, level) => [
    `l${level}.md`,
    `@l${level + 1}.md @CLAUDE.md`,
  ]);
  const project = makeProject({ 'CLAUDE.md': '@l1.md', ...Object.fromEntries(chain) });
  const loaded = filesLoadedByHost(project.root, project.root);
  expect(loaded.has('l4.md')).toBe(true);
  expect(loaded.has('l5.md')).toBe(false);
});

test('files outside the project are not read', () => {
  const project = makeProject({ 'CLAUDE.md': '@../x.md @~/y.md @/etc/hostname' });
  expect([...filesLoadedByHost(project.root, project.root)]).toEqual(['CLAUDE.md']);
});

test('only imports with an extension that the host certainly knows count', () => {
  const project = makeProject({
    'CLAUDE.md': '@a.md @b.mdx @c.mdc @d.markdown @e.feature @f.jsonc @g.tf @h @i.ts @j.MD',
    ...Object.fromEntries(
      [
        'a.md',
        'b.mdx',
        'c.mdc',
        'd.markdown',
        'e.feature',
        'f.jsonc',
        'g.tf',
        'h',
        'i.ts',
        'j.MD',
      ].map((name) => [name, '']),
    ),
  });
  expect([...filesLoadedByHost(project.root, project.root)]).toEqual(['CLAUDE.md', 'a.md', 'i.ts']);
});

test('imports count only if the client was launched in the root', () => {
  const project = makeProject({ 'CLAUDE.md': '@a.md', 'a.md': '', 'packages/b/x': '' });
  expect([...filesLoadedByHost(project.root, project.at('packages/b'))]).toEqual(['CLAUDE.md']);
  expect([...filesLoadedByHost(project.root)]).toEqual(['CLAUDE.md']);
});

test('nothing counts if the client was launched outside the project', () => {
  const project = makeProject({ 'CLAUDE.md': '@a.md', 'a.md': '' });
  expect([...filesLoadedByHost(project.root, project.outside)]).toEqual([]);
  expect([...filesLoadedByHost(project.root, '/not-there')]).toEqual([]);
});

test('a root that is named by a link is still the launch folder', () => {
  const project = makeProject({ 'CLAUDE.md': '@a.md', 'a.md': '' });
  const link = join(project.outside, 'link');
  symlinkSync(project.root, link);
  expect([...filesLoadedByHost(link, project.root)]).toEqual(['CLAUDE.md', 'a.md']);
});
