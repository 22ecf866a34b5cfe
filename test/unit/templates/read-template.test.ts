import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkTemplate } from '../../../src/templates/find-template.ts';
import {
  readTemplate,
  type TemplateReading,
} from '../../../src/templates/read-template.ts';
import { makeProject } from '../../support/project.ts';

const fixtures = new URL('../../fixtures/templates/', import.meta.url);
const textOf = (path: string): string =>
  readFileSync(new URL(path, fixtures), 'utf8');

const read = (text: string, file = 't.yaml'): TemplateReading =>
  readTemplate({ file, text }, () => 'there is no such file');

const problemsOf = (text: string, file = 't.yaml'): string[] => {
  const reading = read(text, file);
  return reading.kind === 'invalid'
    ? reading.problems.map(({ line, message }) => `${line}: ${message}`)
    : [];
};

const minimal = {
  name: 'Deploy',
  description: 'Brings it to the servers',
  steps: [{ id: 'build', type: 'action', instructions: 'Build it' }],
};

const rejected = [
  'action-without-instructions.yaml:4: step "build": "instructions" is missing',
  'alias-bomb.yaml:1: it has too many aliases, or is larger than 1 MB with its aliases resolved',
  'ambiguous-loop.yaml:4: step "ship": which loop it walks is not clear; "loop" must be one of hosts, regions',
  'approval-on-reject-later.yaml:6: step "agree": "on_reject" must name an earlier step, not "ship"',
  'approval-on-reject-nowhere.yaml:9: step "agree": "on_reject": there is no step "biuld"; did you mean "build"?',
  'artefacts-as-text.yaml:7: step "build": "artefacts" must be true or false or a list, not "plan.md"',
  'artifact-list.yaml:8: critical_artifacts: unknown key "always"; available: always_load, conditional_load, phase_specific',
  'artifact-trigger.yaml:12: always_load, artifact "spec": entry 1 of "reload_triggers" must be session_start, compaction, manual, phase_start:X, phase_transition or phase_transition:A->B, not "compacted"',
  'artifact-type.yaml:9: phase_specific, artifact "spec": "type" is missing; it must be one of json, markdown, directory, work_plugin, skill, git_info',
  'artifact-without-path.yaml:9: always_load, artifact "spec": it needs one of path, path_from_state, command',
  'artifacts-for-artefacts.yaml:7: step "build": unknown key "artifacts"; did you mean "artefacts"?',
  'bad-id.yaml:4: step "build it": "id" must consist of letters, digits, - and _, at most 100 of them',
  'binary-tag.yaml:1: tags are not supported ("binary")',
  'blank-name.yaml:1: "name" must not be blank',
  'child-transition.yaml:4: transition 1: "to": there is no step "ship"; there are: plan, build, verify',
  'child-type.yaml:4: step "build": no loop is defined for it; give its sub-steps under "loops"',
  'comment.json:2: not JSON: a comment',
  'deep.yaml:3: it is nested more than 50 levels deep',
  'duplicate-key.yaml:3: the key "description" is there twice',
  'duplicate-step.yaml:7: step "build": this id is there twice',
  'duplicate-transition.yaml:12: transition 2: the same "from" and "to" are there twice',
  'empty-steps.yaml:3: "steps" must not be empty',
  'empty-value.yaml:2: "description" is empty',
  'empty.yaml:1: a template is a mapping with name, description and steps',
  'input-unknown-key.yaml:5: input "target": unknown key "defualt"; did you mean "default"?',
  'list-as-key.yaml:3: a key must be a word, not a list, a mapping or an alias',
  'loop-not-defined.yaml:4: step "ship": no loop is defined for it; give its sub-steps under "loops"',
  'loop-on-action.yaml:7: step "build": "loop" means something for loop steps only, and this one is of type action',
  'max-pivots.yaml:3: "max_pivots" must be a whole number, not "many"',
  'merge-key.yaml:8: step "ship": merge keys (<<) are not supported; use "extends", or repeat the lines',
  'mistyped-key.yaml:6: step "build": unknown key "instruction"; did you mean "instructions"?',
  'n-on-action.yaml:7: step "build": "n" means something for ralph steps only, and this one is of type action',
  'n-zero.yaml:7: step "polish": "n" must be at least 1, not 0',
  'nested-mapping.yaml:5: not YAML: "Nested mappings are not allowed in compact mappings"',
  'no-agents.yaml:6: step "build": there is no agent "builder"; none is defined under "agents"',
  'no-anchor.yaml:1: not YAML: "Unresolved alias (the anchor must be set before the alias): name"',
  'no-id.yaml:7: step 2: "id" is missing',
  'no-steps.yaml:1: "steps" is missing',
  'no-type.yaml:4: step "build": "type" is missing; it must be one of action, loop, ralph, approval',
  'not-json.json:3: not JSON: value expected',
  'nul.yaml:3: it contains a NUL character',
  'number-as-name.yaml:1: "name" must be text, not 2024',
  'parent-file.yaml:2: "extends" names "./base.yaml": there is no such file in the project',
  'parent-of-the-name.yaml:2: "extends" names "nothing-like-that": there is no such template here; available: bugfix, code-review-cycle, context-example, default, feature, planning, qa-loop; `holdfast templates` lists them',
  'placeholder-unknown-input.yaml:9: step "build": {inputs.tagret}: there is no input "tagret"; did you mean "target"?',
  'placeholder-unknown-output.yaml:6: step "build": {outputs.plan.1}: there is no step "plan"; there are: build',
  'ralph-without-n.yaml:4: step "polish": "n" is missing',
  'resume.yaml:3: "resume" must be one of auto, not "always"',
  'step-as-text.yaml:4: step 1 must be an object, not "build"',
  'sub-step-without-instructions.yaml:10: loop "ship", sub-step "check": "instructions" is missing',
  'transition-context.yaml:10: transition 1: "context" must be one of clear, compact, keep, not "reset"',
  'transition-from-nowhere.yaml:8: transition 1: "from": there is no step "biuld"; did you mean "build"?',
  'two-documents.yaml:7: it holds several documents; a template is one',
  'unknown-agent.yaml:9: step "build": there is no agent "bilder"; did you mean "builder"?',
  'unknown-context.yaml:6: step "build": "context" must be one of compact, clear, not "reset"',
  'unknown-key.yaml:3: unknown key "owner"; available: name, description, extends, resume, max_pivots, max_retries, agents, inputs, steps, loops, transitions, critical_artifacts',
  'unknown-loop.yaml:6: step "ship": there is no loop "host"; did you mean "hosts"?',
  'unknown-on-fail.yaml:6: step "build": "on_fail" must be one of retry, skip, abort, not "ignore"',
  'unknown-parent.yaml:2: "extends" names "featur": there is no such template here; did you mean feature? `holdfast templates` lists them',
  'unknown-type.yaml:5: step "build": "type" must be one of action, loop, ralph, approval, not "acton"',
  'unusable-id.yaml:4: step "__proto__": this id cannot be used',
  'when-not-a-condition.yaml:7: step "build": "when" is not a condition: "process" is not expected there',
];

