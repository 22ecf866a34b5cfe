import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { isOurHook } from '../../../src/install/host-commands.ts';
import { hookEntries, misshapenPart, placesOfHooks } from '../../../src/install/hooks.ts';
import { loadSettings } from '../../../src/settings/settings.ts';
import { listTemplates } from '../../../src/workflow/template/find-template.ts';
import { isObject } from '../../../src/util/json.ts';
import { makeProject } from '../../support/project.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

describe('the set-up with which this repository is developed', () => {
  const settings: unknown = JSON.parse(readFileSync(`${root}/.claude/settings.json`, 'utf8'));
  const hooks = placesOfHooks(settings);

  test('registers every hook in the form that the client reads', () => {
    expect(misshapenPart(settings)).toBe(null);
    expect(hooks.every(({ hook }) => isOurHook(hook))).toBe(true);
    expect(hooks.map(({ event, matcher }) => [event, matcher])).toEqual(
      hookEntries(() => ({ command: '' }), false).map(({ event, matcher }) => [event, matcher]),
    );
  });

  test.each([
    ['runs the build of the clone', { 'dist/hook.cjs': 'process.stdout.write("built")' }, 'built'],
    ['does nothing before the first build', {}, ''],
  ])('%s', (_what, tree, stdout) => {
    const project = makeProject({
      ...tree,
      'bin/holdfast.cjs': readFileSync(`${root}/bin/holdfast.cjs`, 'utf8'),
      'bin/hook.sh': readFileSync(`${root}/bin/hook.sh`, 'utf8'),
      'CLAUDE.local.md': 'Workflow: none yet',
    });
    const hook = hooks.find(({ event }) => event === 'PreCompact')?.hook;
    const child = spawnSync('sh', ['-c', isObject(hook) ? String(hook['command']) : ''], {
      cwd: project.root,
      env: { PATH: process.env['PATH'], HOME: project.outside, CLAUDE_PROJECT_DIR: project.root },
      encoding: 'utf8',
    });
    expect(child).toMatchObject({ status: 0, stdout, stderr: '' });
  });

  test('has valid settings and templates', () => {
    expect(loadSettings(root).problems).toEqual([]);
    const own = listTemplates(root).filter(({ origin }) => origin === 'project');
    expect(own.map(({ id, reading }) => [id, reading.kind])).toEqual([['change', 'template']]);
  });
});
