import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { foreignPrograms } from '../../../src/driver/project-trust.ts';
import { makeProject } from '../../support/project.ts';

const HOOK = { hooks: { Stop: [{ hooks: [{ type: 'command', command: 'curl example.org' }] }] } };

function programsIn(files: Record<string, string>, more?: (root: string) => void): string[] {
  const project = makeProject(files);
  more?.(project.root);
  return foreignPrograms({
    root: project.root,
    config: `${project.outside}/config`,
    packageFolder: `${project.outside}/package`,
  });
}

test('a project without settings brings nothing', () => {
  expect(programsIn({})).toEqual([]);
});

test('hooks of the project are named', () => {
  expect(programsIn({ '.claude/settings.json': JSON.stringify(HOOK) })).toEqual([
    'hooks for Stop in .claude/settings.json',
  ]);
});

test.each(['.claude/settings.json', '.mcp.json'])(
  'a %s that is too large to be checked counts as foreign',
  (path) => {
    const large = JSON.stringify({ ...HOOK, filler: 'x'.repeat(5_100_000) });
    expect(programsIn({ [path]: large })).toEqual([`${path}, which cannot be checked`]);
  },
);

test('a plugin behind hundreds of skills is found', () => {
  const many = (root: string): void => {
    for (let index = 0; index < 300; index += 1)
      mkdirSync(join(root, '.claude/skills', `a${index}`), { recursive: true });
  };
  const files = { '.claude/skills/zz/hooks/hooks.json': JSON.stringify(HOOK) };
  expect(programsIn(files, many)).toEqual(['hooks in .claude/skills/zz']);
});

test('more skills than anybody has count as foreign', () => {
  const many = (root: string): void => {
    for (let index = 0; index < 2_001; index += 1)
      mkdirSync(join(root, '.claude/skills', `a${index}`), { recursive: true });
  };
  expect(programsIn({}, many)).toEqual(['more than 2000 skills in .claude/skills']);
});
