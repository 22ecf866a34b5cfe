import { changeNamedRun } from '../runs/change-run.ts';
import { runToShow } from '../runs/which-run.ts';
import type { OperationContext } from '../sessions/open-project.ts';
import type { NewEvent } from '../state/journal.ts';
import {
  addNote,
  allNotes,
  authorText,
  isOpenToAgents,
  removeNote,
  type NoteAuthor,
  type NumberedNote,
} from '../state/notes.ts';
import type { RunState, Run } from '../state/types.ts';
import { nameIfAmbiguous } from '../templates/what-to-type-next.ts';
import { badValue, HoldfastError } from '../text/holdfast-error.ts';
import { timeAgo } from '../text/relative-time.ts';
import { quoted, sanitizeLine, truncate } from '../text/sanitize.ts';
import { badArgument, command, RUN, tool, type Shown } from './command.ts';
import type {
  ForgottenNoteDocument,
  NoteDocument,
  NotesDocument,
} from './json/documents.ts';
import { flag, NOT_BLANK, numberOption, textOption } from './options.ts';
import type { CommandContext } from './view/output.ts';
import { showChange, withData } from './view/report-run.ts';

const TOOL = 'workflow_note';

export const note = command({
  usage: 'note [text]',
  about:
    'keep a decision with its reason, or something that was tried and failed',
  examples: [
    'holdfast note "SQLite, not Postgres: the tool must run offline"',
    'holdfast note "Postgres after all: two programs write" --replace 3',
    'holdfast note --forget 3',
    'holdfast note --list',
  ],
  options: {
    replace: {
      ...numberOption('put the text in the place of this note'),
      conflicts: 'model',
    },
    forget: {
      ...numberOption('remove this note; the journal keeps it'),
      conflicts: 'model',
    },
    list: flag('show the notes with their numbers, the newest first'),
    run: textOption('the run to change or to show', 'run'),
    // The module keeps what the model answers before a compaction.
    model: { ...flag(''), isHidden: true },
  },
  run: (
    cli,
    { text = '', run: name, replace, forget, list, model },
  ): Shown<NoteDocument | ForgottenNoteDocument | NotesDocument> => {
    if (list) {
      if (text !== '' || replace !== undefined || forget !== undefined)
        throw listIsAlone();
      return showNotes(cli, name);
    }

    const edit = noteEdit(text, replace, forget);
    const { run, done, what, data } = changeNotes(
      cli,
      name,
      edit,
      model ? 'model' : noteAuthor(cli),
    );
    // The run is named where the same command would need its name.
    const named = nameIfAmbiguous(cli, run, cli.store.list().runs).trim();
    const where = named === '' ? '' : ` in ${named}`;
    const sentence = `${done}${where}${what}.`;
    return withData(showChange(cli, run, { done: sentence }), data);
  },
  tool: tool({
    name: TOOL,
    about:
      'Keeps a decision with its reason, an agreement with the user, or what was tried and failed. ' +
      'Numbers: replace a note by the text, or forget one.',
    takes: {
      text: textOption(''),
      replace: numberOption(''),
      forget: numberOption(''),
      run: RUN,
    },
    reply: (context, { text = '', run: name, replace, forget }) => {
      if (text === '' && forget === undefined)
        throw badArgument(TOOL, 'text', NOT_BLANK);
      const edit = noteEdit(text, replace, forget);
      const { run, done, what, data } = changeNotes(
        context,
        name,
        edit,
        noteAuthor(context),
      );
      return { run: run.runId, ...data, message: `${done}${what}.` };
    },
  }),
});

/** What one call does to the notes of a run. */
type NoteEdit =
  | { kind: 'record'; text: string }
  | { kind: 'replace'; text: string; n: number }
  | { kind: 'forget'; n: number };

function noteEdit(
  input: string,
  replace: number | undefined,
  forget: number | undefined,
): NoteEdit {
  const text = input.trim();
  if (forget !== undefined) {
    if (text !== '' || replace !== undefined) throw forgetIsAlone();
    return { kind: 'forget', n: forget };
  }
  if (text === '') throw badValue('<text>', input, NOT_BLANK);
  return replace === undefined
    ? { kind: 'record', text }
    : { kind: 'replace', text, n: replace };
}

const listIsAlone = (): HoldfastError =>
  new HoldfastError('bad_value', '--list shows notes and changes none', {
    hint: 'give it without a text, --replace and --forget',
  });

const forgetIsAlone = (): HoldfastError =>
  new HoldfastError(
    'bad_value',
    'one call cannot forget a note and write another',
    {
      hint: 'forget it without a text, or replace it: `holdfast note "<text>" --replace <n>`; nothing was changed',
      toolHint:
        'call workflow_note with forget alone, or with text and replace; nothing was changed',
    },
  );

/** Who notes something by this call. All rights to notes follow from it. */
function noteAuthor({ caller }: OperationContext): 'person' | 'agent' {
  return caller.kind === 'person' ? 'person' : 'agent';
}

/** The answer of the model before a compaction, which nobody reads first. */
const MAX_MODEL_CHARS = 2_000;

