import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { HoldfastError } from '../../../src/text/holdfast-error.ts';
import {
  checkTemplate,
  findTemplate,
  listTemplates,
} from '../../../src/templates/find-template.ts';
import { makeProject } from '../../support/project.ts';

const FOLDER = '.claude/holdfast/workflows';

const called = (name: string): string =>
  `name: ${name}\ndescription: Its description\nsteps:\n  - {id: a, type: action, instructions: Do it}\n`;

function failureOf(work: () => unknown): HoldfastError {
  try {
    work();
  } catch (error) {
    if (error instanceof HoldfastError) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

describe('by name', () => {
  test.each(['yaml', 'yml', 'json'])('of a file in the project that ends in .%s', (ending) => {
    const json = {
      name: 'Ship',
      description: 'x',
      steps: [{ id: 'a', type: 'action', instructions: 'x' }],
    };
    const { root } = makeProject({ [`${FOLDER}/deploy.${ending}`]: JSON.stringify(json) });
    expect(findTemplate(root, root, 'deploy')).toMatchObject({
      template: { name: 'Ship' },
      file: `${FOLDER}/deploy.${ending}`,
      origin: 'project',
    });
  });

  test.each(['site-relaunch', 'Site Relaunch!'])('that the template gives itself: %s', (name) => {
    const { root } = makeProject({ [`${FOLDER}/x.yaml`]: called('Site relaunch') });
    expect(findTemplate(root, root, name).file).toBe(`${FOLDER}/x.yaml`);
  });

  test('of a built-in one', () => {
    const { root } = makeProject();
    expect(findTemplate(root, root, 'qa-loop')).toMatchObject({
      template: { name: 'QA loop' },
      file: 'built-in:qa-loop',
      origin: 'built-in',
    });
  });

  test('the project comes before what is built in', () => {
    const { root } = makeProject({ [`${FOLDER}/mine.yaml`]: called('QA loop') });
    expect(findTemplate(root, root, 'qa-loop').file).toBe(`${FOLDER}/mine.yaml`);
  });

  test('that nothing has: what was probably meant, or what there is', () => {
    const { root } = makeProject({ [`${FOLDER}/deploy.yaml`]: called('Deploy') });
    const { message, hint } = failureOf(() => findTemplate(root, root, 'deplyo'));
    expect(`${message}; ${hint}`).toBe(
      'no template is named "deplyo"; did you mean deploy? `holdfast templates` lists them',
    );
    expect(failureOf(() => findTemplate(root, root, 'something')).hint).toBe(
      'available: deploy, bugfix, code-review-cycle, context-example, default, feature, planning, qa-loop',
    );
  });

  test('that two of the project have: neither is guessed', () => {
    const { root } = makeProject({
      [`${FOLDER}/deploy.yaml`]: called('Deploy'),
      [`${FOLDER}/other.yaml`]: called('deploy'),
    });
    const { code, hint } = failureOf(() => findTemplate(root, root, 'deploy'));
    expect(code).toBe('ambiguous_template');
    expect(hint).toContain(`${FOLDER}/deploy.yaml, ${FOLDER}/other.yaml`);
    expect(findTemplate(root, root, 'other').template.name).toBe('deploy');
  });

  test.each(['..', '__proto__', 'constructor', ''])('%j is a name like any other', (name) => {
    const { root } = makeProject();
    expect(failureOf(() => findTemplate(root, root, name)).code).toBe('unknown_template');
  });
});

describe('by path', () => {
  test('from the working folder, then from the root', () => {
    const project = makeProject({ 'docs/t.yaml': called('Docs'), 't.yaml': called('Root') });
    const docs = project.at('docs');
    const nameAt = (cwd: string, path: string): string =>
      findTemplate(project.root, cwd, path).template.name;
    expect(nameAt(docs, 't.yaml')).toBe('Docs');
    expect(nameAt(docs, './t.yaml')).toBe('Docs');
    expect(nameAt(docs, 'docs/t.yaml')).toBe('Docs');
    expect(nameAt(project.root, 't.yaml')).toBe('Root');
  });

  test('outside the project, if the user says so', () => {
    const { root, outside } = makeProject();
    const path = join(outside, 't.yaml');
    writeFileSync(path, called('Elsewhere'));
    expect(findTemplate(root, root, '../outside/t.yaml')).toMatchObject({
      file: path,
      origin: 'path',
    });
  });

  test('that nothing is at', () => {
    const { root } = makeProject();
    const { message } = failureOf(() => findTemplate(root, root, 'x/t.yaml'));
    expect(message).toBe('cannot read x/t.yaml: there is no such file');
  });
});

test('a broken template is refused with its first problem and how many more', () => {
  const { root } = makeProject({ [`${FOLDER}/deploy.yaml`]: 'name: Deploy\nsteps: []\n' });
  const { message, hint, data } = failureOf(() => findTemplate(root, root, 'deploy'));
  expect(message).toBe(`${FOLDER}/deploy.yaml:1: "description" is missing`);
  expect(hint).toContain('1 more');
  expect(data).toMatchObject({ problems: [{ line: 1 }, { line: 2 }] });
});

describe('no template of the project leads out of it', () => {
  test('by a link', () => {
    const project = makeProject({ [`${FOLDER}/ok.yaml`]: called('Fine') });
    writeFileSync(join(project.outside, 't.yaml'), called('Secret'));
    project.link(`${FOLDER}/deploy.yaml`, join(project.outside, 't.yaml'));
    const { message } = failureOf(() => findTemplate(project.root, project.root, 'deploy'));
    expect(message).toContain('it cannot be read: outside the project');
    expect(failureOf(() => findTemplate(project.root, project.root, 'secret')).code).toBe(
      'unknown_template',
    );
  });

  test.each(['../outside/t.yaml', '../../../../outside/t.yaml'])('by extending %s', (path) => {
    const project = makeProject({ [`${FOLDER}/deploy.yaml`]: `name: Deploy\nextends: ${path}\n` });
    writeFileSync(join(project.outside, 't.yaml'), called('Secret'));
    const { message } = failureOf(() => findTemplate(project.root, project.root, 'deploy'));
    expect(message).toContain('it cannot be read: outside the project');
  });

  test('and a FIFO keeps nobody waiting', () => {
    const project = makeProject();
    project.fifo(`${FOLDER}/deploy.yaml`);
    const { message } = failureOf(() => findTemplate(project.root, project.root, 'deploy'));
    expect(message).toContain('it cannot be read: not a file');
  });
});

describe('what a template extends is found', () => {
  const base = called('Base');
  test.each<[string, Record<string, string>, string]>([
    [
      'by name, in the project',
      { [`${FOLDER}/base.yaml`]: base, [`${FOLDER}/x.yaml`]: 'name: X\nextends: base\n' },
      'Its description',
    ],
    [
      'by path, beside the file',
      { [`${FOLDER}/lib/b.yaml`]: base, [`${FOLDER}/x.yaml`]: 'name: X\nextends: lib/b.yaml\n' },
      'Its description',
    ],
    [
      'by path, from the root',
      { 'lib/b.yaml': base, [`${FOLDER}/x.yaml`]: 'name: X\nextends: lib/b.yaml\n' },
      'Its description',
    ],
    [
      'under its own name: the built-in one',
      { [`${FOLDER}/x.yaml`]: 'name: Default\nextends: default\nmax_pivots: 1\n' },
      'Plan, build and verify any change',
    ],
  ])('%s', (_how, tree, description) => {
    const { root } = makeProject(tree);
    expect(findTemplate(root, root, 'x').template.description).toBe(description);
  });

  test('under its own name where nothing is built in: a circle', () => {
    const { root } = makeProject({ [`${FOLDER}/x.yaml`]: 'name: X\nextends: x\n' });
    expect(failureOf(() => findTemplate(root, root, 'x')).message).toContain('goes in a circle');
  });
});

describe('the list', () => {
  test("has the project's first, and says which built-in ones they shadow", () => {
    const { root } = makeProject({ [`${FOLDER}/mine.yaml`]: called('Feature') });
    const list = listTemplates(root).map(({ id, origin, shadowed }) => ({ id, origin, shadowed }));
    expect(list[0]).toEqual({ id: 'mine', origin: 'project', shadowed: false });
    expect(list.filter(({ shadowed }) => shadowed)).toEqual([
      { id: 'feature', origin: 'built-in', shadowed: true },
    ]);
    expect(list).toHaveLength(8);
  });

  test('a broken one does not hide the others', () => {
    const { root } = makeProject({
      [`${FOLDER}/a.yaml`]: '{{{',
      [`${FOLDER}/b.yaml`]: called('Fine'),
      [`${FOLDER}/notes.txt`]: 'no template',
    });
    const own = listTemplates(root).filter(({ origin }) => origin === 'project');
    expect(own.map(({ id, reading }) => [id, reading.kind])).toEqual([
      ['a', 'invalid'],
      ['b', 'template'],
    ]);
  });

  test('reads a bounded amount', () => {
    const filler = `# ${'x'.repeat(900_000)}\n`;
    const tree = Object.fromEntries(
      Array.from({ length: 15 }, (_, index) => [`${FOLDER}/t${index}.yaml`, called('T') + filler]),
    );
    const { root } = makeProject(tree);
    const kinds = listTemplates(root).map(({ reading }) => reading.kind);
    expect(kinds.filter((kind) => kind === 'invalid')).toHaveLength(4);
  });
});

describe('two templates of the project with one name', () => {
  const twins = () =>
    makeProject({
      [`${FOLDER}/x.yaml`]: called('One'),
      [`${FOLDER}/x.yml`]: called('Two'),
      [`${FOLDER}/y.yaml`]: called('Three'),
    });

  test('are listed as each other’s namesakes', () => {
    const own = listTemplates(twins().root).filter(({ origin }) => origin === 'project');
    expect(own.map(({ file, namesakes }) => [file, namesakes])).toEqual([
      [`${FOLDER}/x.yaml`, [`${FOLDER}/x.yml`]],
      [`${FOLDER}/x.yml`, [`${FOLDER}/x.yaml`]],
      [`${FOLDER}/y.yaml`, []],
    ]);
  });

  test('are a problem of both files and of no other', () => {
    const { root, read } = twins();
    const check = (file: string) => checkTemplate(root, { file, text: read(file) });
    expect(check(`${FOLDER}/x.yaml`)).toEqual([
      {
        file: `${FOLDER}/x.yaml`,
        line: 1,
        message: `${FOLDER}/x.yml goes by the same name, so neither is found by it: rename one`,
      },
    ]);
    expect(check(`${FOLDER}/y.yaml`)).toEqual([]);
    expect(checkTemplate(root, { file: 'elsewhere/x.yaml', text: called('One') })).toEqual([]);
  });
});

test('a template that shadows a built-in one has no namesake', () => {
  const { root } = makeProject({ [`${FOLDER}/feature.yaml`]: called('Mine') });
  const found = listTemplates(root).filter(({ id }) => id === 'feature');
  expect(found.map(({ origin, namesakes }) => [origin, namesakes])).toEqual([
    ['project', []],
    ['built-in', []],
  ]);
});

test.each(['./', '.', '.claude/'])('the folder %s is refused by its name', (path) => {
  const { root } = makeProject({ [`${FOLDER}/x.yaml`]: called('One') });
  const given = path === '.' ? root : path;
  const named = path === '.claude/' ? '.claude' : '.';
  expect(failureOf(() => findTemplate(root, root, given)).message).toContain(
    `${named}:1: it cannot be read`,
  );
});
