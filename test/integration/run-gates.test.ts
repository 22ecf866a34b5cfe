import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import {
  actions,
  type Driven,
  drivenProject,
  GATED,
  journal,
  named,
  prompts,
  runId,
  START,
  template,
} from '../support/driven.ts';
import { PATIENCE } from '../support/patience.ts';
import { archived, onlyRun, stateFiles } from '../support/state.ts';

describe('gates of a driven run', () => {
  const trusted = (): Driven => {
    const box = drivenProject(GATED);
    box.run(['trust', 'release', '--yes']);
    return box;
  };

  it('are run by the driver; a failure goes back to the agent with the output', () => {
    const box = drivenProject(
      template(actions('build gate: "echo NOT-BUILT; test -f built"')),
    );
    box.run(['trust', 'release', '--yes']);
    box.script([
      [{ run: 'holdfast advance --output first' }],
      [{ run: 'touch built; holdfast advance --output second' }],
    ]);
    const result = box.drive([...START, '--json']);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(named(box, result, 'gate').map((event) => event['result'])).toEqual([
      'failed',
      'passed',
    ]);
    const [first, second] = box.calls('prompt');
    expect(second?.prompt).toContain('NOT-BUILT');
    expect(second?.prompt).toContain('exited with 1');
    expect(second?.session).toBe(first?.session);
    const [advance] = box.calls('tool');
    expect(advance?.output).toContain('End your turn now');
    const name =
      archived(box.root).find((file) => file.endsWith('.json')) ?? '';
    const state = JSON.parse(
      readFileSync(join(box.root, 'untracked/workflow-archive', name), 'utf8'),
    );
    expect(state.machine.outputs).toEqual({ build: 'second' });
    expect(state.requested_advance).toBeUndefined();
  });

  it('have to be trusted before anything is started; --dry-run says that run would refuse and how to trust', () => {
    const box = drivenProject(GATED);
    const refused = box.drive(START, { code: 1 });
    expect(refused.stderr).toContain('not trusted to run commands');
    expect(refused.stderr).toContain('holdfast trust release');
    const result = box.drive([...START, '--dry-run']);
    expect(result.stdout).toContain('▸ 1 build\n│     gate: test -f built');
    expect(result.stderr).toContain('`run` would refuse');
    expect(result.stderr).toContain(
      'not trusted to run commands here ("test -f built")',
    );
    expect(result.stderr).toContain('`holdfast trust release`');
    expect(stateFiles(box.root)).toEqual([]);
    expect(box.calls()).toEqual([]);

    box.run(['start', ...START], { session: 'interactive' });
    const existing = box.drive(['release', '--dry-run', '--json']);
    expect(JSON.parse(existing.stdout)).toMatchObject({
      steps: [{ id: 'build', gate: 'test -f built' }, { id: 'ship' }],
      refusals: [
        {
          code: 'gate_untrusted',
          hint: expect.stringContaining('holdfast trust release'),
        },
        { code: 'held_by_session' },
      ],
    });

    box.run(['trust', 'release', '--yes']);
    expect(box.drive([...START, '--dry-run'])).toMatchObject({
      code: 0,
      stderr: '',
    });
  });

  it('are not run twice for a request that a killed driver has left', async () => {
    const box = trusted();
    box.script([[{ run: 'touch built; holdfast advance' }, { until: 'go' }]]);
    const first = box.begin([...START, '--json']);
    await first.says('holdfast advance');
    await vi.waitUntil(
      () => onlyRun(box.root).requested_advance !== undefined,
      PATIENCE,
    );
    first.child.kill('SIGKILL');
    await first.ended;
    writeFileSync(join(box.fake, 'go'), '');
    const second = box.drive([runId(box), '--json']);
    expect(second).toMatchObject({ code: 0, stderr: '' });
    expect(prompts(box)).toEqual(['build', 'ship']);
    expect(
      journal(box).filter(({ event }) => event === 'advanced'),
    ).toHaveLength(2);
  });
});
