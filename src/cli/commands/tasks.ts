import { pluralize } from '../../util/relative-time.ts';
import { setLoopTasks } from '../../operations/set-tasks.ts';
import { tasksFrom } from '../../workflow/parse-tasks.ts';
import type { CommandContext } from '../context.ts';
import { textFile } from '../options.ts';
import { reportEnd, reportRun } from '../output/report-run.ts';
import { sanitizeLine } from '../../util/sanitize.ts';

export function tasks(
  cli: CommandContext,
  loop: string,
  options: { run?: string; file?: string },
): void {
  const given = tasksFrom(textFile(cli, '--file', options.file ?? '-'));
  const { run, action } = setLoopTasks(cli, options.run, loop, given);
  const lead = `"${sanitizeLine(loop)}" was given ${given.length === 0 ? 'no tasks' : pluralize(given.length, 'task')}.`;
  if (run.state.status === 'completed') reportEnd(cli, run, lead);
  else reportRun(cli, run, [], lead, action);
}
