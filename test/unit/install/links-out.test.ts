import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { disk } from '../../../src/install/disk.ts';
import { linksOut } from '../../../src/install/links-out.ts';
import { makeProject } from '../../support/project.ts';

it('names each link that leads out of the project once, and where it leads', () => {
  const { root, outside, at, link, write } = makeProject();
  write('inside/old.json', '');
  writeFileSync(join(outside, 'file.json'), '');
  link('linked', outside);
  link('inside/file.json', join(outside, 'file.json'));
  link('within', at('inside'));
  const paths = [
    'linked/a/b.json',
    'linked/c.json',
    'inside/file.json',
    'inside/new',
    'within/new',
  ];
  const links = linksOut(disk, root, [...paths.map(at), join(outside, 'file.json')]);
  expect([...links]).toEqual([
    [at('linked'), outside],
    [at('inside/file.json'), join(outside, 'file.json')],
  ]);
});

it('takes a project that is reached through a link itself as it is', () => {
  const { root, at, link, write } = makeProject();
  write('real/.claude/settings.json', '{}');
  link('project', at('real'));
  const project = join(root, 'project');
  expect(linksOut(disk, project, [join(project, '.claude/settings.json')]).size).toBe(0);
});
