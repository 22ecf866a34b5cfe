import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { locate } from '../../io/read-file.ts';
import { loopTasks, requireLoop } from '../../operations/loop-tasks.ts';
import { isInAgentsShell } from '../../operations/require-person.ts';
import { setLoopTasks } from '../../operations/set-tasks.ts';
import { pluralize } from '../../util/relative-time.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import { tasksFrom } from '../../workflow/parse-tasks.ts';
import type { CommandContext } from '../context.ts';
import { isStdinTerminal, textFile } from '../options.ts';
import { continuation } from '../output/continuation.ts';
import { fitText } from '../output/layout.ts';
import { reportChange, reportEnd } from '../output/report-run.ts';
import { taskList } from '../output/step-text.ts';

export interface TasksOptions {
  run?: string;
  file?: string;
}

/** Gives a loop its tasks; lists them if a person at a terminal gives none. */
export function tasks(cli: CommandContext, loop: string, options: TasksOptions): void {
  if (options.file === undefined && isStdinTerminal()) listTasks(cli, loop, options.run);
  else setTasks(cli, loop, options);
}

function setTasks(cli: CommandContext, loop: string, options: TasksOptions): void {
  requireLoop(cli, options.run, loop);
  const { file = '-' } = options;
  requireReadable(cli, file);
  const given = tasksFrom(textFile(cli, '--file', file));
  const { run, action, isForDriver, artifacts } = setLoopTasks(cli, options.run, loop, given);
  const done = `"${sanitizeLine(loop)}" was given ${given.length === 0 ? 'no tasks' : pluralize(given.length, 'task')}.`;
  if (run.state.status === 'completed') reportEnd(cli, run, done);
  else {
    const next = isForDriver ? { next: continuation(cli, run) } : {};
    reportChange(cli, run, {
      done,
      isMove: true,
      action,
      ...next,
      details: [artifacts.text],
      data: { artifacts: artifacts.due },
    });
  }
}

/**
 * The client lets an agent call this without asking, so it must not show the agent what the agent may not read. What
 * agents write for a moment is in the folder for temporary files.
 */
function requireReadable(cli: CommandContext, file: string): void {
  if (file === '-' || !isInAgentsShell(cli)) return;
  const full = resolve(cli.cwd, file);
  const isOutside = [cli.root, tmpdir()].every(
    (folder) => locate(folder, full) === 'outside the project',
  );
  if (!isOutside) return;
  const problem = { kind: 'outside_for_agent' } as const;
  throw new HoldfastError({ code: 'unreadable_input', what: file, problem });
}

function listTasks(cli: CommandContext, loop: string, name: string | undefined): void {
  const { run, tasks: known, current } = loopTasks(cli, name, loop);
  const text =
    known.length === 0
      ? `"${sanitizeLine(loop)}" has no tasks yet.\nNext: holdfast tasks ${sanitizeLine(loop)}${name === undefined ? '' : ` --run ${run.runId}`} --file <file with the tasks>`
      : taskList(known, current, cli.output.colors);
  cli.output.result({ run_id: run.runId, loop, tasks: known }, fitText(text, cli.output.columns));
}
