import { describe, expect, test } from 'vitest';
import { stepFrame } from '../../../src/guidance/step.ts';
import { advanceRun } from '../../../src/operations/advance.ts';
import { startRun } from '../../../src/operations/start.ts';
import type { Step } from '../../../src/workflow/template/template-types.generated.ts';
import { saying } from '../../support/failures.ts';
import { makeProject, type Project } from '../../support/project.ts';
import { minutesBefore, NOW } from '../../support/runs.ts';
import { action, aTemplate } from '../../support/templates.ts';
import { begun, contextIn, machineIn, stored, type TestContext } from './support.ts';

function runOf(context: TestContext, step: Step): string {
  const template = aTemplate([step, action('build')], {
    transitions: [{ from: 'plan', to: 'build', context: 'clear' }],
  });
  return startRun(context, begun(template), { switches: false }).run.runId;
}

const advance = (context: TestContext, force = false): Promise<unknown> =>
  advanceRun(context, undefined, { artefacts: [], force });

describe('a step that must leave files', () => {
  const step = action('plan', { artefacts: ['docs/plan.md', 'docs/risks.md'] });

  test('is not finished while one is missing', async () => {
    const project = makeProject({ 'docs/plan.md': 'x' });
    const context = contextIn(project);
    const runId = runOf(context, step);
    await expect(advance(context)).rejects.toThrow(saying(/must leave docs\/risks\.md/));
    expect(machineIn(context, runId)).toMatchObject({ step: 'plan' });
    project.write('docs/risks.md', 'y');
    await advance(context);
    expect(machineIn(context, runId)).toMatchObject({
      step: 'build',
      artefacts: { plan: ['docs/plan.md', 'docs/risks.md'] },
    });
  });

  test('goes on by force, but the missing file does not count as made', async () => {
    const context = contextIn(makeProject({ 'docs/plan.md': 'x' }));
    const runId = runOf(context, step);
    await advance(context, true);
    expect(machineIn(context, runId)).toMatchObject({
      step: 'build',
      artefacts: { plan: ['docs/plan.md'] },
    });
    expect(stepFrame(stored(context, runId))?.outputs).toEqual(['files of plan: docs/plan.md']);
  });
});

describe('a step with artefacts: true', () => {
  const call = (project: Project, minutes: number, name: string, path: string): string =>
    JSON.stringify({
      type: 'assistant',
      timestamp: minutesBefore(minutes, new Date(NOW.getTime() + 60_000)),
      message: {
        content: [{ type: 'tool_use', id: path, name, input: { file_path: project.at(path) } }],
      },
    });

  test('records the files of the project that the session wrote during it', async () => {
    const project = makeProject({ 'a.md': '', 'b.md': '', 'old.md': '' });
    const context = { ...contextIn(project), config: project.at('config') };
    const runId = runOf(context, action('plan', { artefacts: true }));
    const lines = [
      call(project, 60, 'Write', 'old.md'),
      call(project, 0, 'Write', 'a.md'),
      call(project, 0, 'Read', 'old.md'),
      call(project, 0, 'Edit', 'b.md'),
      call(project, 0, 'Write', '../outside.md'),
      call(project, 0, 'Write', 'gone.md'),
      'not JSON',
    ];
    project.write('config/projects/some-folder/s1.jsonl', `${lines.join('\n')}\n`);
    await advance(context);
    expect(machineIn(context, runId)).toMatchObject({ artefacts: { plan: ['a.md', 'b.md'] } });
  });

  test('is finished without a transcript, too', async () => {
    const context = contextIn(makeProject());
    const runId = runOf(context, action('plan', { artefacts: true }));
    await advance(context);
    expect(machineIn(context, runId)).toMatchObject({ step: 'build', artefacts: {} });
  });
});
