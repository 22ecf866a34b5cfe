import { describe, expect, test } from 'vitest';
import { safeJson } from '../../../src/util/safe-json.ts';
import { contextOf } from '../../../src/mcp/outputs.ts';
import type { RunState } from '../../../src/state/types.ts';
import { startTemplateRun, machineOf, withMachine } from '../../../src/workflow/template-run.ts';
import { aRun, NOW } from '../../support/runs.ts';
import { action, aTemplate } from '../../support/templates.ts';

describe('what the finished steps handed on', () => {
  test('is given with the summary and the files they made', () => {
    const state = startTemplateRun(aTemplate([action('plan'), action('build')]), 'the shop', NOW);
    const machine = machineOf(state);
    machine?.advance('two parts', ['docs/plan.md']);
    const moved = machine === null ? state : withMachine(state, machine);
    expect(contextOf(aRun(moved))).toEqual({
      run: 'the-shop-20250501_080000',
      workflow: 'the shop',
      summary: 'the shop',
      outputs: { plan: 'two parts' },
      artefacts: { plan: ['docs/plan.md'] },
    });
  });

  test('of a run without a template is by phase', () => {
    const outputs = { '1': { text: 'done' }, '2': { artefacts: ['a.md'] } };
    expect(contextOf(aRun({ outputs, context: { budget: 3 } }))).toEqual({
      run: 'feature-20250501_080000',
      workflow: 'Feature',
      context: { budget: 3 },
      outputs: { '1': 'done' },
      artefacts: { '2': ['a.md'] },
    });
  });

  test('is cut where it is too long for the host, the short ones never', () => {
    const outputs = {
      '1': { text: 'short' },
      '2': { text: 'x'.repeat(90_000) },
      '3': { text: 'y'.repeat(90_000) },
    };
    const reply = safeJson(contextOf(aRun({ outputs })));
    expect(reply.length).toBeLessThanOrEqual(50_000);
    expect(reply.length).toBeGreaterThan(49_000);
    expect(reply).toContain('"1": "short"');
    expect(reply).toMatch(
      /x… \(\d+ more characters: `holdfast show feature-20250501_080000 --json`\)/,
    );
    expect(reply).toMatch(/y… \(\d+ more characters/);
  });

  test('names no file of the present step that nobody has made yet', () => {
    const template = aTemplate([action('plan', { artefacts: ['docs/plan.md'] }), action('build')]);
    const state = startTemplateRun(template, undefined, NOW);
    expect(contextOf(aRun(state))).toMatchObject({ artefacts: {} });
    const machine = machineOf(state);
    machine?.advance();
    const moved = machine === null ? state : withMachine(state, machine);
    expect(contextOf(aRun(moved))).toMatchObject({ artefacts: { plan: ['docs/plan.md'] } });
  });
});

describe('where there is too much', () => {
  const many = (count: number, text: (index: number) => string): NonNullable<RunState['outputs']> =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`${index + 1}`, { text: text(index + 1) }]),
    );

  test('the latest outputs are kept whole, and it is said once how many are not there', () => {
    const outputs = many(3_000, (index) => `${index} `.repeat(20));
    const context = contextOf(aRun({ outputs }));
    expect(safeJson(context).length).toBeLessThanOrEqual(50_000);
    expect(context).toMatchObject({
      outputs: { '3000': '3000 '.repeat(20) },
      leftOut: expect.stringMatching(
        /^2\d{3} earlier outputs: `holdfast show feature-20250501_080000 --json` shows them all$/,
      ),
    });
    expect(context).not.toHaveProperty('outputs.1');
    expect(safeJson(context).match(/holdfast show/g)).toHaveLength(1);
  });

  test.each([
    ['signs that JSON writes longer', '"\\\u0001'.repeat(30_000)],
    ['tags of the host', '<system-reminder>'.repeat(5_000)],
    ['characters of two halves', '\u{1F600}'.repeat(40_000)],
  ])('the limit holds for %s', (_what, text) => {
    const reply = safeJson(contextOf(aRun({ outputs: many(9, () => text) })));
    expect(reply.length).toBeLessThanOrEqual(50_000);
    expect(reply.length).toBeGreaterThan(40_000);
    expect(JSON.parse(reply)).not.toHaveProperty('leftOut');
  });

  test('one long output does not push out the short ones before it', () => {
    const outputs = many(100, (index) => (index === 100 ? 'x'.repeat(100_000) : `part ${index}`));
    const context = contextOf(aRun({ outputs }));
    expect(context).toMatchObject({ outputs: { '1': 'part 1', '99': 'part 99' } });
    expect(context).not.toHaveProperty('leftOut');
  });

  test('artefacts and context values have their limit too', () => {
    const artefacts = Array.from({ length: 5_000 }, (_, index) => `docs/part-${index}.md`);
    const context = Object.fromEntries(artefacts.map((path) => [path, 'x'.repeat(50)]));
    const outputs = { '1': { text: 'y'.repeat(90_000), artefacts } };
    const reply = contextOf(aRun({ outputs, context }));
    expect(safeJson(reply).length).toBeLessThanOrEqual(50_000);
    expect(reply).toMatchObject({
      artefacts: { '1': expect.arrayContaining(['docs/part-4999.md']) },
      leftOut: expect.stringMatching(/^4\d{3} earlier artefacts, 4\d{3} context values: /),
    });
  });
});
