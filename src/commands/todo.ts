import { requireKnownFormat } from '../state/store/state-format.ts';
import type { OperationContext } from '../sessions/open-project.ts';
import { mayNameAnyFile, mayReplaceAnyTodoFile } from '../sessions/rights.ts';
import { join } from 'node:path';
import { withholder } from '../files/context-files.ts';
import { readTextFile } from '../files/read-file.ts';
import {
  itemText,
  wellFormed,
  withItem,
  withTick,
  type TodoList,
  readTodoFile,
  readTodoList,
  todoListOf,
  todoPath,
  writeTodoFile,
} from '../guidance/todo/file.ts';
import { type TodoItem, boxesIn, progressOf } from '../guidance/todo/list.ts';
import { linesLostBy, type ListOwner } from '../guidance/todo/replace.ts';
import { otherHolder, transact, withActor } from '../runs/change-run.ts';
import { findTargetRun } from '../runs/which-run.ts';
import { holderOf } from '../sessions/holder.ts';
import { isActive } from '../state/run.ts';
import type { NewEvent } from '../state/journal.ts';
import { isEnded } from '../state/phases.ts';
import { TODO_RECORD_FILE } from '../state/paths.ts';
import type { Transaction } from '../state/store/store.ts';
import type { Run } from '../state/types.ts';
import { digestOf } from '../text/slug.ts';
import { HoldfastError, badValue } from '../text/holdfast-error.ts';
import { isObject, parseJson } from '../text/json.ts';
import { asWord, sanitizeLine } from '../text/sanitize.ts';
import { RUN, type Shown, command, tool } from './command.ts';
import type { TodoDocument, TodoItemDocument } from './json/documents.ts';
import {
  contentOption,
  flag,
  NOT_BLANK,
  required,
  stdinText,
} from './options.ts';
import { section, type CommandContext } from './view/output.ts';

const showCommand = command({
  usage: 'show',
  about: 'show the list with its numbers',
  examples: ['holdfast todo show --json'],
  run: (cli): Shown<TodoDocument> => showList(cli, readList(cli)),
});

const setCommand = command({
  usage: 'set <source>',
  about: 'replace the whole list with standard input: todo set -',
  examples: ['printf -- "- [ ] design\\n- [ ] build\\n" | holdfast todo set -'],
  options: {
    force: flag(
      'even if the file has content that an earlier `set` did not write',
    ),
  },
  run: (cli, { source, force }): Shown<TodoDocument> => {
    if (source !== '-')
      throw badValue(
        'todo set',
        source,
        '-, which reads the list from standard input',
      );
    const { list } = setTodo(cli, stdinText('todo set'), force);
    if (list.total === 0)
      cli.output.warn(`${list.path} has no check boxes, such as "- [ ] text"`);
    return showList(cli, list);
  },
});

const addCommand = command({
  usage: 'add <text...>',
  about: 'append an item',
  examples: ['holdfast todo add "write the tests"'],
  run: (cli, { text: words }): Shown<TodoItemDocument> => {
    const item = itemText(words.join(' '));
    if (item === null) throw badValue('todo add', words.join(' '), NOT_BLANK);
    const { list } = changeTodoFile(cli, ({ path, before }) => {
      const text = withItem(before, item);
      if (text === null)
        throw new HoldfastError(
          'todo_no_place',
          `${asWord(path)} ends inside a code block or a comment, where a check box does not count`,
          { hint: 'close it in the file, then try again; nothing was changed' },
        );
      return editOfItem(text, { event: 'todo added', item });
    });
    return showItem(list, list.total, 'Added');
  },
});

const doneCommand = command({
  usage: 'done <n>',
  about: 'tick an item',
  examples: ['holdfast todo done 2'],
  run: (cli, { n: input }): Shown<TodoItemDocument> => {
    if (!/^\d{1,9}$/.test(input))
      throw badValue('todo done', input, 'the number of an item');
    const n = Number(input);
    const { list, isChanged } = changeTodoFile(cli, ({ path, before }) => {
      const { text: item, done } = itemOf(todoListOf(path, before), n);
      const box = boxesIn(before)[n - 1];
      const isToTick = box !== undefined && !done;
      const text = isToTick ? withTick(before, box) : before;
      return editOfItem(text, { event: 'todo done', item });
    });
    return showItem(list, n, isChanged ? 'Done:' : 'Done already:');
  },
});

