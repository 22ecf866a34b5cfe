import { describe, expect, test } from 'vitest';
import { parseText } from '../../../src/templates/parse-yaml.ts';

const aliased = (text: string, times: number): string =>
  `a: &a "${text}"\nb: [${Array.from({ length: times }, () => '*a').join(', ')}]\n`;

describe('the size of a template is that of the JSON it becomes', () => {
  test.each([
    ['letters of two bytes', aliased('é'.repeat(300_000), 12)],
    ['letters that JSON has to escape', aliased(String.raw`\u0001`.repeat(20_000), 12)],
    [
      'keys',
      `a: &a {${'k'.repeat(900)}: 1}\nb: [${'*a, '.repeat(99)}*a]\nc: ${'x'.repeat(910_000)}`,
    ],
  ])('counted with %s', (_name, text) => {
    expect(parseText(text, 'yaml')).toMatchObject({
      kind: 'invalid',
      problems: [{ message: expect.stringContaining('larger than 1 MB') }],
    });
  });

  test('and aliases are free below that', () => {
    expect(parseText(aliased('é'.repeat(30_000), 12), 'yaml').kind).toBe('parsed');
  });
});
