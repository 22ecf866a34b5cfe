import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RunState } from '../../../src/state/types.ts';
import { nextAction, positionKey } from '../../../src/templates/next.ts';
import {
  startTemplateRun,
  stateWithMachine,
} from '../../../src/state/template-run.ts';
import type { Template } from '../../../src/machine/template-types.generated.ts';
import { anyCharacter } from '../../support/arbitraries.ts';
import { anyTemplate, played, templateOf } from '../../support/templates.ts';
import { draftRun } from '../../../src/state/run.ts';
import { continuePrompt } from '../../../src/templates/continue-prompt.ts';

const RUN_ID = 'release-20250601_120000';

/** A run of the template after these moves. */
const runAfter = (
  template: Template,
  moves: string,
  fields: Partial<RunState> = {},
) => {
  const started = startTemplateRun(template, undefined, new Date());
  const state = stateWithMachine(started, played(template, moves));
  return draftRun({ ...state, ...fields, run_id: RUN_ID });
};

const PROMPT = continuePrompt(RUN_ID, 'build');

test.each([
  ['no context action', '', 'next', 'none'],
  ['a compaction that is due', '@compact', 'next', 'compact'],
  ['a compaction that was asked for', '@compact', 'next asked', 'compact'],
  ['a compaction that was performed', '@compact', 'next asked compact', 'none'],
])(
  'a run that moved to the next step with %s is prompted for',
  (_what, mark, moves, perform) => {
    const run = runAfter(templateOf(`plan build${mark}`), moves);
    expect(nextAction(run, 'auto', null).next).toEqual({
      perform,
      prompt: PROMPT,
      stop: null,
    });
  },
);

const blocked = {
  phase: { current: 1, total: 2, name: 'A', status: 'blocked' as const },
};

describe('a run stops', () => {
  test.each<[string, string, string, Partial<RunState>, string]>([
    ['when it is completed', 'plan', '', { status: 'completed' }, 'done'],
    ['after its last step', 'plan', 'next', {}, 'done'],
    ['while it is paused', 'plan', '', { status: 'paused' }, 'paused'],
    ['when a step failed for good', 'plan', 'fail', {}, 'failed'],
    [
      'when the retries are used up',
      'plan!retry',
      'fail fail fail fail',
      {},
      'limit',
    ],
    [
      'when a pivot was refused',
      'plan build',
      'next pivot:plan '.repeat(6),
      blocked,
      'limit',
    ],
    ['while it is blocked', 'plan', '', blocked, 'blocked'],
    ['at an approval', 'plan agree?', 'next', {}, 'approval'],
    ['at a loop without tasks', 'items[write]', '', {}, 'tasks'],
  ])('%s', (_when, line, moves, fields, stop) => {
    const { next } = nextAction(
      runAfter(templateOf(line), moves, fields),
      'auto',
      null,
    );
    expect(next).toEqual({ perform: 'none', prompt: null, stop });
  });

  test('when it has no template', () => {
    const {
      template: _template,
      machine: _machine,
      ...state
    } = runAfter(templateOf('plan'), '').state;
    expect(nextAction(draftRun(state), 'auto', null).next.stop).toBe('waiting');
  });
});

test('any run has either a prompt or a reason to stop, and is prompted for once at a position', () => {
  const moves = fc.array(fc.constantFrom('next', 'asked', 'compact', 'clear'), {
    maxLength: 4,
  });
  fc.assert(
    fc.property(
      anyTemplate(),
      moves,
      fc.constantFrom('in_progress', 'paused', 'failed', 'completed'),
      fc.constantFrom('auto', 'ask'),
      (template, list, status, mode) => {
        const state = startTemplateRun(template, undefined, new Date());
        let machine = played(template, '');
        for (const [index] of list.entries())
          try {
            machine = played(template, list.slice(0, index + 1).join(' '));
          } catch {
            break; // The machine refuses the move.
          }
        const run = draftRun({
          ...stateWithMachine(state, machine),
          run_id: RUN_ID,
          status,
        });
        const { next, position } = nextAction(run, mode, null);
        expect(next.prompt === null).toBe(next.stop !== null);
        expect(nextAction(run, mode, position).next.stop).not.toBeNull();
        if (next.stop !== null) expect(next.perform).toBe('none');
        else
          expect([status, mode, machine.state.status]).toEqual([
            'in_progress',
            'auto',
            'running',
          ]);
      },
    ),
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
  const keys = ['a', 'b'].flatMap((runId) =>
    entries.map((entry) => positionKey(runId, entry)),
  );
  expect(new Set(keys).size).toBe(keys.length);
  const written = {
    step: 'build',
    outputs: { plan: 'x' },
    contextActionExecuted: true,
  };
  expect(positionKey('a', written)).toBe(positionKey('a', { step: 'build' }));
});
