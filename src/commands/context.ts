import { contextActionText } from '../guidance/context-action-text.ts';
import { withRun } from '../runs/change-run.ts';
import { requireActive, runToRead } from '../runs/which-run.ts';
import type { OperationContext } from '../sessions/open-project.ts';
import type { StoredRun } from '../state/types.ts';
import { contextActionHappened, contextActionOf } from '../templates/run-view.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { command } from './command.ts';
import { flag } from './options.ts';
import { outputsTool } from './view/outputs-reply.ts';

export const contextAction = command({
  usage: 'context [run]',
  about: 'show whether the step needs /compact or /clear first, and whether that has happened',
  examples: ['holdfast context', 'holdfast context --done'],
  agent: 'may',
  options: { done: flag('record it as performed, if no hook could observe it') },
  run: (context, { run, done }) =>
    done ? performContextAction(context, run) : runToRead(context, run).run,
  show: (_cli, { runId, state }, { done }) => {
    const action = contextActionOf(state);
    const recorded = `${action?.command ?? 'The context action'} is recorded as performed for ${runId}.\nNext: holdfast status prints the instructions of the step`;
    const found = action === null ? 'This step has no context action.' : contextActionText(action);
    return {
      data: { run_id: runId, context_action: action },
      text: done ? recorded : found,
    };
  },
  tool: outputsTool,
});

/** Not an option of `context`, which the agent may call without asking: only the user switches this. */
export const autopilot = command({
  usage: 'autopilot <mode> [run]',
  about: 'who runs the /compact and /clear of this run: Claude Code, or you',
  examples: ['holdfast autopilot ask', 'holdfast autopilot auto user-auth'],
  words: {
    mode: {
      about: 'auto: Claude Code runs them and continues with the next step; ask: the steps ask you',
      choices: ['auto', 'ask'],
    },
    run: { about: 'the run to switch' },
  },
  run: (context, { mode, run }) => {
    const perform = mode === 'auto' ? 'auto' : 'ask';
    return withRun(context, run, (found, tx, log) =>
      tx.write(found, { ...found.state, perform }, log({ event: 'updated', changes: { perform } })),
    );
  },
  show: (_cli, { runId }, { mode }) => ({
    data: { run_id: runId, perform: mode },
    text:
      mode === 'auto'
        ? `${runId} continues from step to step on its own, with Claude Code 2.1.286 or newer.\nNext: holdfast status; holdfast autopilot ask switches it off`
        : `${runId} asks before each /compact and /clear, and waits for you after each step.\nNext: holdfast status; holdfast autopilot auto switches it on`,
  }),
});

/** Records a context action as performed where no hook could observe it. */
function performContextAction(context: OperationContext, name: string | undefined): StoredRun {
  return withRun(context, name, (run, tx, log) => {
    requireActive(run, 'context --done');
    const action = contextActionOf(run.state);
    if (action === null)
      throw new HoldfastError(
        'no_context_action',
        `the current step of ${run.runId} asks for neither /compact nor /clear`,
        { hint: '`holdfast status` shows what the step asks for' },
      );
    if (action.state === 'performed') return run;
    const kind = action.command === '/clear' ? 'clear' : 'compact';
    const state = contextActionHappened(run.state, kind, context.now.toISOString());
    return tx.write(run, state, log({ event: 'context', performed: action.command }));
  });
}
