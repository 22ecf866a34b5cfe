import { advance } from './advance.ts';
import { approve } from './approve.ts';
import { pivot } from './pivot.ts';
import { reject } from './reject.ts';
import type { AnyCommand } from './command.ts';
import { cancel, complete } from './complete.ts';
import { autopilot, contextAction } from './context.ts';
import { dashboard, fill } from './dashboard.ts';
import { demo } from './demo.ts';
import { doctor } from './doctor.ts';
import { exportRun, importRun } from './export-import.ts';
import { fail } from './fail.ts';
import { guidance } from './guidance.ts';
import { history, show } from './history.ts';
import { hook, mcp, statusline } from './host.ts';
import { init, uninstall } from './init.ts';
import { list } from './list.ts';
import { note } from './note.ts';
import { pause, release } from './pause.ts';
import { prime } from './prime.ts';
import { registerClient } from './register-client.ts';
import { reopen, resume, takeover } from './resume.ts';
import { run } from './run.ts';
import { skip } from './skip.ts';
import { start } from './start.ts';
import { status } from './status.ts';
import { sync } from './sync.ts';
import { tasks } from './tasks.ts';
import { templates } from './templates.ts';
import { todo } from './todo.ts';
import { trust, untrust } from './trust.ts';
import { ui } from './ui.ts';
import { update } from './update.ts';
import { validate } from './validate.ts';
import { watch } from './watch.ts';

/** The commands in the order of the help, by purpose: first the ten that people type, which are all that `--help` shows. */
export const GROUPS: readonly {
  title: string;
  commands: readonly AnyCommand[];
}[] = [
  {
    title: 'Start here:',
    commands: [
      init,
      start,
      status,
      list,
      resume,
      advance,
      approve,
      complete,
      ui,
      doctor,
    ],
  },
  {
    title: 'Work on a run:',
    commands: [
      skip,
      fail,
      note,
      tasks,
      pivot,
      reject,
      contextAction,
      autopilot,
      update,
      prime,
      todo,
      takeover,
      release,
      pause,
      cancel,
      reopen,
      run,
    ],
  },
  { title: 'Look at runs:', commands: [show, history, guidance, watch] },
  { title: 'Templates:', commands: [templates, validate, trust, untrust] },
  {
    title: 'Set up and move:',
    commands: [demo, uninstall, exportRun, importRun, sync],
  },
  { title: 'For the host:', commands: [statusline, hook, mcp] },
];

/** All commands, those included that the help leaves out. */
export const COMMANDS: readonly AnyCommand[] = [
  ...GROUPS.flatMap(({ commands }) => commands),
  dashboard,
  fill,
  registerClient,
];
