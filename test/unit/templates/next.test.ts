import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  continuePrompt,
  nextAction,
  positionKey,
  type MachineFacts,
  type NextActionInput,
} from '../../../src/templates/next.ts';
import { anyCharacter } from '../../support/arbitraries.ts';

const RUN_ID = 'release-20250601_120000';
const PLAN = `${RUN_ID}/step=plan`;
const BUILD = `${RUN_ID}/step=build`;

const atBuild = (facts: Partial<MachineFacts> = {}): MachineFacts => ({
  status: 'running',
  step: 'build',
  position: BUILD,
  contextAction: null,
  isWaitingForTasks: false,
  isWaitingForApproval: false,
  isLimitReached: false,
  ...facts,
});

const inputWith = (fields: Partial<NextActionInput> = {}): NextActionInput => ({
  runId: RUN_ID,
  runStatus: 'in_progress',
  phaseStatus: 'in_progress',
  machine: atBuild(),
  mode: 'auto',
  lastPrompted: PLAN,
  ...fields,
});

const PROMPT = continuePrompt(RUN_ID, 'build');

describe('a run that moved from one step to the next', () => {
  test.each([
    ['no context action', null, 'none'],
    ['a compaction that is due', { command: '/compact', state: 'due' }, 'compact'],
    ['a compaction that was asked for', { command: '/compact', state: 'requested' }, 'compact'],
    ['a compaction that was performed', { command: '/compact', state: 'performed' }, 'none'],
  ] as const)('with %s is prompted for', (_what, contextAction, perform) => {
    const input = inputWith({ machine: atBuild({ contextAction }) });
    expect(nextAction(input)).toEqual({ perform, prompt: PROMPT, stop: null });
  });
});

describe('a run stops', () => {
  test.each<[string, Partial<NextActionInput>, string]>([
    ['when it is completed', { runStatus: 'completed' }, 'done'],
    ['after its last step', { machine: atBuild({ status: 'complete' }) }, 'done'],
    ['while it is paused', { runStatus: 'paused' }, 'paused'],
    ['when a step failed for good', { machine: atBuild({ status: 'failed' }) }, 'failed'],
    [
      'when the retries are used up',
      { runStatus: 'failed', machine: atBuild({ status: 'failed', isLimitReached: true }) },
      'limit',
    ],
    [
      'when a pivot was refused',
      { phaseStatus: 'blocked', machine: atBuild({ isLimitReached: true }) },
      'limit',
    ],
    ['while it is blocked', { phaseStatus: 'blocked' }, 'blocked'],
    ['at an approval', { machine: atBuild({ isWaitingForApproval: true }) }, 'approval'],
    ['at a loop without tasks', { machine: atBuild({ isWaitingForTasks: true }) }, 'tasks'],
    ['when the agent did not move it', { lastPrompted: BUILD }, 'waiting'],
    ['when the user is to be asked', { mode: 'ask' }, 'waiting'],
    ['when it has no template', { machine: null }, 'waiting'],
  ])('%s', (_when, fields, stop) => {
    expect(nextAction(inputWith(fields))).toEqual({ perform: 'none', prompt: null, stop });
  });
});

const anyMachine: fc.Arbitrary<MachineFacts> = fc.record({
  status: fc.constantFrom('running', 'complete', 'failed'),
  step: fc.string({ unit: anyCharacter }),
  position: fc.constantFrom(PLAN, BUILD),
  contextAction: fc.option(
    fc.record({
      command: fc.constantFrom('/compact', '/clear'),
      state: fc.constantFrom('due', 'requested', 'performed'),
    }),
  ),
  isWaitingForTasks: fc.boolean(),
  isWaitingForApproval: fc.boolean(),
  isLimitReached: fc.boolean(),
});

const anyInput: fc.Arbitrary<NextActionInput> = fc.record({
  runId: fc.constant(RUN_ID),
  runStatus: fc.constantFrom('in_progress', 'paused', 'failed', 'completed', 'cancelled'),
  phaseStatus: fc.constantFrom('not_started', 'in_progress', 'completed', 'blocked'),
  machine: fc.option(anyMachine),
  mode: fc.constantFrom('auto', 'ask'),
  lastPrompted: fc.constantFrom(null, PLAN, BUILD),
});

test('any run has either a prompt or a reason to stop, and is prompted for once at a position', () => {
  fc.assert(
    fc.property(anyInput, (input) => {
      const { perform, prompt, stop } = nextAction(input);
      expect(prompt === null).toBe(stop !== null);
      const lastPrompted = input.machine?.position ?? null;
      expect(nextAction({ ...input, lastPrompted }).stop).not.toBeNull();
      if (stop !== null) expect(perform).toBe('none');
      else
        expect(input).toMatchObject({
          runStatus: 'in_progress',
          mode: 'auto',
          machine: { status: 'running', isWaitingForApproval: false, isWaitingForTasks: false },
        });
    }),
  );
});

test('the prompt is one sentence frame with identifiers in it, whatever the template says', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: anyCharacter }),
      fc.string({ unit: anyCharacter }),
      (run, step) => {
        expect(continuePrompt(run, step)).toMatch(
          /^Continue the holdfast run( [\p{L}\p{N}._-]+)?( at step [\p{L}\p{N}._-]+)?\. `holdfast status` shows the instructions of this step, `holdfast advance` finishes it\. If you need the user, say what for and stop\.$/u,
        );
      },
    ),
  );
});

test('the position key changes with every entry, and not with what an agent writes meanwhile', () => {
  const task = { index: 0, id: 't1', title: 'Basket' };
  const entries = [
    { step: 'build' },
    { step: 'ship' },
    { step: 'build', task },
    { step: 'build', task: { ...task, index: 1 } },
    { step: 'build', task, subStep: 'code' },
    { step: 'build', task, subStep: 'check' },
    { step: 'polish', ralphIteration: 1 },
    { step: 'polish', ralphIteration: 2 },
    { step: 'build', retries: 1 },
    { step: 'build', pivots: 1 },
    { step: 'build', pivots: 2 },
  ];
  const keys = ['a', 'b'].flatMap((runId) => entries.map((entry) => positionKey(runId, entry)));
  expect(new Set(keys).size).toBe(keys.length);
  const written = { step: 'build', outputs: { plan: 'x' }, contextActionExecuted: true };
  expect(positionKey('a', written)).toBe(positionKey('a', { step: 'build' }));
});
