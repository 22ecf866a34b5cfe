import { contextActionText } from '../guidance/step.ts';
import { readerOf } from '../sessions/caller.ts';
import { withRun } from '../runs/change-run.ts';
import { requireActive, runToRead, runToShow } from '../runs/which-run.ts';
import type { OperationContext } from '../sessions/open-project.ts';
import type { Run } from '../state/types.ts';
import { contextActionHappened, contextActionOf } from '../state/progress.ts';
import { HoldfastError, badValue } from '../text/holdfast-error.ts';
import { pluralize } from '../text/relative-time.ts';
import { truncate } from '../text/sanitize.ts';
import { command, RUN, tool, type Shown } from './command.ts';
import type { AutopilotDocument, ContextDocument } from './json/documents.ts';
import type { FinishedSteps, ToolResults } from './json/tool-results.ts';
import { flag } from './options.ts';
import { requireUsable } from '../state/run.ts';

/** The host accepts replies of at most 25,000 tokens, which are about four characters each. */
const MAX_OUTPUTS_CHARS = 50_000;
const MAX_OUTPUT_CHARS = 10_000;

/** What the finished steps or phases produced. */
function contextOf(found: Run): ToolResults['workflow_context'] {
  const run = requireUsable(found);
  const { runId, state } = run;
  const { workflow } = state;
  if (run.kind === 'template') {
    const { summary, outputs, artefacts } = run.machine;
    return {
      run: runId,
      workflow,
      ...(summary === undefined ? {} : { summary }),
      ...latestOutputs(runId, Object.entries(outputs)),
      artefacts,
    };
  }

  const phases = Object.entries(state.outputs ?? {});
  const texts: [string, string][] = [];
  const artefacts: Record<string, string[]> = {};
  for (const [phase, produced] of phases) {
    if (produced.text !== undefined) texts.push([phase, produced.text]);
    if (produced.artefacts !== undefined) artefacts[phase] = produced.artefacts;
  }
  return {
    run: runId,
    workflow,
    context: state.context ?? {},
    ...latestOutputs(runId, texts),
    artefacts,
  };
}

/** As many of the outputs as a reply has room for. The latest ones stay: the present step is likelier to need them. */
function latestOutputs(
  runId: string,
  outputs: readonly [string, string][],
): Pick<FinishedSteps, 'outputs' | 'leftOut'> {
  const where = `\`holdfast show ${runId} --json\``;
  const kept: [string, string][] = [];
  let charsLeft = MAX_OUTPUTS_CHARS;
  for (const [step, text] of outputs.toReversed()) {
    const shown = cutOutput(text, where);
    charsLeft -= shown.length;
    if (charsLeft < 0) break;
    kept.unshift([step, shown]);
  }
  const latest = { outputs: Object.fromEntries(kept) };
  const omitted = outputs.length - kept.length;
  if (omitted === 0) return latest;
  const leftOut = `${pluralize(omitted, 'earlier output')}: ${where} shows them all`;
  return { ...latest, leftOut };
}

function cutOutput(text: string, where: string): string {
  if (text.length <= MAX_OUTPUT_CHARS) return text;
  const start = truncate(text, MAX_OUTPUT_CHARS);
  return `${start} (${text.length - start.length + 1} more characters: ${where})`;
}

export const contextAction = command({
  usage: 'context [run]',
  about:
    'show whether the step needs /compact or /clear first, and whether that has happened',
  examples: ['holdfast context', 'holdfast context --done'],
  options: {
    done: flag('record it as performed, if no hook could observe it'),
  },
  run: (cli, { run: name, done }): Shown<ContextDocument> => {
    const shown = done ? actionPerformed(cli, name) : runToShow(cli, name);
    const { runId } = shown;
    const action = contextActionOf(shown);
    const recorded = `${action?.command ?? 'The context action'} is recorded as performed for ${runId}.\nNext: holdfast status prints the instructions of the step`;
    const found =
      action === null
        ? 'This step has no context action.'
        : contextActionText(action, readerOf(cli.caller));
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
): Run {
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
  run: (cli, { mode: perform, run }): Shown<AutopilotDocument> => {
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
