import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import {
  readTemplate,
  type TemplateReading,
} from '../../../src/templates/read-template.ts';

const base = `name: Base
description: What all releases have in common
max_pivots: 2
agents:
  builder: {description: Builds}
steps:
  - id: build
    type: action
    instructions: Build it
    gate: npm test
  - id: hosts
    type: loop
  - id: report
    type: action
    instructions: Report
loops:
  hosts:
    - id: copy
      instructions: Copy it
    - id: check
      instructions: Check it
transitions:
  - {from: build, to: hosts, context: clear, preserve: [summary]}
`;

const read = (
  files: Record<string, string>,
  file = 'child.yaml',
): TemplateReading =>
  readTemplate({ file, text: files[file] ?? '' }, (name) => {
    const text = files[name];
    return text === undefined ? 'there is no such file' : { file: name, text };
  });

function template(child: string): unknown {
  const reading = read({
    'child.yaml': `name: Child\nextends: base\n${child}`,
    base,
  });
  if (reading.kind === 'invalid')
    throw new Error(JSON.stringify(reading.problems));
  return reading.template;
}

const problems = (files: Record<string, string>): string[] => {
  const reading = read(files);
  return reading.kind === 'template'
    ? []
    : reading.problems.map(
        ({ file, line, message }) => `${file}:${line}: ${message}`,
      );
};

describe('a template that extends another has all of it', () => {
  test('under its own name, and says nothing of where it came from', () => {
    expect(template('')).toEqual({ ...parse(base), name: 'Child' });
  });

  test.each<[string, string, object]>([
    [
      'its own value',
      'description: Mine\nmax_pivots: 9\n',
      { description: 'Mine', max_pivots: 9 },
    ],
    [
      'a step changed in its place, and a new one last',
      'steps: [{id: smoke, type: action, instructions: Try it}, {id: build, gate: make}]\n',
      {
        steps: [
          {
            id: 'build',
            type: 'action',
            instructions: 'Build it',
            gate: 'make',
          },
          { id: 'hosts' },
          { id: 'report' },
          { id: 'smoke', type: 'action' },
        ],
      },
    ],
    [
      'sub-steps merged by id within their loop, and other loops',
      'loops: {hosts: [{id: check, on_fail: retry}], regions: [{id: copy, instructions: x}]}\nsteps: [{id: regions, type: loop}]\n',
      {
        loops: {
          hosts: [
            { id: 'copy' },
            { id: 'check', instructions: 'Check it', on_fail: 'retry' },
          ],
          regions: [{ id: 'copy' }],
        },
      },
    ],
    [
      'transitions merged by where they lead from and to',
      'transitions: [{from: build, to: hosts, context: keep}, {from: hosts, to: report, context: compact}]\n',
      {
        transitions: [
          {
            from: 'build',
            to: 'hosts',
            context: 'keep',
            preserve: ['summary'],
          },
          { from: 'hosts', to: 'report', context: 'compact' },
        ],
      },
    ],
  ])('with %s', (_what, child, expected) => {
    expect(template(child)).toMatchObject({ name: 'Child', ...expected });
  });
});

describe('a problem is reported for the file that contains it', () => {
  const CHILD = 'name: Child\nextends: base\n';
  const twoLoops = `${CHILD}steps: [{id: regions, type: loop}]\nloops: {regions: [{id: copy, instructions: x}]}\n`;
  test.each<[string, Record<string, string>, string]>([
    [
      'in the parent',
      {
        'child.yaml': CHILD,
        base: base.replace('type: action', 'type: acton'),
      },
      'base:8: step "build": "type" must be one of action, loop, ralph, approval, not "acton"',
    ],
    [
      'in the child, at its own line',
      {
        'child.yaml': `${CHILD}steps:\n  - id: build\n    agent: bilder\n`,
        base,
      },
      'child.yaml:5: step "build": there is no agent "bilder"; did you mean "builder"?',
    ],
    [
      'caused by overriding, at the child',
      {
        'child.yaml': twoLoops,
        base: base.replace('  hosts:\n    - id', '  machines:\n    - id'),
      },
      'child.yaml:2: step "hosts": which loop it walks is not clear; "loop" must be one of machines, regions',
    ],
    [
      'a circle',
      {
        'child.yaml': 'name: A\nextends: b\n',
        b: 'name: B\nextends: child.yaml\n',
      },
      'b:2: "extends" goes in a circle: child.yaml, b, child.yaml',
    ],
  ])('%s', (_what, files, problem) => {
    expect(problems(files)).toEqual([problem]);
  });

  test('five templates may stand behind one, a sixth may not', () => {
    const family = (length: number): Record<string, string> => ({
      'child.yaml': 'name: Child\nextends: p1\n',
      ...Object.fromEntries(
        Array.from({ length: length - 1 }, (_, index) => [
          `p${index + 1}`,
          stringify({ name: 'P', extends: `p${index + 2}` }),
        ]),
      ),
      [`p${length}`]: base,
    });
    expect(problems(family(5))).toEqual([]);
    expect(problems(family(6))).toEqual([
      'p5:2: "extends" leads through more than 5 templates: child.yaml, p1, p2, p3, p4, p5',
    ]);
  });
});
