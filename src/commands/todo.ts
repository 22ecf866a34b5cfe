import { badValue } from '../text/holdfast-error.ts';
import {
  addTodo,
  finishTodo,
  setTodo,
  showTodo,
  type TodoChange,
  type TodoList,
} from '../operations/todo.ts';
import { progressOf, type TodoItem } from '../guidance/todo/list.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { command, type Shown, tool } from './command.ts';
import { contentOption, flag, required, stdinText } from './options.ts';
import { section } from './view/layout.ts';
import type { CommandContext } from './view/output.ts';

const showCommand = command({
  usage: 'show',
  about: 'show the list with its numbers',
  examples: ['holdfast todo show --json'],
  run: showTodo,
  show: showList,
});

const setCommand = command({
  usage: 'set <source>',
  about: 'replace the whole list with standard input: todo set -',
  examples: ['printf -- "- [ ] design\\n- [ ] build\\n" | holdfast todo set -'],
  options: {
    force: flag('even if the file has content that an earlier `set` did not write'),
  },
  run: (context, { source, force }) => {
    if (source !== '-')
      throw badValue('todo set', source, '-, which reads the list from standard input');
    return setTodo(context, stdinText('todo set'), { force });
  },
  show: (cli, list) => {
    if (list.total === 0) cli.output.warn(`${list.path} has no check boxes, such as "- [ ] text"`);
    return showList(cli, list);
  },
});

const addCommand = command({
  usage: 'add <text...>',
  about: 'append an item',
  examples: ['holdfast todo add "write the tests"'],
  run: (context, { text }) => addTodo(context, text.join(' ')),
  show: (_cli, change) => showItem(change, 'Added'),
});

const doneCommand = command({
  usage: 'done <n>',
  about: 'tick an item',
  examples: ['holdfast todo done 2'],
  run: (context, { n }) => {
    if (!/^\d{1,9}$/.test(n)) throw badValue('todo done', n, 'the number of an item');
    return finishTodo(context, Number(n));
  },
  show: (_cli, change) => showItem(change, change.isChanged ? 'Done:' : 'Done already:'),
});

export const todo = command({
  usage: 'todo',
  about: 'show or change the check list in TODO.md',
  examples: ['holdfast todo', 'holdfast todo add "write the tests"', 'holdfast todo done 2'],
  agent: 'may',
  run: showTodo,
  show: showList,
  subcommands: [showCommand, setCommand, addCommand, doneCommand],
  tool: tool({
    name: 'update_todo_list',
    about:
      'Replaces the todo list of the project, which survives compaction and /clear. Give the whole list, each item as ' +
      '`- [ ] text` or, done, `- [x] text`.',
    takes: { content: required(contentOption('The whole list, in Markdown')) },
    reply: (context, { content }) => setTodo(context, content, { force: false }),
  }),
});

function showItem({ list, item }: TodoChange, lead: string): Shown {
  return {
    data: { ...list, item },
    text: `${lead} ${numbered(item)}\n${progressText(list)}`,
  };
}

function showList(cli: CommandContext, list: TodoList): Shown {
  return { data: list, text: listText(cli, list) };
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
