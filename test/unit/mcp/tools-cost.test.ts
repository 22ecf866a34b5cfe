import { expect, test } from 'vitest';
import { TOOLS } from '../../../src/mcp/tools.ts';

const listed = TOOLS.map(({ run: _run, ...described }) => described);

test('the tools are few, and their descriptions are short', () => {
  expect(listed.length).toBeLessThanOrEqual(8);
  expect(JSON.stringify(listed).length).toBeLessThanOrEqual(4500);
});

test.each(listed)('$name is described in a few sentences', ({ description }) => {
  expect(description.length).toBeGreaterThan(20);
  expect(description.length).toBeLessThanOrEqual(400);
});
