import { setTodo } from '../../operations/todo.ts';
import { textProperty, makeTool } from '../tool.ts';

export const updateTodoList = makeTool({
  name: 'update_todo_list',
  description:
    'Replaces the todo list of the project, which survives compaction and /clear. Give the whole list, each item as ' +
    '`- [ ] text` or, done, `- [x] text`.',
  properties: { content: textProperty('The whole list, in Markdown') },
  required: ['content'],
  run: (context, given) => setTodo(context, given.requiredText('content'), { force: false }),
});
