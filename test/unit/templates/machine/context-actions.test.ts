import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { WorkflowStateMachine } from '../../../../src/templates/machine/machine.ts';
import { readTemplate } from '../../../../src/templates/read-template.ts';
import type { Transition } from '../../../../src/templates/template-types.generated.ts';
import { play, started, templateOf } from '../../../support/templates.ts';

/** The steps of a line as a file, read by the loader; or what is wrong with it. */
function load(line: string, context?: Transition['context']): WorkflowStateMachine | string {
  const moved = context && { transitions: [{ from: 'a', to: 'b', context }] };
  const text = stringify(templateOf(line, moved));
  const reading = readTemplate({ file: 't.yaml', text }, () => 'there is no such file');
  if (reading.kind === 'template') return started(reading.template);
  return reading.problems.map((problem) => `${problem.line}: ${problem.message}`).join('\n');
}

const PAIR = 'items[write review]@clear';

test.each<
  [rule: string, line: string, moves: string, action: string | null, Transition['context']?]
>([
  ['an action step has compact', 'a@compact', '', 'compact'],
  ['an action step has clear', 'a@clear', '', 'clear'],
  ['an action step has none', 'a', '', null],
  ['a loop step has none while it waits for tasks', PAIR, '', null],
  ['a loop step has one before each sub-step', PAIR, 'tasks:items=A,B asked next', 'clear'],
  ['a sub-step has its own', 'items[write review@compact]', 'tasks:items=A next', 'compact'],
  ['a ralph step has one before each iteration', 'p:2@clear', 'asked next', 'clear'],
  ['a sub-step beats its step', 'items[write@compact]@clear', 'tasks:items=A', 'compact'],
  ['a transition beats the step', 'a b@compact', 'next', 'clear', 'clear'],
  ['keep cancels that of the step', 'a b@compact', 'next', null, 'keep'],
  ['it is due once', 'a@compact', 'asked', null],
  ['the next entry resets it', 'a@compact b@compact', 'asked next', 'compact'],
  ['it stays executed when restored', 'a@clear', 'asked restored', null],
  ['it stays due when restored', 'a@clear', 'restored', 'clear'],
  ['it stays due in a restored task', PAIR, 'tasks:items=A asked next restored', 'clear'],
  ['a finished run has none', 'a@clear', 'next', null],
])('%s', (_rule, line, moves, expected, transition) => {
  let machine = load(line, transition);
  if (typeof machine === 'string') throw new Error(machine);
  for (const move of moves.split(' ').filter((word) => word !== '')) {
    if (move !== 'restored') play(machine, move);
    // Other programs store only whether it was executed.
    const { contextAction: _action, ...state } = machine.getState();
    if (move === 'restored') machine = WorkflowStateMachine.fromState(machine.template, state);
  }
  expect(machine.getContextActionIfNeeded()).toBe(expected);
  machine.markContextActionExecuted();
  expect(machine.getContextActionIfNeeded()).toBeNull();
});

test.each([
  ['accepts both on steps and sub-steps', 'a@clear items[write@compact]@clear', expect.anything()],
  [
    'rejects another on a step',
    'a@wipe',
    /^\d+: step "a": "context" must be one of compact, clear/,
  ],
  [
    'rejects another on a sub-step',
    'b[x@wipe]',
    /^\d+: .*"x": "context" must be one of compact, clear/,
  ],
])('the loader %s', (_rule, line, expected) => {
  const loaded = load(line);
  if (expected instanceof RegExp) expect(loaded).toMatch(expected);
  else expect(loaded).toEqual(expected);
});
