import { spawn } from 'node:child_process';
import { expect, it } from 'vitest';
import { binary, sandbox } from '../support/cli.ts';
import { onlyRun } from '../support/state.ts';

it('twenty processes that update one run at once keep all their edits', async () => {
  const { root, home, run } = sandbox();
  run(['start', 'Busy']);
  const codes = await Promise.all(
    Array.from({ length: 20 }, (_, index) => {
      const words = ['update', '--set', `k${index}=${index}`, '--remind', `reminder ${index}`];
      const child = spawn(process.execPath, [binary, ...words], {
        cwd: root,
        env: { PATH: process.env['PATH'], HOME: home },
        stdio: 'ignore',
      });
      return new Promise((resolve) => child.on('exit', resolve));
    }),
  );
  expect(codes).toEqual(Array.from({ length: 20 }, () => 0));
  const state = onlyRun(root);
  expect(Object.keys(state.context ?? {})).toHaveLength(20);
  expect(new Set(state.key_reminders).size).toBe(20);
  expect(state.revision).toBe(21);
});