export const todo = command({
  usage: 'todo',
  about: 'show or change the check list in TODO.md',
  examples: [
    'holdfast todo',
    'holdfast todo add "write the tests"',
    'holdfast todo done 2',
  ],
  run: (cli): Shown<TodoDocument> => showList(cli, readList(cli)),
  subcommands: [showCommand, setCommand, addCommand, doneCommand],
  tool: tool({
    name: 'update_todo_list',
    about:
      'Replaces the todo list of the project, which survives compaction and /clear. Give the whole list, each item as ' +
      '`- [ ] text` or, done, `- [x] text`.',
    takes: { content: required(contentOption('')), run: RUN },
    reply: (context, { content, run }) => {
      const named = run === undefined ? null : findTargetRun(context, run);
      // Refuses an agent a run that another live session holds.
      if (named !== null) otherHolder(context, context.caller, named);
      const forRun = named === null ? context : { ...context, ownRun: named };
      const { list, lost } = setTodo(forRun, content, true);
      if (lost.length === 0) return list;
      const message = `Lines that somebody else wrote are no longer in ${list.path}. To keep them, call update_todo_list again with them in content.`;
      return { message, ...list, lost };
    },
  }),
});

function readList(context: OperationContext): TodoList {
  requireOpenToAgent(context, todoPath(context));
  return readTodoList(context);
}

/** Every command of the list prints items, which a rule of the client may keep from agents. */
function requireOpenToAgent(context: OperationContext, path: string): void {
  if (mayNameAnyFile(context.caller) || !withholder(context.root)(path)) return;
  throw new HoldfastError(
    'todo_refused',
    `${asWord(path)} is withheld from agents`,
    {
      hint: 'a rule for Read in the settings of Claude Code says so; the user can see and change the list in a terminal',
    },
  );
}

/** Replaces the whole content. Needs `force` if that would lose text that another writer added. */
function setTodo(
  context: OperationContext,
  content: string,
  force: boolean,
): TodoChange {
  const text = wellFormed(content.endsWith('\n') ? content : `${content}\n`);
  const expected = 'the text of the list, such as "- [ ] write the tests"';
  if (text.trim() === '') throw badValue('the new list', '', expected);
  if (text.includes('\0')) throw badValue('todo set', 'binary data', expected);

  return changeTodoFile(context, ({ path, before, owner, writer, runs }) => {
    const lost = linesLostBy({
      path,
      before,
      after: text,
      owner: ownerIn(runs, owner),
      writer: writer?.runId ?? null,
      force,
      mayReplaceAnyFile: mayReplaceAnyTodoFile(context.caller),
    });
    return { text, isNewList: true, lost, event: { event: 'todo set' } };
  });
}

function ownerIn(runs: readonly Run[], owner: string | null): ListOwner {
  if (owner === null) return { kind: 'unknown' };
  if (owner === NO_RUN) return { kind: 'no run' };
  const isOwnerActive = runs.some(
    (run) => run.runId === owner && isActive(run),
  );
  return { kind: 'run', runId: owner, isActive: isOwnerActive };
}

function itemOf({ path, items, total }: TodoList, n: number): TodoItem {
  const item = items[n - 1];
  if (item !== undefined) return item;
  throw new HoldfastError(
    'no_such_item',
    `there is no item ${n}: ${asWord(path)} has ${total}`,
    {
      hint:
        total === 0
          ? 'add the first one with `holdfast todo add <text>`'
          : '`holdfast todo` lists them with their numbers',
    },
  );
}

function editOfItem(text: string, event: NewEvent): TodoEdit {
  return { text, isNewList: false, lost: [], event };
}

/** The file as an edit finds it. */
interface FoundList {
  path: string;
  /** Empty if there is no file. */
  before: string;
  isMissing: boolean;
  runs: readonly Run[];
  /** The id of the run that had set the list before, `NO_RUN`, or null if nobody is known to have set it. */
  owner: string | null;
  writer: Run | null;
}

/** What a call makes of the file. */
interface TodoEdit {
  text: string;
  /** Whether the whole list is new, and belongs to the writing run from now on. */
  isNewList: boolean;
  /** Lines of other writers that are not in the text any more. */
  lost: string[];
  event: NewEvent;
}

interface TodoChange {
  list: TodoList;
  isChanged: boolean;
  lost: string[];
}

/** Changes the file under the store's lock, so that concurrent writers do not lose edits. */
function changeTodoFile(
  context: OperationContext,
  makeEdit: (found: FoundList) => TodoEdit,
): TodoChange {
  requireOpenToAgent(context, todoPath(context));

  // An edit that is refused or changes nothing must create neither a lock nor a folder.
  const found = findList(context, context.store.list().runs);
  const edit = makeEdit(found);
  if (!edit.isNewList && edit.text === found.before)
    return changeBy(found, edit);

  let written: { found: FoundList; edit: TodoEdit } | null = null;
  return transact(context, (tx) => {
    // A transaction that loses its lock runs again, but the file must be changed only once.
    written ??= writeEdit(context, findList(context, tx.runs), makeEdit);
    const change = changeBy(written.found, written.edit);
    if (change.isChanged || written.edit.isNewList) {
      const writer = writerOf(context, tx.runs);
      recordEdit(context, tx, { ...written.found, writer }, written.edit);
    }
    return change;
  });
}

