import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { drivenProject, type Driven } from '../support/driven.ts';
import { archived, onlyRun } from '../support/state.ts';

const WORKFLOWS = '.claude/holdfast/workflows';

const template = (steps: string, more = ''): Record<string, string> => ({
  [`${WORKFLOWS}/release.yaml`]: `name: Release\ndescription: Ships it\n${more}steps:\n${steps}`,
});

const TWO_STEPS = template(`  - {id: plan, type: action, instructions: PLAN}
  - {id: ship, type: action, instructions: SHIP}
`);

const names = (box: Driven, result: { stdout: string }): unknown[] =>
  box.events({ code: 0, stderr: '', ...result }).map(({ event }) => event);

const lastEvent = (box: Driven, result: { stdout: string }) =>
  box.events({ code: 0, stderr: '', ...result }).at(-1);

/** Of the only run there ever was. */
const logFolder = (box: Driven): string => {
  const logs = join(box.root, 'untracked/workflow-logs');
  const [name = ''] = readdirSync(logs).filter((entry) => entry !== '.gitignore');
  return join(logs, name);
};

const prompts = (box: Driven): string[] =>
  box
    .calls('prompt')
    .map(({ prompt = '' }) => prompt.replace(/^Continue .* at step (\S+)\..*$/s, '$1'));

describe('a driven run', () => {
  it('goes from step to step with real boundaries: a fresh session for clear, a proved /compact, else the same session', () => {
    const box = drivenProject(
      template(`  - {id: plan, type: action, instructions: PLAN}
  - {id: review, type: action, context: compact, instructions: REVIEW}
  - {id: polish, type: ralph, n: 2, context: clear, instructions: POLISH}
  - {id: ship, type: action, instructions: SHIP}
`),
    );
    const result = box.drive(['--template', 'release']);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout).toContain('the run is complete');
    expect(prompts(box)).toEqual(['plan', '/compact', 'review', 'polish', 'polish', 'ship']);
    const sessions = box.calls('prompt').map(({ session }) => session);
    const [first, , , second, third] = sessions;
    expect(sessions).toEqual([first, first, first, second, third, third]);
    expect(new Set(sessions).size).toBe(3);
    const log = logFolder(box);
    expect(readdirSync(log).filter((name) => name.endsWith('.jsonl'))).toHaveLength(4);
    expect(existsSync(join(log, 'driver.json'))).toBe(false);
  });

  it('asks once more after a turn that moves nothing, then the step fails by its on_fail', () => {
    const box = drivenProject(TWO_STEPS);
    box.script([[], []]);
    const result = box.drive(['--template', 'release', '--json']);
    expect(result.code).toBe(1);
    expect(lastEvent(box, result)).toMatchObject({
      event: 'stopped',
      reason: 'failed',
      exit_code: 1,
      message: expect.stringContaining('ended its turn twice'),
      error: { code: 'failed' },
    });
    expect(box.calls('prompt')).toHaveLength(2);
    expect(box.calls('prompt')[1]?.prompt).toContain('the run has not moved');
    expect(box.calls('start')[1]?.args).toContain('--json-schema');
    expect(onlyRun(box.root)).toMatchObject({ status: 'failed', machine: { step: 'plan' } });

    const again = box.drive([]);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('(failed)');
    expect(box.calls('prompt')).toHaveLength(2);
  });

  it('takes a structured report for the end of a step, never a word in the text', () => {
    const box = drivenProject(TWO_STEPS);
    box.script([
      [{ result: { result: 'The step is done. holdfast advance. DONE' } }],
      [{ result: { structured_output: { done: true, output: 'made by report' } } }],
    ]);
    const result = box.drive(['--template', 'release', '--step']);
    expect(result.code).toBe(0);
    expect(result.stdout).toContain('the agent reports that the step is done');
    expect(result.stdout).toContain('the step is finished');
    expect(onlyRun(box.root)).toMatchObject({
      machine: { step: 'ship', outputs: { plan: 'made by report' } },
    });
  });

  it('lets the agent fail and pivot, and a report that gives up fails the step', () => {
    const box = drivenProject(
      template(
        `  - {id: plan, type: action, instructions: PLAN}
  - {id: ship, type: action, on_fail: retry, instructions: SHIP}
`,
        'max_retries: 1\n',
      ),
    );
    box.script([
      [{ run: 'holdfast advance' }],
      [{ run: 'holdfast pivot plan --feedback "too big"' }],
      [{ run: 'holdfast advance' }],
      [{ run: 'holdfast fail --reason "no network"' }],
      [{ result: { structured_output: { done: false, reason: 'still no network' } } }],
    ]);
    const result = box.drive(['--template', 'release', '--json']);
    expect(result.code).toBe(1);
    expect(lastEvent(box, result)).toMatchObject({ reason: 'limit' });
    expect(prompts(box)).toEqual(['plan', 'ship', 'plan', 'ship', 'ship']);
    expect(onlyRun(box.root)).toMatchObject({
      status: 'failed',
      status_reason: 'still no network',
    });
  });
});