describe('a bad template is rejected with its file, its line and its element', () => {
  test.each(rejected)('%s', (expected) => {
    const file = expected.slice(0, expected.indexOf(':'));
    const { root } = makeProject();
    const problems = checkTemplate(root, { file, text: textOf(`bad/${file}`) });
    const lines = problems.map(
      (problem) => `${problem.file}:${problem.line}: ${problem.message}`,
    );
    expect(lines).toEqual([expected]);
  });
});

describe('a good template is read', () => {
  test.each(readdirSync(new URL('good', fixtures)))('%s', (file) => {
    expect(problemsOf(textOf(`good/${file}`), file)).toEqual([]);
  });
});

describe('all problems are reported', () => {
  test('in the order of their lines', () => {
    const text = `name: Deploy
steps:
  - id: build
    type: acton
    agent: nobody
  - id: build
    type: ralph
    n: -1
color: red
`;
    expect(problemsOf(text)).toEqual([
      '1: "description" is missing',
      '4: step "build": "type" must be one of action, loop, ralph, approval, not "acton"',
      '6: step "build": "instructions" is missing',
      '6: step "build": this id is there twice',
      '8: step "build": "n" must be at least 1, not -1',
      expect.stringContaining('9: unknown key "color"'),
    ]);
  });

  test('and text of the file cannot pass for a line of ours or steer the terminal', () => {
    const [line = ''] = problemsOf(
      JSON.stringify({ ...minimal, 'a\nb\u001b[31m\u202e': 1 }),
      't.json',
    );
    expect(line).toContain('unknown key "a b [31m"');
  });
});

describe('a text that would exhaust a parser is refused at once', () => {
  const MEGABYTE = 1_000_000;
  const DEEP = '1: it is nested more than 50 levels deep';
  const MANY = expect.stringContaining(
    'it has more than 200000 words and signs',
  );
  const cases: [what: string, text: string, expected: string][] = [
    ['open brackets', '['.repeat(MEGABYTE), DEEP],
    ['lines', 'a: b\n'.repeat(60_000), MANY],
    [
      'aliases',
      `- &a x\n${'- *a\n'.repeat(1000)}`,
      '1: it has too many aliases, or is larger than 1 MB with its aliases resolved',
    ],
    ['letters', 'x'.repeat(MEGABYTE + 1), '1: it is larger than 1 MB'],
  ];
  test.each(cases)('%s', (_what, text, expected) => {
    expect(problemsOf(text)).toEqual([expected]);
    expect(problemsOf(text, 't.json')).toHaveLength(1);
  });
});
