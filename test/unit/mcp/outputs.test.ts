import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contextOf, fairShare } from '../../../src/mcp/outputs.ts';
import { beginTemplateRun, machineOf, withMachine } from '../../../src/workflow/run.ts';
import { aRun, NOW } from '../../support/runs.ts';
import { action, aTemplate } from '../../support/templates.ts';

describe('what the finished steps handed on', () => {
  test('is given with the summary and the files they made', () => {
    const state = beginTemplateRun(aTemplate([action('plan'), action('build')]), 'the shop', NOW);
    const machine = machineOf(state);
    machine?.advance('two parts', ['docs/plan.md']);
    const moved = machine === null ? state : withMachine(state, machine);
    expect(contextOf(aRun(moved))).toEqual({
      run: 'feature-20250501_080000',
      workflow: 'Feature',
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
    const reply = JSON.stringify(contextOf(aRun({ outputs })));
    expect(reply.length).toBeLessThan(51_000);
    expect(reply).toContain('"1":"short"');
    expect(reply).toMatch(
      /x… \(\d+ more characters: `holdfast show feature-20250501_080000 --json`\)/,
    );
    expect(reply).toMatch(/y… \(\d+ more characters/);
  });
});

test('shares always fit, and use what there is', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(200), { minLength: 1 }), fc.nat(1_000), (lengths, max) => {
      const share = fairShare(lengths, max);
      const used = lengths.reduce((sum, length) => sum + Math.min(length, share), 0);
      const all = lengths.reduce((sum, length) => sum + length, 0);
      expect(used).toBeLessThanOrEqual(max);
      expect(used).toBeGreaterThan(Math.min(all, max) - lengths.length - (all === 0 ? 1 : 0));
    }),
  );
});
