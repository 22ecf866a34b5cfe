import { changeRun } from '../runs/change-run.ts';
import type { OperationContext } from '../sessions/open-project.ts';
import { withNote } from '../state/notes.ts';
import { command, RUN, tool } from './command.ts';
import { flag, NOT_BLANK, required, textOption } from './options.ts';
import { showChange } from './view/report-run.ts';
import { badValue } from '../text/holdfast-error.ts';
import { truncate } from '../text/sanitize.ts';

export const note = command({
  usage: 'note <text>',
  about: 'keep a decision with its reason, or something that was tried and failed',
  examples: ['holdfast note "SQLite, not Postgres: the tool must run offline"'],
  agent: 'may',
  options: {
    run: textOption('the run to change', 'run'),
    // The module keeps what the model answers before a compaction.
    model: { ...flag(''), isHidden: true },
  },
  run: (cli, { text, run: name, model }) => {
    if (text.trim() === '') throw badValue('<text>', text, NOT_BLANK);
    const run = addNote(cli, name, text, model ? 'model' : undefined);
    return showChange(cli, run, { done: `Noted in ${run.runId}: ${KEPT}.` });
  },
  tool: tool({
    name: 'workflow_note',
    about:
      'Keeps a decision with its reason, an agreement with the user, or what was tried and failed.',
    takes: { text: required(textOption('')), run: RUN },
    reply: (context, { text, run }) => ({
      run: addNote(context, run, text).runId,
      message: `Noted: ${KEPT}.`,
    }),
  }),
});

const KEPT = 'every session that continues the run is given it';

const MAX_LAST_WORD = 2_000;

/** By what the model says of itself the session has done nothing: neither is its hold firm, nor is the run adopted. */
function addNote(context: OperationContext, name: string | undefined, input: string, by?: 'model') {
  const text = by === undefined ? input.trim() : truncate(input.trim(), MAX_LAST_WORD);
  const isOwn = by === undefined;
  return changeRun(context, name, { takes: isOwn, adopts: isOwn }, (run, tx, log) => {
    const event = log({ event: 'noted', text, ...(isOwn ? {} : { model: true }) });
    return tx.write(run, withNote(run.state, text, context.now, by), event);
  });
}
