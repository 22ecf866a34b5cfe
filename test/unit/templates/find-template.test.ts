import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { findTemplate } from '../../../src/templates/find-template.ts';
import { saying } from '../../support/failures.ts';
import { makeProject } from '../../support/project.ts';

const FOLDER = '.claude/holdfast/workflows';

const called = (name: string): string =>
  `name: ${name}\ndescription: Its description\nsteps:\n  - {id: a, type: action, instructions: Do it}\n`;

describe('by name', () => {
  test.each(['yaml', 'yml', 'json'])(
    'of a file in the project that ends in .%s',
    (ending) => {
      const json = JSON.stringify(parse(called('Ship')));
      const { root } = makeProject({ [`${FOLDER}/deploy.${ending}`]: json });
      expect(findTemplate(root, root, 'deploy')).toMatchObject({
        template: { name: 'Ship' },
        file: `${FOLDER}/deploy.${ending}`,
        origin: 'project',
      });
    },
  );

  test.each(['site-relaunch', 'Site Relaunch!'])(
    'that the template gives itself: %s',
    (name) => {
      const { root } = makeProject({
        [`${FOLDER}/x.yaml`]: called('Site relaunch'),
      });
      expect(findTemplate(root, root, name).file).toBe(`${FOLDER}/x.yaml`);
    },
  );
});

describe('by path', () => {
  test('from the working folder, then from the root', () => {
    const project = makeProject({
      'docs/t.yaml': called('Docs'),
      't.yaml': called('Root'),
    });
    const docs = project.at('docs');
    const nameAt = (cwd: string, path: string): string =>
      findTemplate(project.root, cwd, path).template.name;
    expect(nameAt(docs, 't.yaml')).toBe('Docs');
    expect(nameAt(docs, './t.yaml')).toBe('Docs');
    expect(nameAt(docs, 'docs/t.yaml')).toBe('Docs');
    expect(nameAt(project.root, 't.yaml')).toBe('Root');
  });
});

describe('no template of the project leads out of it', () => {
  test('by a link', () => {
    const project = makeProject({ [`${FOLDER}/ok.yaml`]: called('Fine') });
    writeFileSync(join(project.outside, 't.yaml'), called('Secret'));
    project.link(`${FOLDER}/deploy.yaml`, join(project.outside, 't.yaml'));
    expect(() => findTemplate(project.root, project.root, 'deploy')).toThrow(
      saying('it cannot be read: outside the project'),
    );
    const unknown = expect.objectContaining({ code: 'unknown_template' });
    expect(() => findTemplate(project.root, project.root, 'secret')).toThrow(
      unknown,
    );
  });

  test.each(['../outside/t.yaml', '../../../../outside/t.yaml'])(
    'by extending %s',
    (path) => {
      const project = makeProject({
        [`${FOLDER}/deploy.yaml`]: `name: Deploy\nextends: ${path}\n`,
      });
      writeFileSync(join(project.outside, 't.yaml'), called('Secret'));
      expect(() => findTemplate(project.root, project.root, 'deploy')).toThrow(
        saying('it cannot be read: outside the project'),
      );
    },
  );

  test('and a FIFO keeps nobody waiting', () => {
    const project = makeProject();
    project.fifo(`${FOLDER}/deploy.yaml`);
    expect(() => findTemplate(project.root, project.root, 'deploy')).toThrow(
      saying('it cannot be read: not a file'),
    );
  });
});

describe('what a template extends is found', () => {
  const base = called('Base');
  test.each<[string, Record<string, string>, string]>([
    [
      'by path, beside the file',
      {
        [`${FOLDER}/lib/b.yaml`]: base,
        [`${FOLDER}/x.yaml`]: 'name: X\nextends: lib/b.yaml\n',
      },
      'Its description',
    ],
    [
      'under its own name: the built-in one',
      {
        [`${FOLDER}/x.yaml`]:
          'name: Default\nextends: default\nmax_pivots: 1\n',
      },
      'Plan, build and verify any change',
    ],
  ])('%s', (_how, tree, description) => {
    const { root } = makeProject(tree);
    expect(findTemplate(root, root, 'x').template.description).toBe(
      description,
    );
  });
});
