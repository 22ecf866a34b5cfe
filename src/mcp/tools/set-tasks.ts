import { pluralize } from '../../util/relative-time.ts';
import { setLoopTasks } from '../../operations/set-tasks.ts';
import { tasksFromJson } from '../../workflow/parse-tasks.ts';
import { artifactsReply, runReply } from '../replies.ts';
import { textProperty, makeTool } from '../tool.ts';

const TASK_KEYS = ['id', 'title', 'description'];

export const workflowSetTasks = makeTool({
  name: 'workflow_set_tasks',
  description:
    'Sets the tasks of a loop, in order: before the loop is reached, when it waits for them, or while it runs ' +
    '(new tasks are appended, finished ones stay finished). An empty list skips a loop that waits, unless its step ' +
    'has a gate.',
  properties: {
    loop_id: textProperty(
      'Id of the loop or of its step; workflow_status names it when the loop waits for tasks',
    ),
    tasks: {
      type: 'array',
      description: 'Titles, or objects if a task needs more than a title',
      items: {
        anyOf: [
          { type: 'string' },
          {
            type: 'object',
            properties: {
              id: { type: 'string' },
              title: { type: 'string' },
              description: { type: 'string' },
            },
            required: ['title'],
            additionalProperties: false,
          },
        ],
      },
    },
  },
  required: ['loop_id', 'tasks'],
  run: (context, given) => {
    const loop = given.requiredText('loop_id');
    const tasks = tasksFromJson(given.list('tasks', TASK_KEYS));
    const delivery = setLoopTasks(context, undefined, loop, tasks);
    return {
      ...runReply(context, delivery, `Gave ${loop} ${pluralize(tasks.length, 'task')}.`),
      ...artifactsReply(delivery.artifacts),
    };
  },
});
