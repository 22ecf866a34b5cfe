import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { readTemplate, type TemplateReading } from '../../../src/templates/read-template.ts';

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
critical_artifacts:
  always_load:
    - {id: spec, type: markdown, path: spec.md, reload_triggers: [compaction]}
`;

const read = (files: Record<string, string>, file = 'child.yaml'): TemplateReading =>
  readTemplate({ file, text: files[file] ?? '' }, (name) => {
    const text = files[name];
    return text === undefined ? 'there is no such file' : { file: name, text };
  });

function template(child: string): unknown {
  const reading = read({ 'child.yaml': `name: Child\nextends: base\n${child}`, base });
  if (reading.kind === 'invalid') throw new Error(JSON.stringify(reading.problems));
  return reading.template;
}

const problems = (files: Record<string, string>): string[] => {
  const reading = read(files);
  return reading.kind === 'template'
    ? []
    : reading.problems.map(({ file, line, message }) => `${file}:${line}: ${message}`);
};

describe('a template that extends another has all of it', () => {
  test('under its own name, and says nothing of where it came from', () => {
    expect(template('')).toEqual({ ...parse(base), name: 'Child' });
  });

  test('a value of its own replaces the inherited one', () => {
    expect(template('description: Mine\nmax_pivots: 9\nresume: auto\n')).toMatchObject({
      name: 'Child',
      description: 'Mine',
      max_pivots: 9,
      resume: 'auto',
    });
  });

  test('a step of the same id is changed in its place, a new one comes last', () => {
    const child = `steps:
  - {id: smoke, type: action, instructions: Try it}
  - {id: build, gate: make test}
`;
    expect(template(child)).toMatchObject({
      steps: [
        { id: 'build', type: 'action', instructions: 'Build it', gate: 'make test' },
        { id: 'hosts' },
        { id: 'report' },
        { id: 'smoke', type: 'action', instructions: 'Try it' },
      ],
    });
  });

  test('sub-steps are merged by id within their loop, other loops are added', () => {
    const child = `loops:
  hosts:
    - {id: check, on_fail: retry}
    - {id: warm, instructions: Warm it up}
  regions:
    - {id: copy, instructions: Copy it}
steps:
  - {id: regions, type: loop}
`;
    expect(template(child)).toMatchObject({
      loops: {
        hosts: [
          { id: 'copy', instructions: 'Copy it' },
          { id: 'check', instructions: 'Check it', on_fail: 'retry' },
          { id: 'warm', instructions: 'Warm it up' },
        ],
        regions: [{ id: 'copy' }],
      },
    });
  });

  test('agents are merged by id', () => {
    const child = 'agents: {builder: {description: Builds fast}, tester: {description: Tests}}\n';
    expect(template(child)).toMatchObject({
      agents: { builder: { description: 'Builds fast' }, tester: { description: 'Tests' } },
    });
  });

  test('transitions are merged by where they lead from and to', () => {
    const child = `transitions:
  - {from: build, to: hosts, context: keep}
  - {from: hosts, to: report, context: compact}
`;
    expect(template(child)).toMatchObject({
      transitions: [
        { from: 'build', to: 'hosts', context: 'keep', preserve: ['summary'] },
        { from: 'hosts', to: 'report', context: 'compact' },
      ],
    });
  });

  test('critical artifacts are merged by id in each of their lists', () => {
    const child = `critical_artifacts:
  always_load:
    - {id: spec, required: true}
  phase_specific:
    - {id: log, type: git_info, reload_triggers: [manual]}
`;
    expect(template(child)).toMatchObject({
      critical_artifacts: {
        always_load: [{ id: 'spec', path: 'spec.md', required: true }],
        phase_specific: [{ id: 'log' }],
      },
    });
  });

  test('a grandchild has what both before it have', () => {
    const reading = read({
      'child.yaml': 'name: Child\nextends: middle\nsteps: [{id: build, title: Mine}]\n',
      middle: 'name: Middle\nextends: base\nsteps: [{id: build, phase: Its}]\n',
      base,
    });
    expect(reading).toMatchObject({
      template: {
        name: 'Child',
        steps: [{ gate: 'npm test', phase: 'Its', title: 'Mine' }, {}, {}],
      },
    });
  });

  test('keys that every object has are not taken for inherited ones', () => {
    const loops = 'loops: {constructor: [{id: copy, instructions: Copy it}]}\n';
    expect(template(`${loops}steps: [{id: constructor, type: loop}]\n`)).toMatchObject({
      loops: { hosts: expect.anything(), constructor: [{ id: 'copy' }] },
    });
  });
});

describe('a problem is reported for the file that contains it', () => {
  test('in the parent', () => {
    const broken = base.replace('type: action', 'type: acton');
    expect(problems({ 'child.yaml': 'name: Child\nextends: base\n', base: broken })).toEqual([
      'base:8: step "build": "type" must be one of action, loop, ralph, approval, not "acton"',
    ]);
  });

  test('in the child, at its own line', () => {
    const child = 'name: Child\nextends: base\nsteps:\n  - id: build\n    agent: bilder\n';
    expect(problems({ 'child.yaml': child, base })).toEqual([
      'child.yaml:5: step "build": there is no agent "bilder"; did you mean "builder"?',
    ]);
  });

  test('a problem caused by overriding is reported at the child', () => {
    const child = `name: Child
extends: base
steps:
  - {id: regions, type: loop}
loops:
  regions: [{id: copy, instructions: Copy it}]
`;
    const parent = base.replace('  hosts:\n    - id: copy', '  machines:\n    - id: copy');
    expect(problems({ 'child.yaml': child, base: parent })).toEqual([
      'child.yaml:2: step "hosts": which loop it walks is not clear; "loop" must be one of machines, regions',
    ]);
  });

  test('ids that are there twice in the child', () => {
    const child = 'name: Child\nextends: base\nsteps:\n  - {id: build}\n  - {id: build}\n';
    expect(problems({ 'child.yaml': child, base })).toEqual([
      'child.yaml:5: step "build": this id is there twice',
    ]);
  });
});

describe('a family has an end', () => {
  test('a circle is refused with its members', () => {
    const files = { 'child.yaml': 'name: A\nextends: b\n', b: 'name: B\nextends: child.yaml\n' };
    expect(problems(files)).toEqual(['b:2: "extends" goes in a circle: child.yaml, b, child.yaml']);
  });

  test('a template cannot extend itself', () => {
    expect(problems({ 'child.yaml': 'name: A\nextends: child.yaml\n' })).toEqual([
      'child.yaml:2: "extends" goes in a circle: child.yaml, child.yaml',
    ]);
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
