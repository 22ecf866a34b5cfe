import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { drivenProject } from '../support/driven.ts';
import {
  journal,
  named,
  prompts,
  runId,
  START,
  stopOf,
  template,
} from '../support/driven-templates.ts';
import { onlyRun } from '../support/state.ts';

const RETRIED = (gate: string, retries: number) =>
  template(
    `  - {id: build, type: action, ${gate}on_fail: retry, instructions: BUILD}\n`,
    `max_retries: ${retries}\n`,
  );
const GATE = 'gate: "test -f built", ';

describe('a step that is tried again', () => {
  it.each([
    ['its gate fails', GATE, [{ run: 'holdfast advance' }]],
    ['the agent does nothing', '', []],
    ['the agent reports a failure', '', [{ run: 'holdfast fail --reason "no luck"' }]],
  ])('stops after three turns that change nothing: %s', (_how, gate, turn) => {
    const box = drivenProject(RETRIED(gate, 10));
    box.run(['trust', 'release', '--yes']);
    box.script(Array.from({ length: 30 }, () => turn));
    const result = box.drive([...START, '--json'], { code: 1 });
    expect(result.code).toBe(1);
    expect(stopOf(box, result)).toMatchObject({ reason: 'no_progress' });
    expect(prompts(box)).toHaveLength(3);
    expect(onlyRun(box.root)).toMatchObject({ status: 'in_progress' });
  });

  it('goes on while turns change files, until its retries are used up, and says which and why', () => {
    const box = drivenProject(RETRIED(GATE, 4));
    box.run(['trust', 'release', '--yes']);
    box.script(
      Array.from({ length: 9 }, (_, n) => [{ run: `echo ${n} > try-${n}; holdfast advance` }]),
    );
    const result = box.drive([...START, '--json'], { code: 1 });
    expect(result.code).toBe(1);
    expect(named(box, result, 'gate')).toHaveLength(5);
    expect(stopOf(box, result)).toMatchObject({
      reason: 'limit',
      message:
        'step 1 of 1 (build) has used up its 4 retries: the gate `test -f built` exited with 1',
    });
    // As the hint says.
    expect(box.run(['resume', runId(box)]).code).toBe(0);
    box.script([]);
    writeFileSync(join(box.root, 'built'), '');
    expect(box.drive([runId(box)]).code).toBe(0);
  });
});

it('a run that has used up its pivots says so, and goes on as its hint says', () => {
  const box = drivenProject(
    template(
      '  - {id: build, type: action, instructions: BUILD}\n  - {id: check, type: action, instructions: CHECK}\n',
      'max_pivots: 1\n',
    ),
  );
  const back = { run: 'holdfast pivot build --feedback "again"' };
  const on = { run: 'holdfast advance' };
  box.script([[on], [back], [on], [{ ...back, code: 1 }]]);
  const result = box.drive([...START, '--json'], { code: 1 });
  expect(stopOf(box, result)).toMatchObject({
    reason: 'limit',
    message: 'the run has used up its 1 pivot, and step 2 of 2 (check) wants another one',
  });
  expect(journal(box).map(({ event }) => event)).toContain('pivot_refused');
  expect(box.run(['update', runId(box), '--status', 'in_progress']).code).toBe(0);
  expect(box.drive([runId(box)]).code).toBe(0);
});
