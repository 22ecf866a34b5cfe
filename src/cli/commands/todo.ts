import type { Expected } from '../../errors/expected.ts';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import { addTodo, finishTodo, setTodo, showTodo } from '../../operations/todo.ts';
import type { TodoChange, TodoList } from '../../operations/todo.ts';
import { progressOf, type TodoItem } from '../../todo/list.ts';
import type { CommandContext } from '../context.ts';
import { stdinText } from '../options.ts';
import { section } from '../output/layout.ts';

export function showList(cli: CommandContext): void {
  const list = showTodo(cli);
  cli.output.result(list, listText(cli, list));
}

export function setList(cli: CommandContext, source: string, options: { force?: boolean }): void {
  if (source !== '-') throw badValue('todo set', source, { kind: 'todo_stdin' });
  const content = stdinText('todo set');
  const list = setTodo(cli, content, { force: options.force === true });
  if (list.total === 0) cli.output.warn(`${list.path} has no check boxes, such as "- [ ] text"`);
  cli.output.result(list, listText(cli, list));
}

export function addItem(cli: CommandContext, words: string[]): void {
  const change = addTodo(cli, words.join(' '));
  report(cli, change, `Added ${numbered(change.item)}`);
}

export function finishItem(cli: CommandContext, given: string): void {
  if (!/^\d{1,9}$/.test(given)) throw badValue('todo done', given, { kind: 'todo_number' });
  const change = finishTodo(cli, Number(given));
  report(cli, change, `${change.isChanged ? 'Done' : 'Done already'}: ${numbered(change.item)}`);
}

function report(cli: CommandContext, { list, item }: TodoChange, lead: string): void {
  cli.output.result({ ...list, item }, `${lead}\n${progressText(list)}`);
}

function listText(cli: CommandContext, list: TodoList): string {
  if (list.total === 0) {
    return `${sanitizeLine(list.path)} has no items. The first one: holdfast todo add "<text>"`;
  }
  const width = String(list.total).length;
  const lines = list.items.map(({ n, text, done }) => {
    const line = `${String(n).padStart(width)} [${done ? 'x' : ' '}] ${sanitizeLine(text)}`;
    return done ? cli.output.colors.dim(line) : line;
  });
  return section(cli.output.colors.bold(progressText(list)), lines);
}

function progressText(list: TodoList): string {
  const { current } = progressOf(list.items);
  const next = current === null ? '' : `; now ${numbered(current)}`;
  return `${sanitizeLine(list.path)}: ${list.done} of ${list.total} done${next}`;
}

function numbered({ n, text }: TodoItem): string {
  return `${n}: ${sanitizeLine(text)}`;
}

function badValue(option: string, given: string, expected: Expected): HoldfastError {
  return new HoldfastError({ code: 'bad_value', option, given, expected });
}
