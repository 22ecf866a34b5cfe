import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { installer } from '../../../support/installation.ts';
import { makeProject } from '../../../support/project.ts';
import { saying } from '../../../support/failures.ts';

describe("git's list of what it does not show", () => {
  test.each(['.git/info/exclude', '.git/info'])(
    'is not written through a link out of its folder: %s',
    (link) => {
      const project = makeProject({ '.git/HEAD': '' });
      const profile = join(project.outside, 'profile');
      mkdirSync(profile, { recursive: true });
      writeFileSync(join(profile, 'exclude'), 'export A=b\n');
      if (link !== '.git/info') mkdirSync(project.at('.git/info'));
      symlinkSync(link === '.git/info' ? profile : join(profile, 'exclude'), project.at(link));
      expect(() => installer(project, 'local').init()).toThrow(
        saying(`${project.at('.git/info/exclude')} exists but is not a file`),
      );
      expect(readFileSync(join(profile, 'exclude'), 'utf8')).toBe('export A=b\n');
      expect(lstatSync(project.at(link)).isSymbolicLink()).toBe(true);
      expect(existsSync(project.at('.claude'))).toBe(false);
    },
  );

  test('is not made in a folder that is not git’s, whatever `.git` names', () => {
    const project = makeProject({ 'src/x': '' });
    const keys = join(project.outside, 'keys');
    mkdirSync(keys, { recursive: true });
    writeFileSync(join(keys, 'HEAD'), '');
    project.write('.git', `gitdir: ${keys}\n`);
    installer(project, 'local').init();
    expect(existsSync(join(keys, 'info'))).toBe(false);
    expect(existsSync(project.at('.claude/settings.local.json'))).toBe(true);
  });

  test('is written in a git folder outside the project', () => {
    const project = makeProject({ 'src/x': '' });
    const gits = join(project.outside, 'separate');
    mkdirSync(join(gits, 'objects'), { recursive: true });
    mkdirSync(join(gits, 'refs'));
    writeFileSync(join(gits, 'HEAD'), 'ref: refs/heads/main\n');
    project.write('.git', `gitdir: ${gits}\n`);
    installer(project, 'local').init();
    expect(readFileSync(join(gits, 'info/exclude'), 'utf8')).toContain('/.claude/settings.local');
  });
});
