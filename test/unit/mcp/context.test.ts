import { expect, test } from 'vitest';
import { createContext, type ServerOptions } from '../../../src/mcp/context.ts';
import { makeProject, type Project } from '../../support/project.ts';
import { NOW } from '../../support/runs.ts';
import { saying } from '../../support/failures.ts';

function placeIn({ root }: Project, cwd: string | undefined): ServerOptions {
  const environment = { CLAUDE_PROJECT_DIR: root };
  return {
    cwd,
    session: undefined,
    environment,
    workingFolder: root,
    ownRun: { runId: null },
    parentProcess: 1,
  };
}

test.each(['nowhere', 'notes.md'])('a server cannot work in what is no folder: %s', (cwd) => {
  const project = makeProject({ 'notes.md': '' });
  expect(() => createContext(placeIn(project, cwd), NOW, () => {})).toThrow(
    saying(`there is no folder ${project.at(cwd)}`),
  );
});

test('a server works where the host was launched', () => {
  const project = makeProject({ '.claude/holdfast.json': '{}' });
  expect(createContext(placeIn(project, undefined), NOW, () => {}).root).toBe(project.root);
});
