import { withRun } from '../runs/change-run.ts';
import { saveMove } from '../runs/move-run.ts';
import { findTargetRun, requireActive, runToRead } from '../runs/which-run.ts';
import { wasDriven } from '../sessions/client-process.ts';
import {
  type OperationContext,
  requireReadable,
} from '../sessions/open-project.ts';
import { liveHolder } from '../sessions/liveness.ts';
import type { MachineState, Task } from '../machine/machine-state.ts';
import { loopOfStep, stepOf } from '../machine/position.ts';
import {
  findLoopStep,
  tasksFrom,
  tasksFromJson,
} from '../machine/give-tasks.ts';
import { machineOf, withMachine } from '../state/template-run.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { isObject, ownEntry } from '../text/json.ts';
import { pluralize } from '../text/relative-time.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { RUN, command, tool, unknownArgument, type Shown } from './command.ts';
import type { CommandDocuments, TasksDocument } from './json/documents.ts';
import {
  type Option,
  isStdinTerminal,
  required,
  textFile,
  textOption,
} from './options.ts';
import {
  continuation,
  runReply,
  showMove,
  taskList,
} from './view/report-run.ts';
import type { Run } from '../state/types.ts';
import { requireUsable } from '../state/run.ts';

const TOOL = 'workflow_set_tasks';

const TEXT = { type: 'string' };
const FIELDS = ['id', 'title', 'description', 'status'];

/** For the tool, whose client may check the schema. */
const tasksArgument: Option<ReturnType<typeof tasksFromJson>> = {
  about: 'Titles, or objects',
  value: 'tasks',
  isRequired: true,
  schema: {
    type: 'array',
    items: {
      anyOf: [
        { type: 'string' },
        {
          type: 'object',
          properties: {
            id: TEXT,
            title: TEXT,
            description: TEXT,
            status: TEXT,
          },
          required: ['title'],
          additionalProperties: false,
        },
      ],
    },
  },
  parse: (input, bad, name) => {
    if (!Array.isArray(input)) throw bad('a list');
    for (const [index, entry] of input.entries()) {
      const keys = Object.keys(isObject(entry) ? entry : {});
      const unknown = keys.find((key) => !FIELDS.includes(key));
      const at = `${name}[${index}].`;
      const available = FIELDS.map((key) => at + key);
      if (unknown !== undefined)
        throw unknownArgument(TOOL, at + unknown, available);
    }
    return tasksFromJson(input);
  },
};

export const tasks = command({
  usage: 'tasks <loop>',
  about:
    'give a loop its tasks, as JSON or one per line; lists them if none are given',
  examples: [
    'holdfast tasks build --file tasks.json',
    'grep "^- " docs/plan.md | holdfast tasks build',
  ],
  options: {
    run: textOption('the run to change', 'run'),
    file: textOption(
      'the file with the tasks (default: standard input)',
      'file',
    ),
  },
  run: (
    cli,
    { loop, run: name, file },
  ): Shown<CommandDocuments['tasks'] | TasksDocument> => {
    const shown = sanitizeLine(loop);
    if (file === undefined && isStdinTerminal()) {
      const { run } = runToRead(cli, name);
      const { machine, step, key } = findLoop(run, loop);
      const current = step === machine.step ? (machine.task?.id ?? null) : null;
      const stored: Task[] = ownEntry(machine.tasks, key) ?? [];
      const named = name === undefined ? '' : ` --run ${run.runId}`;
      const none = `"${shown}" has no tasks yet.\nNext: holdfast tasks ${shown}${named} --file <file with the tasks>`;
      return {
        data: { run_id: run.runId, loop, tasks: stored },
        text:
          stored.length === 0
            ? none
            : taskList(stored, current, cli.output.colors),
      };
    }
    // Before anybody has to write a list of tasks for a loop that there is not.
    findLoop(findTargetRun(cli, name), loop);
    if (file !== undefined && file !== '-') requireReadable(cli, file);
    const list = tasksFrom(textFile(cli, '--file', file ?? '-'));
    const moved = setLoopTasks(cli, name, loop, list);
    const count =
      list.length === 0 ? 'no tasks' : pluralize(list.length, 'task');
    return showMove(cli, moved, {
      done: `"${shown}" was given ${count}.`,
      ...(moved.isForDriver ? { next: continuation(cli, moved.run) } : {}),
    });
  },
  tool: tool({
    name: TOOL,
    about:
      'Sets the tasks of a loop, in order. New ones are appended, finished ones stay. An empty list skips a loop that ' +
      'waits, unless it has a gate.',
    takes: {
      loop_id: required(textOption('Id of the loop or of its step')),
      tasks: tasksArgument,
      run: RUN,
    },
    reply: (context, { run, loop_id: loop, tasks: list }) => {
      const moved = setLoopTasks(context, run, loop, list);
      return runReply(
        context,
        moved,
        `Gave ${loop} ${pluralize(list.length, 'task')}.`,
      );
    },
  }),
});

/** Gives a loop its tasks: before it is reached, while it waits for them, or as additions while it runs. */
function setLoopTasks(
  context: OperationContext,
  name: string | undefined,
  loop: string,
  list: ReturnType<typeof tasksFrom>,
) {
  return withRun(context, name, (run, tx, log) => {
    requireActive(run, 'tasks');
    const machine = machineOf(run);
    if (machine === null) throw noLoops(run.runId);
    machine.setTasks(loop, list);
    // A person gives them to a run that `holdfast run` continues, and no session has to be asked for anything.
    const isForDriver =
      context.session === null &&
      liveHolder(run.state, context) === null &&
      wasDriven(context.root, run.runId);
    const after = withMachine(run, machine);
    const event = log({ event: 'tasks', loop, count: list.length });
    const moved = saveMove(context, context.caller, tx, {
      before: run,
      after,
      event,
      isForSession: !isForDriver,
    });
    return { ...moved, isForDriver };
  });
}

function noLoops(runId: string): HoldfastError {
  return new HoldfastError(
    'no_template',
    `${runId} has no template, so it has no loops`,
    {
      hint: `continue with \`holdfast advance ${runId}\`, or start a run with \`holdfast start --template <name>\``,
      toolHint:
        'continue with workflow_advance, or start a run of a template with workflow_start',
    },
  );
}

/** The loop, named by its own id or by that of a step that walks it. */
function findLoop(
  run: Run,
  loop: string,
): { machine: MachineState; step: string; key: string } {
  const usable = requireUsable(run);
  if (usable.kind === 'phases') throw noLoops(run.runId);
  const { template, machine } = usable;
  const step = findLoopStep(template, stepOf(template, machine).index, loop);
  return { machine, step: step.id, key: loopOfStep(template, step).key };
}
