import {
  ANSWERS,
  findWaitingRun,
  runAnsweredBefore,
  type Verb,
} from '../../runs/find-wait.ts';
import { requireRun } from '../../runs/which-run.ts';
import { holderOf } from '../../sessions/holder.ts';
import type { OperationContext } from '../../sessions/open-project.ts';
import { mayAnswerFor } from '../../sessions/rights.ts';
import { WakeMarks } from '../../state/store/state-folder.ts';
import type { Run } from '../../state/types.ts';
import { waysToAnswer } from '../../machine/send-back.ts';
import { waitLines } from '../../templates/waits.ts';
import { attempt, HoldfastError } from '../../text/holdfast-error.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { requirePerson, type Shown } from '../command.ts';
import { canAsk, confirm } from '../confirm.ts';
import type { RepeatedAnswerDocument } from '../json/documents.ts';
import { NOT_BLANK, parsedOption } from '../options.ts';
import { print, type CommandContext } from '../view/output.ts';
import { showChange, withData } from '../view/report-run.ts';

const MAX_WHO_CHARS = 100;

export const ANSWER_OPTIONS = {
  // Blank does not count as left out: then whatever waits by now would be answered.
  for: parsedOption(
    'only if exactly this waits, as `wait` in `status --json` names it',
    'wait',
    (input, bad) => {
      const wait = input.trim();
      if (wait === '') throw bad(NOT_BLANK);
      return wait;
    },
  ),
  by: parsedOption(
    'who answers, for the history; it is not checked',
    'who',
    (input, bad) => {
      const who = sanitizeLine(input);
      if (who.length > MAX_WHO_CHARS)
        throw bad(`at most ${MAX_WHO_CHARS} characters`);
      return who === '' ? undefined : who;
    },
  ),
};

/** Who answers, for the journal; empty if nobody was named. */
export function answererField(who: string | undefined): { who?: string } {
  return who === undefined ? {} : { who };
}

const QUESTIONS: Readonly<Record<Verb, string>> = {
  approve: 'Approve this?',
  reject: 'Send this back?',
};

/** What an answer is for. `isRepeated`: it was given before, so that nothing is left to do. */
interface AnsweredWait {
  run: Run;
  wait: string;
  isRepeated: boolean;
}

/** What is answered: what `--for` names, else what waits now, which is shown and, on a terminal, has to be confirmed. */
export async function waitToAnswer(
  cli: CommandContext,
  name: string | undefined,
  verb: Verb,
  named: string | undefined,
): Promise<AnsweredWait> {
  if (named !== undefined) {
    const before = runAnsweredBefore(cli, name, verb, named);
    if (before !== null) return { run: before, wait: named, isRepeated: true };
  }
  const { run, wait } = findWaitingRun(cli, name, verb, named);
  if (named === undefined) await confirmAnswer(run, verb, wait);
  return { run, wait, isRepeated: false };
}

/** Shows what waits, and asks where there is a terminal; a program or a pipe answers at once. */
async function confirmAnswer(
  run: Run,
  verb: Verb,
  wait: string,
): Promise<void> {
  print(2, waitLines(run).join('\n'));
  if (!canAsk() || (await confirm(QUESTIONS[verb]))) return;
  throw new HoldfastError(
    'answer_unconfirmed',
    `${wait} was not ${ANSWERS[verb]}`,
    {
      hint: `nothing was changed; \`holdfast status ${run.runId}\` shows all of it`,
    },
  );
}

/** The same answer a second time, such as that of a program that did not get the reply to the first. */
export function showRepeated(
  cli: CommandContext,
  run: Run,
  verb: Verb,
  wait: string,
): Shown<RepeatedAnswerDocument> {
  const done = `${sanitizeLine(wait)} was ${ANSWERS[verb]} before; nothing was changed.`;
  return withData(showChange(cli, run, { done }), { repeated: true } as const);
}

/** An idle client is woken by this file (see bin/hook.sh), unless its module looks at the run by itself. */
export function wakeHolder(
  { registry, config }: OperationContext,
  { state }: Run,
): void {
  const holder = holderOf(state);
  if (holder !== null && registry.entry(holder)?.module === undefined)
    new WakeMarks(config).wake(holder, ['FileChanged']);
}

/** An approval that the agent could give to itself would be none. */
export function requireAnswerByPerson(
  context: OperationContext,
  verb: Verb,
  name: string | undefined,
): void {
  requirePerson(context, 'approval', verb, () =>
    waysToAnswer(runMeant(context, name), false),
  );
  const { caller, store, registry } = context;
  // The module names the run by its whole id, so that no rule for names can choose another one below.
  const run = store.list().runs.find(({ runId }) => runId === name);
  const holder = run === undefined ? null : holderOf(run.state);
  const client = holder === null ? null : registry.clientOf(holder);
  if (mayAnswerFor(caller, client)) return;
  const message = 'this Claude Code has no session that holds the run';
  const words = run === undefined ? verb : `${verb} ${run.runId}`;
  const hint = `answer in a terminal: \`holdfast ${words}\``;
  throw new HoldfastError('run_of_other_client', message, { hint });
}

/** The run that the agent means, for the user's terminal, where the same words may mean another one; else empty. */
function runMeant(context: OperationContext, name: string | undefined): string {
  const run = attempt(() =>
    requireRun(context.store.list().runs, name, context),
  );
  return run instanceof HoldfastError ? '' : ` ${run.runId}`;
}