function findList(context: OperationContext, runs: readonly Run[]): FoundList {
  const { root } = context;
  const path = todoPath(context);
  const text = readTodoFile(root, path);
  const before = text ?? '';
  const writer = writerOf(context, runs);
  if (writer !== null) requireKnownFormat(writer);
  const owner = ownerOf(root, path, before);
  return { path, before, isMissing: text === null, runs, owner, writer };
}

function writeEdit(
  { root }: OperationContext,
  found: FoundList,
  makeEdit: (found: FoundList) => TodoEdit,
): { found: FoundList; edit: TodoEdit } {
  const edit = makeEdit(found);
  const { path, isMissing } = found;
  const before = isMissing ? null : found.before;
  if (edit.text !== before)
    writeTodoFile(root, path, { before, text: edit.text });
  return { found, edit };
}

function changeBy(
  { path, before, isMissing }: FoundList,
  { text, lost }: TodoEdit,
): TodoChange {
  const isChanged = isMissing || text !== before;
  return { list: todoListOf(path, text), isChanged, lost };
}

/** Edits are recorded in the writing run. The run that set the list stays its owner until it ends. */
function recordEdit(
  context: OperationContext,
  tx: Transaction,
  { path, owner: former, writer, runs }: FoundList,
  { text, isNewList, event }: TodoEdit,
): void {
  const isOwned = runs.some(
    (run) => run.runId === former && !isEnded(run.state),
  );
  const isLeftByOwner = former !== null && !isOwned;
  const changesOwner = isNewList || isLeftByOwner;
  const owner = changesOwner ? (writer?.runId ?? NO_RUN) : former;
  if (owner !== null) {
    const record = { path, digest: digestOf(text), run: owner };
    tx.replace(TODO_RECORD_FILE, `${JSON.stringify(record)}\n`);
  }
  if (writer === null) return;
  const owned = owner === writer.runId;
  const state = { ...writer.state, todo: { path, owned }, adopted: true };
  tx.write(writer, state, withActor(context.caller, event));
}

/** In the record of a list that was set in a terminal, for no run. */
const NO_RUN = '';
const MAX_RECORD_BYTES = 10_000;

/** The run that wrote this list with `set`, if only holdfast has changed it since; null if nobody did. */
function ownerOf(root: string, path: string, text: string): string | null {
  const recordPath = join(root, TODO_RECORD_FILE);
  const file = readTextFile(recordPath, MAX_RECORD_BYTES, 'refused');
  const record = file.kind === 'text' ? parseJson(file.text) : undefined;
  if (!isObject(record) || record['path'] !== path) return null;
  if (record['digest'] !== digestOf(text)) return null;
  return typeof record['run'] === 'string' ? record['run'] : NO_RUN;
}

/** The run that is named or that the session holds; without a session, the only active run. */
function writerOf(context: OperationContext, runs: readonly Run[]): Run | null {
  const active = runs.filter(isActive);
  const { session, ownRun } = context;
  const own = active.find(({ runId }) => runId === ownRun?.runId);
  if (own !== undefined) return own;
  if (session === null) return active.length === 1 ? (active[0] ?? null) : null;
  return active.find(({ state }) => holderOf(state) === session) ?? null;
}

function showItem(
  list: TodoList,
  n: number,
  lead: string,
): Shown<TodoItemDocument> {
  const item = itemOf(list, n);
  return {
    data: { ...list, item },
    text: `${lead} ${numbered(item)}\n${progressText(list)}`,
  };
}

function showList(cli: CommandContext, list: TodoList): Shown<TodoDocument> {
  const { bold, dim } = cli.output.colors;
  const none = `${asWord(list.path)} has no items. The first one: holdfast todo add "<text>"`;
  if (list.total === 0) return { data: list, text: none };
  const width = String(list.total).length;
  const lines = list.items.map(({ n, text, done }) => {
    const line = `${String(n).padStart(width)} [${done ? 'x' : ' '}] ${sanitizeLine(text)}`;
    return done ? dim(line) : line;
  });
  return { data: list, text: section(bold(progressText(list)), lines) };
}

function progressText(list: TodoList): string {
  const { current } = progressOf(list.items);
  const next = current === null ? '' : `; now ${numbered(current)}`;
  return `${asWord(list.path)}: ${list.done} of ${list.total} done${next}`;
}

const MAX_ITEM_CHARS = 500;

function numbered({ n, text }: TodoItem): string {
  return `${n}: ${asWord(text, MAX_ITEM_CHARS)}`;
}
