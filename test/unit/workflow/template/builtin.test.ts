import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { texts } from '../../../../src/workflow/template/builtin.generated.ts';
import { gatesOf } from '../../../../src/workflow/machine/gates.ts';
import { readTemplate } from '../../../../src/workflow/template/read-template.ts';
import type { Template } from '../../../../src/workflow/template/template-types.generated.ts';

function builtIn(name: string): Template {
  const reading = readTemplate({ file: `${name}.yaml`, text: texts[`${name}.yaml`] ?? '' }, () => ({
    kind: 'missing',
    why: 'a built-in template stands alone',
  }));
  if (reading.kind === 'invalid') throw new Error(JSON.stringify(reading.problems));
  return reading.template;
}

const names = readdirSync(new URL('../../../../workflows', import.meta.url)).map((file) =>
  file.replace(/\.yaml$/, ''),
);

describe('a built-in template', () => {
  test.each(names)('%s is valid, runs no commands, and tells editors its schema', (name) => {
    expect(gatesOf(builtIn(name))).toEqual([]);
    expect(texts[`${name}.yaml`]).toMatch(
      /^# yaml-language-server: \$schema=\.\.\/schemas\/template\.schema\.json\n/,
    );
  });
});

test('the default plans, builds and verifies, and a new session goes on with it', () => {
  const { steps, resume } = builtIn('default');
  expect(steps.map(({ id }) => id)).toEqual(['plan', 'build', 'verify']);
  expect(resume).toBe('auto');
});

test('the example shows every kind of step and both context actions', () => {
  const { steps, loops = {} } = builtIn('context-example');
  expect(new Set(steps.map(({ type }) => type))).toEqual(new Set(['action', 'loop', 'ralph']));
  const contexts = [...steps, ...Object.values(loops).flat()].map(({ context }) => context);
  expect(contexts).toEqual(expect.arrayContaining(['compact', 'clear']));
});

test('the QA loop goes over findings, then looks again', () => {
  const types = builtIn('qa-loop').steps.map(({ type }) => type);
  expect(types.indexOf('ralph')).toBeGreaterThan(types.indexOf('loop'));
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
