import { chmodSync, symlinkSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hookSettings } from '../../../src/headless/setup.ts';
import { makeProject, type Project } from '../../support/project.ts';

const PACKAGE = '/opt/hold fast';

/** What a client in the project would run at the start of a session. */
function hookOf({ root, outside }: Project, folders: readonly string[]) {
  const text = hookSettings(
    { root, config: outside, environment: { PATH: folders.join(delimiter) } },
    { packageFolder: PACKAGE, node: process.execPath },
    false,
  );
  return JSON.parse(text ?? '').hooks.SessionStart[0].hooks[0];
}

describe('the hooks of a driven client', () => {
  it('are the script, which starts Node only if there is something to do', () => {
    const project = makeProject();
    expect(hookOf(project, ['/nowhere', dirname(process.execPath)])).toEqual({
      type: 'command',
      command: `e=SessionStart; f='${PACKAGE}/bin/hook.sh'; [ -r "$f" ] && . "$f"; :`,
      timeout: 15,
    });
    symlinkSync(process.execPath, project.at('node'));
    expect(hookOf(project, [project.root]).command).toContain('hook.sh');
  });

  it.each([
    ['no Node is on the PATH', () => ['/nowhere']],
    ['another Node comes first', ({ at }: Project) => [at('other'), dirname(process.execPath)]],
    ['a Node of the current folder comes first', () => ['', dirname(process.execPath)]],
  ])('name their Node themselves where %s', (_, folders) => {
    const project = makeProject({ 'other/node': '#!/bin/sh\n' });
    chmodSync(project.at('other/node'), 0o755);
    const { command } = hookOf(project, folders(project));
    expect(command).toBe(`${process.execPath} '${PACKAGE}/bin/holdfast.cjs' hook`);
  });
});
