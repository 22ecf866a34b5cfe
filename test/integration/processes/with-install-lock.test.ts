import { expect, test } from 'vitest';
import { requireRecord } from '../../../src/install/record/record-file.ts';
import { compile } from '../../support/child.ts';
import { makeProject } from '../../support/project.ts';

test('installations at the same time all stay on record', async () => {
  const project = makeProject();
  const config = project.at('config');
  const adding = compile(`
    import { withInstallLock } from './install/with-install-lock.ts';
    import { requireRecord, writeRecord } from './install/record/record-file.ts';
    import { sleep } from './io/sleep.ts';
    const [, , config = '', root = ''] = process.argv;
    for (let turn = 0; turn < 5; turn += 1)
      withInstallLock(config, () => {
        const installs = requireRecord(config);
        const one = { scope: 'local', root: root + turn, edited: [], files: [], module: [], excludes: [] };
        sleep(10);
        writeRecord(config, { ...installs, installs: [...installs.installs, one] });
      });
  `);
  const names = ['/a', '/b', '/c'];
  await Promise.all(names.map((name) => adding.start(config, name).end()));
  const roots = requireRecord(config).installs.map(({ root }) => String(root));
  expect(roots.toSorted()).toEqual(
    names.flatMap((name) => [0, 1, 2, 3, 4].map((turn) => `${name}${turn}`)),
  );
  expect(project.names('config/holdfast')).toEqual(['installs.json']);
});
