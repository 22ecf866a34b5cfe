import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { texts } from '../../../src/templates/builtin.generated.ts';
import { gatesOf } from '../../../src/machine/gates.ts';
import { slugOf } from '../../../src/text/slug.ts';
import { readTemplate } from '../../../src/templates/read-template.ts';
import { makeProject } from '../../support/project.ts';
import type { Template } from '../../../src/machine/template-types.generated.ts';

function builtIn(name: string): Template {
  const reading = readTemplate(
    { file: `${name}.yaml`, text: texts[`${name}.yaml`] ?? '' },
    () => 'there is no such file',
  );
  if (reading.kind === 'invalid')
    throw new Error(JSON.stringify(reading.problems));
  return reading.template;
}

const names = readdirSync(new URL('../../../workflows', import.meta.url)).map(
  (file) => file.replace(/\.yaml$/, ''),
);

describe('a built-in template', () => {
  test.each(names)(
    '%s has the name of its file, by which the catalog finds it',
    (name) => {
      expect(slugOf(builtIn(name).name)).toBe(name);
    },
  );

  test.each(names)(
    '%s is valid, runs no unexpected commands, and tells editors its schema',
    (name) => {
      const where = gatesOf(builtIn(name)).map((gate) => gate.where);
      expect(where).toEqual(name === 'qa-loop' ? ['step "again", until'] : []);
      expect(texts[`${name}.yaml`]).toMatch(
        /^# yaml-language-server: \$schema=\.\.\/schemas\/template\.schema\.json\n/,
      );
    },
  );
});

test('the QA loop ends when the tests of the project pass', () => {
  const { until = '' } =
    builtIn('qa-loop').steps.find(({ id }) => id === 'again') ?? {};
  const ended = (files: Record<string, string>): number | null => {
    const { root } = makeProject(files);
    return spawnSync(until, { cwd: root, shell: true }).status;
  };
  expect(ended({ Makefile: 'test:\n\ttrue\n' })).toBe(0);
  expect(ended({ Makefile: 'test:\n\tfalse\n' })).not.toBe(0);
  expect(ended({})).toBe(1);
});

test('commands that instructions tell to run name steps and loops there are', () => {
  for (const name of names) {
    const { steps, loops = {} } = builtIn(name);
    const ids = [...steps.map(({ id }) => id), ...Object.keys(loops)];
    const instructed = [...steps, ...Object.values(loops).flat()].map(
      ({ instructions = '' }) => instructions,
    );
    for (const [, target = ''] of instructed
      .join('\n')
      .matchAll(/holdfast (?:pivot|tasks) (\S+)/g)) {
      expect(ids, name).toContain(target);
    }
  }
});
