import { HoldfastError } from '../../errors.ts';
import { environmentOf } from '../../sessions/environment.ts';
import { currentIdOf, hold, holderOf, letGo } from '../../sessions/history.ts';
import { isActive } from '../../state/select.ts';
import { slugOf } from '../../state/slug.ts';
import type { RunState } from '../../state/types.ts';
import type { Cli } from '../context.ts';
import {
  details,
  phaseNames,
  warnAboutReading,
  workflowName,
  workflowType,
  type DetailOptions,
} from '../inputs.ts';
import { reportSetAside, signed } from '../pick.ts';
import { reportRun } from '../report.ts';

export interface StartOptions extends DetailOptions {
  type?: string;
  phases?: string;
  switch?: boolean;
}

export function start(cli: Cli, given: string, options: StartOptions): void {
  const state = newRun(cli, workflowName(given), options);
  const { run, left } = cli.store.transaction((tx) => {
    reportSetAside(cli, tx);
    const session = cli.session === null ? null : currentIdOf(cli.session, tx.runs);
    const held = tx.runs.filter(
      (other) => session !== null && isActive(other) && holderOf(other.state) === session,
    );
    if (held[0] !== undefined && options.switch !== true) {
      throw new HoldfastError({
        code: 'session_busy',
        run: held[0].runId,
        wanted: `start "${state.workflow}"`,
      });
    }
    for (const other of held) {
      tx.write(other, letGo(other.state, session, cli.now), signed(cli, { event: 'released' }));
    }
    const alike = tx.runs.filter(
      (other) => isActive(other) && slugOf(other.state.workflow) === slugOf(state.workflow),
    );
    for (const other of alike)
      cli.output.warn(`another run of this workflow is active too: ${other.runId}`);
    const bound =
      session === null
        ? state
        : hold(state, session, environmentOf(cli.root, cli.cwd, process.env.CLAUDE_PID), cli.now);
    return {
      run: tx.create(bound, signed(cli, { event: 'started', phase: state.phase })),
      left: held,
    };
  });
  for (const other of left) cli.output.warn(`let go of ${other.runId}`);
  const report = reportRun(cli, run, [], `Started ${run.runId}.`);
  warnAboutReading(cli, report.reading);
}

function newRun(cli: Cli, workflow: string, options: StartOptions): RunState {
  const phases = options.phases === undefined ? undefined : phaseNames(options.phases);
  const { read, remind, set, artifact } = details(cli, options);
  return {
    workflow,
    workflow_type: workflowType(options.type ?? 'custom'),
    phase: {
      current: 1,
      total: phases?.length ?? 1,
      name: phases?.[0] ?? '',
      status: 'in_progress',
    },
    required_reading: [...new Set(read)],
    created_at: cli.now.toISOString(),
    context: Object.fromEntries(set),
    key_reminders: [...new Set(remind)],
    ...(phases === undefined ? {} : { phases }),
    ...(artifact.length === 0 ? {} : { artifacts: Object.fromEntries(artifact) }),
    status: 'in_progress',
    source: { kind: 'cli' },
    adopted: true,
  };
}