/** By what the model says of itself the session has done nothing: neither is its hold firm, nor is the run adopted. */
function changeNotes(
  context: OperationContext,
  name: string | undefined,
  edit: NoteEdit,
  author: NoteAuthor,
): Edited & { run: Run } {
  const isByModel = author === 'model';
  const options = {
    takes: !isByModel,
    adopts: !isByModel,
    newsOf: ({ news }: Edited): string => news,
  };
  return changeNamedRun(context, name, options, (run, tx, log) => {
    const edited = editNotes(run, edit, author, context.now);
    const event = log(
      isByModel ? { ...edited.event, model: true } : edited.event,
    );
    return { ...edited, run: tx.write(run, edited.state, event) };
  });
}

type NotedNumbers = Pick<NoteDocument, 'n' | 'replaced'>;

interface Edited {
  state: RunState;
  event: NewEvent;
  /** What was done, for the caller, and what it was about. */
  done: string;
  what: string;
  /** The same for the session that holds the run, if somebody else called. */
  news: string;
  /** What is printed beside the run with --json. */
  data: NotedNumbers | { forgotten: number };
}

const MAX_SHOWN_CHARS = 300;
/** A session is told at its next prompt; `note --list` and the next guidance have the whole text. */
const MAX_NEWS_CHARS = 1_000;

function editNotes(
  run: Run,
  edit: NoteEdit,
  author: NoteAuthor,
  now: Date,
): Edited {
  if (edit.kind === 'forget') {
    const { n, text } = requireNote(run, edit, author);
    return {
      state: removeNote(run.state, n),
      event: { event: 'note_forgotten', n, text },
      done: `Forgot note ${n}`,
      what: `: ${quoted(text, MAX_SHOWN_CHARS)}`,
      news: `note ${n} is forgotten`,
      data: { forgotten: n },
    };
  }

  const text =
    author === 'model' ? truncate(edit.text, MAX_MODEL_CHARS) : edit.text;
  const replaced =
    edit.kind === 'replace' ? requireNote(run, edit, author) : null;
  const before =
    replaced === null ? run.state : removeNote(run.state, replaced.n);
  const { state, note: added } = addNote(before, { text, by: author }, now);
  const { n } = added;
  const inPlaceOf = replaced === null ? '' : ` in place of ${replaced.n}`;
  const record =
    replaced === null
      ? {}
      : { replaces: replaced.n, replaced_text: replaced.text };
  return {
    state,
    event: { event: 'noted', n, text, ...record },
    done: `Noted as ${n}${inPlaceOf}`,
    what: '',
    news: `note ${n}${inPlaceOf} says: ${quoted(text, MAX_NEWS_CHARS)}`,
    data: { n, ...(replaced !== null && { replaced: replaced.n }) },
  };
}

/** The note that a call names, if the author of the call may undo it. */
function requireNote(
  { runId, state }: Run,
  { kind, n }: Exclude<NoteEdit, { kind: 'record' }>,
  author: NoteAuthor,
): NumberedNote {
  const found = allNotes(state).find((each) => each.n === n);
  if (found === undefined) throw noSuchNote(runId, n, state);
  if (author === 'person' || isOpenToAgents(found)) return found;
  const typed =
    kind === 'forget'
      ? `holdfast note --forget ${n} --run ${runId}`
      : `holdfast note "<text>" --replace ${n} --run ${runId}`;
  const message = `note ${n} of ${runId} was not recorded by an agent, so only a person can ${kind} it`;
  throw new HoldfastError('note_of_person', message, {
    hint: `ask the user to type \`${typed}\` in a terminal; nothing was changed`,
  });
}

function noSuchNote(
  runId: string,
  n: number,
  { last_note: last = 0 }: RunState,
): HoldfastError {
  const list = `\`holdfast note --list --run ${runId}\` shows the notes with their numbers`;
  if (n > last)
    return new HoldfastError('no_such_note', `${runId} has no note ${n}`, {
      hint: list,
    });
  const history = `\`holdfast history ${runId}\` shows what became of it`;
  const message = `${runId} does not have note ${n} any more`;
  return new HoldfastError('no_such_note', message, {
    hint: `${history}, and ${list}`,
  });
}

function showNotes(
  cli: CommandContext,
  name: string | undefined,
): Shown<NotesDocument> {
  const { runId, state } = runToShow(cli, name);
  const notes = allNotes(state);
  const lines = notes.map((each) => listLine(each, cli.now));
  const none = `${runId} has no notes.\nNext: holdfast note "<what was decided, and why>"`;
  return {
    data: { run_id: runId, notes },
    text:
      notes.length === 0
        ? none
        : [`Notes of ${runId}, the newest first:`, ...lines].join('\n'),
  };
}

function listLine(listed: NumberedNote, now: Date): string {
  const { n, at, phase, text } = listed;
  const facts = [
    phase === '' ? '' : `phase ${phase}`,
    authorText(listed),
    at === '' ? '' : timeAgo(at, now),
  ];
  const known = facts.filter((fact) => fact !== '').join(', ');
  return sanitizeLine(`[${n}] ${text}${known === '' ? '' : ` (${known})`}`);
}
