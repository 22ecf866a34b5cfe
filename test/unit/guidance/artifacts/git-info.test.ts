import { expect, test } from 'vitest';
import { loadPlain } from '../../../../src/guidance/artifacts/load-plain.ts';
import { makeProject } from '../../../support/project.ts';
import { aRun } from '../../../support/runs.ts';
import { anArtifact } from './support.ts';

const COMMIT = '0123456789'.repeat(4);

test.each([
  [
    'a branch',
    { HEAD: 'ref: refs/heads/main\n', 'refs/heads/main': `${COMMIT}\n` },
    `branch: main\ncommit: ${COMMIT}`,
  ],
  ['a detached HEAD', { HEAD: `${COMMIT}\n` }, `branch: none (detached HEAD)\ncommit: ${COMMIT}`],
  ['no commit yet', { HEAD: 'ref: refs/heads/main\n' }, 'branch: main\ncommit: none yet'],
])('git_info is what git’s files say of %s', (_what, files, text) => {
  const tree = Object.entries(files).map(([name, content]) => [`.git/${name}`, content]);
  const { root } = makeProject(Object.fromEntries(tree));
  const loaded = loadPlain(anArtifact({ type: 'git_info' }), aRun(), root);
  expect(loaded).toEqual({ kind: 'text', text, size: text.length });
});
