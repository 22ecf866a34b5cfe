import { describe, expect, test } from 'vitest';
import { newTemplateRun } from '../../../src/operations/new-run.ts';
import { createTemplate } from '../../../src/operations/new-template.ts';
import { findTemplate } from '../../../src/workflow/template/find-template.ts';
import { makeProject } from '../../support/project.ts';
import { contextIn, type TestContext } from './support.ts';
import { saying } from '../../support/failures.ts';

const FOLDER = '.claude/holdfast/workflows';

const text = `name: Deploy
description: Brings it to the servers
inputs:
  target: { description: where it goes, required: true }
  region: { required: true }
  count: { default: 3 }
  note: {}
steps:
  - { id: build, type: action, when: state.inputs.target != "docs", instructions: Build }
  - { id: check, type: action, when: state.context.risky == true, instructions: Check }
  - { id: ship, type: action, when: state.inputs.count > 0, instructions: Ship }
`;

function context(template = text): TestContext {
  return contextIn(makeProject({ [`${FOLDER}/deploy.yaml`]: template }));
}

describe('the inputs of a template', () => {
  test('are values of --set that it declares; the others are facts of the run', () => {
    const values = { target: 'staging', region: 'eu', risky: true };
    const run = newTemplateRun(context(), 'deploy', undefined, values);
    expect(run.machine).toMatchObject({
      step: 'build',
      inputs: { target: 'staging', region: 'eu', count: 3 },
    });
    expect(run.machine?.['inputs']).not.toHaveProperty('note');
    expect(run.context).toEqual({ risky: true });
  });

  test('that are required and missing refuse the start, all of them named', () => {
    expect(() => newTemplateRun(context(), 'deploy', undefined, { target: '' })).toThrow(
      saying(
        '"Deploy" needs the input "target" (where it goes), the input "region"; add --set target=<value> --set region=<value>',
      ),
    );
  });

  test('decide with the facts where the run begins', () => {
    const values = { target: 'docs', region: 'eu', risky: true };
    const run = newTemplateRun(context(), 'deploy', undefined, values);
    expect(run).toMatchObject({ phase: { current: 2 }, machine: { passedBy: ['build'] } });
  });

  test('that leave no step to do refuse the start', () => {
    const values = { target: 'docs', region: 'eu', count: 0 };
    expect(() => newTemplateRun(context(), 'deploy', undefined, values)).toThrow(
      saying('no step of "Deploy" applies'),
    );
  });

  test('that are lists or objects are kept as text', () => {
    const values = { target: ['a', 'b'], region: { x: 1 }, count: 1 };
    expect(newTemplateRun(context(), 'deploy', undefined, values).machine).toMatchObject({
      inputs: { target: '["a","b"]', region: '{"x":1}', count: 1 },
    });
  });
});

test('a start says that the user has to trust a template that runs commands', () => {
  const gated = `name: Deploy\ndescription: x\nsteps: [{id: a, type: action, instructions: x, gate: make}]\n`;
  const here = context(gated);
  newTemplateRun(here, 'deploy', undefined);
  expect(here.warnings).toEqual([expect.stringContaining('holdfast trust deploy')]);
});

describe('a new template', () => {
  test('is found by its name, and never overwrites a file', () => {
    const here = contextIn(makeProject());
    expect(createTemplate(here, 'My Release')).toEqual({
      path: `${FOLDER}/my-release.yaml`,
      id: 'my-release',
      replaces_built_in: false,
    });
    expect(findTemplate(here.root, here.root, 'my-release').template.name).toBe('My Release');
    expect(() => createTemplate(here, 'my release')).toThrow(saying('exists already'));
    expect(() => createTemplate(here, ' ')).toThrow(saying('a name of 1 to 200 characters'));
  });

  test('is not written through a link out of the project', () => {
    const project = makeProject();
    project.link('.claude', project.outside);
    const here = contextIn(project);
    expect(() => createTemplate(here, 'x')).toThrow();
  });
});
