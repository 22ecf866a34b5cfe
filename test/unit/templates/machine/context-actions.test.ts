import { expect, test } from 'vitest';
import { WorkflowStateMachine } from '../../../../src/machine/machine.ts';
import type { Transition } from '../../../../src/machine/template-types.generated.ts';
import { play, started, templateOf } from '../../../support/templates.ts';

const PAIR = 'items[write review]@clear';

test.each<
  [
    rule: string,
    line: string,
    moves: string,
    action: string | null,
    Transition['context']?,
  ]
>([
  ['an action step has compact', 'a@compact', '', 'compact'],
  ['a loop step has none while it waits for tasks', PAIR, '', null],
  [
    'a loop step has one before each sub-step',
    PAIR,
    'tasks:items=A,B asked next',
    'clear',
  ],
  [
    'a sub-step has its own',
    'items[write review@compact]',
    'tasks:items=A next',
    'compact',
  ],
  [
    'a ralph step has one before each iteration',
    'p:2@clear',
    'asked next',
    'clear',
  ],
  [
    'a sub-step beats its step',
    'items[write@compact]@clear',
    'tasks:items=A',
    'compact',
  ],
  ['a transition beats the step', 'a b@compact', 'next', 'clear', 'clear'],
  ['keep cancels that of the step', 'a b@compact', 'next', null, 'keep'],
  ['the next entry resets it', 'a@compact b@compact', 'asked next', 'compact'],
  ['it stays executed when restored', 'a@clear', 'asked restored', null],
  [
    'it stays due in a restored task',
    PAIR,
    'tasks:items=A asked next restored',
    'clear',
  ],
  ['a finished run has none', 'a@clear', 'next', null],
])('%s', (_rule, line, moves, expected, transition) => {
  const moved = transition && {
    transitions: [{ from: 'a', to: 'b', context: transition }],
  };
  let machine = started(templateOf(line, moved));
  for (const move of moves.split(' ').filter((word) => word !== '')) {
    if (move !== 'restored') play(machine, move);
    // Other programs store only whether it was executed.
    const { contextAction: _action, ...state } = machine.getState();
    if (move === 'restored')
      machine = WorkflowStateMachine.fromState(machine.template, state);
  }
  expect(machine.getContextActionIfNeeded()).toBe(expected);
  machine.markContextActionExecuted();
  expect(machine.getContextActionIfNeeded()).toBeNull();
});
