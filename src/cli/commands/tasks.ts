import { counted } from '../../guidance/words.ts';
import { giveTasksTo } from '../../operations/give-tasks.ts';
import { tasksFrom } from '../../workflow/task-list.ts';
import type { Cli } from '../context.ts';
import { reportEnd } from '../ending.ts';
import { textFile } from '../inputs.ts';
import { reportRun } from '../report.ts';
import { oneLine } from '../../guidance/plain.ts';

export function tasks(cli: Cli, loop: string, options: { run?: string; file?: string }): void {
  const given = tasksFrom(textFile(cli, '--file', options.file ?? '-'));
  const { run, action } = giveTasksTo(cli, options.run, loop, given);
  const lead = `"${oneLine(loop)}" was given ${given.length === 0 ? 'no tasks' : counted(given.length, 'task')}.`;
  if (run.state.status === 'completed') reportEnd(cli, run, lead);
  else reportRun(cli, run, [], lead, action);
}
