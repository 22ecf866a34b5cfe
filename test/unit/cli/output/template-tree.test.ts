import { describe, expect, test } from 'vitest';
import { templateDiagram } from '../../../../src/cli/output/template-diagram.ts';
import { templateTree } from '../../../../src/cli/output/template-tree.ts';
import { action, approval, aTemplate, loop, ralph, sub } from '../../../support/templates.ts';

const template = aTemplate(
  [
    action('plan', { title: 'Plan', artefacts: ['plan.md'] }),
    approval('agree', { when: 'state.inputs.ask == true', on_reject: 'plan' }),
    loop('items', { context: 'compact' }),
    ralph('polish', 3, { until: 'npm test', artefacts: true }),
    action('ship', { gate: 'make "all"', agent: 'helper', on_fail: 'retry' }),
  ],
  {
    inputs: { ask: { default: false }, area: { required: true, description: 'where' } },
    agents: { helper: { description: 'Helps.' } },
    loops: { items: [sub('write', { context: 'clear' }), sub('review', { gate: 'make test' })] },
    transitions: [{ from: 'polish', to: 'ship', context: 'clear', preserve: ['plan'] }],
  },
);

test('a template is drawn as a tree of its steps', () => {
  expect(templateTree(template, 'x.yaml')).toBe(
    [
      'Feature: Builds a feature.',
      'x.yaml',
      '',
      'Inputs',
      '  ask (default: false)',
      '  area (required): where',
      '',
      '├─ 1 plan: Plan',
      '│     leaves plan.md',
      '├─ 2 agree (approval by the user)',
      '│     only when state.inputs.ask == true',
      '│     rejected: back to plan',
      '├─ 3 items (loop, for each task)',
      '│     /compact first',
      '│  ├─ write, /clear first',
      '│  └─ review, gate: make test',
      '├─ 4 polish (ralph, up to 3 times)',
      '│     until: npm test',
      '│     records the files that the session writes',
      '└─ 5 ship',
      '      by helper',
      '      gate: make "all"',
      '      on failure: retry',
      '',
      'Transitions',
      '  polish → ship: /clear, carrying over plan',
    ].join('\n'),
  );
});

describe('a template is drawn as a diagram', () => {
  test('with its loops, boundaries, conditions and ways back', () => {
    expect(templateDiagram(template)).toBe(
      [
        'flowchart TD',
        '  start([start])',
        '  s1["Plan"]',
        '  s2{{"agree<br/>approval by the user"}}',
        '  subgraph s3["items<br/>for each task"]',
        '    s3_0["write"]',
        '    s3_1["review"]',
        '    s3_0 --> s3_1',
        '  end',
        '  s4["polish<br/>up to 3 times<br/>until: npm test"]',
        '  s4 -->|again| s4',
        '  s5["ship<br/>gate: make #34;all#34;"]',
        '  done([done])',
        '  start --> s1',
        '  s1 --> s2',
        '  s1 -.->|"not state.inputs.ask == true"| s3',
        '  s2 -.->|rejected| s1',
        '  s2 -->|"/compact"| s3',
        '  s3 --> s4',
        '  s4 -->|"/clear"| s5',
        '  s5 --> done',
      ].join('\n'),
    );
  });

  test('without anything of a template that a diagram would obey', () => {
    const hostile = aTemplate([action('a', { title: 'x"] --> b["<script>\n\u001B[2K#lt;' })]);
    const [, , node = ''] = templateDiagram(hostile).split('\n');
    expect(node).toMatch(/^ {2}s1\["x#34;#93; --#62; b#91;#34;/);
    expect(node.slice(6, -2)).not.toMatch(/["<>[\]\u001B]/);
  });
});
