import { currentIdOf, recordCompletedPhase } from '../../sessions/history.ts';
import { advancePhase, phaseLabel } from '../../state/phases.ts';
import type { StoredRun } from '../../state/types.ts';
import type { Cli } from '../context.ts';
import { projectPath, textOrStdin } from '../inputs.ts';
import { requireActive, signed, withRun } from '../pick.ts';
import { reportRun } from '../report.ts';
import { endRun, reportEnd } from '../ending.ts';
import { oneLine } from '../../guidance/plain.ts';

export interface AdvanceOptions {
  output?: string;
  artefact?: string[];
  name?: string;
}

export function advance(cli: Cli, name: string | undefined, options: AdvanceOptions): void {
  const output = options.output === undefined ? undefined : textOrStdin('--output', options.output);
  const artefacts = (options.artefact ?? []).map((path) => projectPath(cli, path));
  const { before, after } = withRun(cli, name, (run, tx) => {
    requireActive(run, 'advance');
    const finished = phaseLabel(run.state.phase);
    const moved = advancePhase(run.state, { output, artefacts, nextName: options.name });
    const recorded =
      cli.session === null
        ? moved
        : recordCompletedPhase(moved, currentIdOf(cli.session, tx.runs), finished, cli.now);
    const state = { ...recorded, adopted: true };
    const event = signed(cli, {
      event: 'advanced',
      finished,
      phase: state.phase,
      ...(output === undefined ? {} : { output }),
      ...(artefacts.length === 0 ? {} : { artefacts }),
    });
    const changed: StoredRun =
      state.status === 'completed'
        ? endRun(cli, tx, run, state, event, false)
        : tx.write(run, state, event);
    return { before: run, after: changed };
  });
  const finished = oneLine(phaseLabel(before.state.phase));
  if (after.state.status === 'completed')
    reportEnd(cli, after, `Finished phase ${finished}, the last one.`);
  else reportRun(cli, after, [], `Finished phase ${finished}.`);
}
