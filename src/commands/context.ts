import { contextActionText } from '../guidance/step.ts';
import { withRun } from '../runs/change-run.ts';
import { requireActive, runToRead, runToShow } from '../runs/which-run.ts';
import type { OperationContext } from '../sessions/open-project.ts';
import type { StoredRun } from '../state/types.ts';
import { contextActionHappened, contextActionOf } from '../state/progress.ts';
import { HoldfastError, badValue } from '../text/holdfast-error.ts';
import { pluralize } from '../text/relative-time.ts';
import { truncate } from '../text/sanitize.ts';
import { command, RUN, tool } from './command.ts';
import { flag } from './options.ts';
import { requireUsable } from '../state/run.ts';

/** The host accepts replies of at most 25,000 tokens. */
const MAX_OUTPUTS = 50_000;
const MAX_OUTPUT = 10_000;

function contextOf(found: StoredRun): object {
  const run = requireUsable(found);
  const { runId, state } = run;
  const heading = { run: runId, workflow: state.workflow };
  if (run.kind === 'template') {
    const { summary, outputs, artefacts } = run.machine;
    // A summary that is undefined is left out of the JSON.
    return {
      ...heading,
      summary,
      ...latestOutputs(runId, Object.entries(outputs)),
      artefacts,
    };
  }
  const phases = Object.entries(state.outputs ?? {});
  const texts = phases.flatMap(([phase, { text }]): [string, string][] =>
    text === undefined ? [] : [[phase, text]],
  );
  const artefacts = Object.fromEntries(
    phases.map(([phase, made]) => [phase, made.artefacts]),
  );
  return {
    ...heading,
    context: state.context ?? {},
    ...latestOutputs(runId, texts),
    artefacts,
  };
}

function latestOutputs(
  runId: string,
  outputs: readonly (readonly [string, string])[],
): object {
  const where = `\`holdfast show ${runId} --json\``;
  const cut = outputs.map(
    ([step, text]) => [step, cutOutput(text, where)] as const,
  );
  let left = MAX_OUTPUTS;
  const omitted =
    cut.findLastIndex(([, text]) => (left -= text.length) < 0) + 1;
  const leftOut = `${pluralize(omitted, 'earlier output')}: ${where} shows them all`;
  return {
    outputs: Object.fromEntries(cut.slice(omitted)),
    ...(omitted > 0 && { leftOut }),
  };
}

function cutOutput(text: string, where: string): string {
  if (text.length <= MAX_OUTPUT) return text;
  const start = truncate(text, MAX_OUTPUT);
  return `${start} (${text.length - start.length + 1} more characters: ${where})`;
}

export const contextAction = command({
  usage: 'context [run]',
  about:
    'show whether the step needs /compact or /clear first, and whether that has happened',
  examples: ['holdfast context', 'holdfast context --done'],
  agent: 'may',
  options: {
    done: flag('record it as performed, if no hook could observe it'),
  },
  run: (cli, { run: name, done }) => {
    const shown = done ? actionPerformed(cli, name) : runToShow(cli, name);
    const { runId } = shown;
    const action = contextActionOf(shown);
    const recorded = `${action?.command ?? 'The context action'} is recorded as performed for ${runId}.\nNext: holdfast status prints the instructions of the step`;
    const found =
      action === null
        ? 'This step has no context action.'
        : contextActionText(action);
    return {
      data: { run_id: runId, context_action: action },
      text: done ? recorded : found,
    };
  },
  tool: tool({
    name: 'workflow_context',
    about:
      'Returns what the finished steps produced, outputs and files, and the summary of the run.',
    takes: { run: RUN },
    reply: (context, { run }) => contextOf(runToRead(context, run).run),
  }),
});

function actionPerformed(
  context: OperationContext,
  name: string | undefined,
): StoredRun {
  return withRun(context, name, (run, tx, log) => {
    requireActive(run, 'context --done');
    const action = contextActionOf(run);
    if (action === null)
      throw new HoldfastError(
        'no_context_action',
        `the current step of ${run.runId} asks for neither /compact nor /clear`,
        { hint: '`holdfast status` shows what the step asks for' },
      );
    if (action.state === 'performed') return run;
    const kind = action.command === '/clear' ? 'clear' : 'compact';
    const performed = contextActionHappened(
      run,
      kind,
      context.now.toISOString(),
    );
    return tx.write(
      performed,
      performed.state,
      log({ event: 'context', performed: action.command }),
    );
  });
}

/** Not an option of `context`, which the agent may call without asking: only the user switches this. */
export const autopilot = command({
  usage: 'autopilot <mode> [run]',
  about:
    'who runs the /compact and /clear of this run: Claude Code (auto) or you (ask)',
  examples: ['holdfast autopilot ask', 'holdfast autopilot auto user-auth'],
  agent: 'asked',
  run: (cli, { mode: perform, run }) => {
    if (perform !== 'auto' && perform !== 'ask')
      throw badValue('<mode>', perform, 'auto or ask');
    const { runId } = withRun(cli, run, (found, tx, log) =>
      tx.write(
        found,
        { ...found.state, perform },
        log({ event: 'updated', changes: { perform } }),
      ),
    );
    return {
      data: { run_id: runId, perform },
      text:
        perform === 'auto'
          ? `${runId} continues from step to step on its own, with Claude Code 2.1.286 or newer.\nNext: holdfast status; holdfast autopilot ask switches it off`
          : `${runId} asks before each /compact and /clear, and waits for you after each step.\nNext: holdfast status; holdfast autopilot auto switches it on`,
    };
  },
});
