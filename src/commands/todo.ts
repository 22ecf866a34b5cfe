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
      const text = withItem(before ?? '', item);
      if (text === null)
        throw new HoldfastError(
          'todo_no_place',
          `${asWord(path)} ends inside a code block or a comment, where a check box does not count`,
          { hint: 'close it in the file, then try again; nothing was changed' },
        );
      return { text, event: { event: 'todo added', item } };
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
      const text = before ?? '';
      const { text: item, done } = itemOf(todoListOf(path, text), n);
      const box = boxesIn(text)[n - 1];
      const ticked = box === undefined || done ? text : withTick(text, box);
      return { text: ticked, event: { event: 'todo done', item } };
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
      if (named !== null) otherHolder(context, context.caller, named);
      const ownRun = named ?? context.ownRun;
      const { list, lost } = setTodo(
        { ...context, ...(ownRun && { ownRun }) },
        content,
        true,
      );
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

/** Replaces the whole content. Needs `force` if that would lose text that another writer added: `lost` has its lines. */
function setTodo(context: OperationContext, content: string, force: boolean) {
  const text = wellFormed(content.endsWith('\n') ? content : `${content}\n`);
  const expected = 'the text of the list, such as "- [ ] write the tests"';
  if (text.trim() === '') throw badValue('the new list', '', expected);
  if (text.includes('\0')) throw badValue('todo set', 'binary data', expected);
  let lost: string[] = [];
  const { list } = changeTodoFile(context, (found) => {
    const before = found.before ?? '';
    const mayForce =
      force &&
      (boxesIn(before).length > 0 || mayReplaceAnyTodoFile(context.caller));
    const refusal = before === text ? null : refusalFor(found);
    if (refusal !== null && !mayForce) throw refusal;
    const kept = new Set(linesOf(text));
    lost =
      refusal === null ? [] : linesOf(before).filter((line) => !kept.has(line));
    return { text, isSet: true, event: { event: 'todo set' } };
  });
  return { list, lost };
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== '');
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

/** Nothing is lost of a blank list, or of one that was set by this run, by one that is no longer active, or without one. */
function refusalFor({
  path,
  before,
  owner,
  writer,
  runs,
}: Found): HoldfastError | null {
  if ((before ?? '').trim() === '') return null;
  const other = runs.find((run) => run.runId === owner && isActive(run));
  if (owner !== null && (other === undefined || other === writer)) return null;
  const message =
    other === undefined
      ? `${path} has content that is not from \`holdfast todo set\``
      : `${path} is the list of the run ${other.runId}`;
  return new HoldfastError('todo_not_ours', message, {
    hint: 'change it with `holdfast todo add` and `holdfast todo done`, or replace all of it with --force (where it has no check boxes: only a person, in a terminal)',
  });
}

interface Found {
  path: string;
  /** Null if there is no file. */
  before: string | null;
  runs: readonly Run[];
  /** The run that had set the list before. */
  owner: string | null;
  writer: Run | null;
}

interface TodoEdit {
  text: string;
  /** Whether the whole content is new and belongs to the writing run. */
  isSet?: true;
  event: NewEvent;
}

/** Changes the file under the store's lock, so that concurrent writers do not lose edits. */
function changeTodoFile(
  context: OperationContext,
  edit: (found: Found) => TodoEdit,
) {
  const { root } = context;
  const path = todoPath(context);
  requireOpenToAgent(context, path);
  const attempt = (runs: readonly Run[]): Found & TodoEdit => {
    const before = readTodoFile(root, path);
    const writer = writerOf(context, runs);
    if (writer !== null) requireKnownFormat(writer);
    const found = {
      path,
      before,
      runs,
      writer,
      owner: ownerOf(root, path, before ?? ''),
    };
    return { ...found, ...edit(found) };
  };
  // An edit that is refused or changes nothing must create neither a lock nor a folder.
  const { text, before, isSet } = attempt(context.store.list().runs);
  if (isSet !== true && text === before)
    return { list: todoListOf(path, text), isChanged: false };
  let done: (Found & TodoEdit) | null = null;
  return transact(context, (tx) => {
    // A transaction that loses its lock runs again, but the file must be changed only once.
    if (done === null) {
      const next = attempt(tx.runs);
      if (next.text !== next.before) writeTodoFile(root, path, next);
      done = next;
    }
    const isChanged = done.text !== done.before;
    if (isChanged || done.isSet === true)
      recordEdit(context, tx, { ...done, writer: writerOf(context, tx.runs) });
    return { list: todoListOf(path, done.text), isChanged };
  });
}

/** Edits are recorded in the writing run. The run that set the list stays its owner until it ends. */
function recordEdit(
  context: OperationContext,
  tx: Transaction,
  { path, text, isSet, event, owner: former, writer, runs }: Found & TodoEdit,
): void {
  const isOwned = runs.some(
    (run) => run.runId === former && !isEnded(run.state),
  );
  const isNew = isSet === true || (former !== null && !isOwned);
  const owner = isNew ? (writer?.runId ?? NO_RUN) : former;
  if (owner !== null) {
    const json = JSON.stringify({ path, digest: digestOf(text), run: owner });
    tx.replace(TODO_RECORD_FILE, `${json}\n`);
  }
  if (writer === null) return;
  const owned = owner === writer.runId;
  const state = { ...writer.state, todo: { path, owned }, adopted: true };
  tx.write(writer, state, withActor(context.caller, event));
}

const NO_RUN = '';
const MAX_BYTES = 10_000;

/** The run that wrote this list with `set`, if only holdfast has changed it since; null if nobody did. */
function ownerOf(root: string, path: string, text: string): string | null {
  const file = readTextFile(join(root, TODO_RECORD_FILE), MAX_BYTES, 'refused');
  const record = file.kind === 'text' ? parseJson(file.text) : undefined;
  if (
    !isObject(record) ||
    record['path'] !== path ||
    record['digest'] !== digestOf(text)
  )
    return null;
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

const MAX_ITEM = 500;

function numbered({ n, text }: TodoItem): string {
  return `${n}: ${asWord(text, MAX_ITEM)}`;
}
