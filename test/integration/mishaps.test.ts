import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Box, command, type Fault } from '../soak/support/box.ts';
import { isStopped } from '../soak/support/stopped.ts';
import { courseOf } from '../soak/support/wholeness.ts';
import { letTimePass } from '../support/lock.ts';
import { archived, onlyRun, stateFiles } from '../support/state.ts';

async function aBox(): Promise<Box> {
  const box = new Box();
  await box.must(command('start', 'Feature', '--phases', 'A,B'));
  return box;
}

test('archives a run on another device', async () => {
  const box = await aBox();
  const device = join(box.root, 'untracked/workflow-archive');
  const fault: Fault = { kind: 'fail', code: 'EXDEV', at: 1, lasting: true, device };
  expect(await box.run(command('complete'), fault)).toMatchObject({ code: 0, stderr: '' });
  expect(stateFiles(box.root)).toEqual([]);
  const names = archived(box.root);
  expect(names).toHaveLength(2);
  const journal = names.find((name) => name.endsWith('.jsonl'));
  expect(readFileSync(join(device, journal ?? ''), 'utf8')).toContain('"started"');
});

test('reports a file that cannot be read for lack of descriptors', async () => {
  const box = await aBox();
  const fault: Fault = { kind: 'fail', code: 'EMFILE', at: 1, lasting: true };
  const { code, stderr } = await box.run(command('status'), fault);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^holdfast: .*EMFILE.*\n$/);
});

test('a completion that was stopped before any of its steps takes away nothing that others wrote since', async () => {
  const box = await aBox();
  box.keepAs('started');
  const { calls } = await courseOf(box, command('complete'));
  for (const at of calls.flatMap((name, index) => (name === 'unlinkSync' ? [index + 1] : []))) {
    box.backTo('started');
    const stopped = box.start(command('complete'), { kind: 'stop', at, when: 'before' });
    await isStopped(stopped.pid);
    const lock = join(box.root, 'untracked/workflow-state/.lock');
    letTimePass(lock, 6);
    const other = await box.run(command('update', '--set', 'other=1'));
    stopped.kill('SIGCONT');
    await stopped.ended;
    if (other.code === 0) expect(onlyRun(box.root).context?.['other'], `call ${at}`).toBe(1);
    else expect(other.stderr).toMatch(/^holdfast: no /);
  }
});
