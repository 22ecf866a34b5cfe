import { mkdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { installer } from '../../../support/installation.ts';
import { makeProject } from '../../../support/project.ts';

test('a link that leads nowhere, in the place of a file of ours, is left alone', () => {
  const project = makeProject({ '.git/HEAD': '' });
  const nowhere = join(project.outside, 'not-there');
  mkdirSync(project.at('.claude/skills/holdfast'), { recursive: true });
  symlinkSync(nowhere, project.at('.claude/skills/holdfast/SKILL.md'));
  const { foreign } = installer(project, 'project').init();
  expect(foreign).toEqual([project.at('.claude/skills/holdfast/SKILL.md')]);
  installer(project, 'project').uninstall();
  expect(readlinkSync(project.at('.claude/skills/holdfast/SKILL.md'))).toBe(nowhere);
});
