import { requireNextKnown } from '../runs/advance.ts';
import { withRun } from '../runs/change-run.ts';
import { saveMove } from '../runs/move-run.ts';
import { requireActive } from '../runs/which-run.ts';
import { noSuchPhase } from '../state/edits.ts';
import {
  isPhaseNumber,
  positionOfPhase,
  relabelled,
} from '../state/phase-labels.ts';
import { phaseLabel, phaseWords } from '../state/phase-words.ts';
import { markSkipped, skipPhase } from '../state/phases.ts';
import { machineOf, withMachine } from '../state/template-run.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { command, type Shown } from './command.ts';
import type { CommandDocuments } from './json/documents.ts';
import { parsedOption, textOption } from './options.ts';
import { showMove } from './view/report-run.ts';
import type { Run } from '../state/types.ts';
import { withState } from '../state/run.ts';

export const skip = command({
  usage: 'skip [run]',
  about:
    'leave the current phase undone, or a later one; it is shown as skipped, never as done',
  examples: [
    'holdfast skip --reason "the feature needs no migration"',
    'holdfast skip --phase 4 --reason "no upgrade guide in this release"',
  ],
  options: {
    phase: parsedOption(
      'a later phase of a run without a template, by its number (default: the current one)',
      'n',
      (input, bad) => {
        const typed = input.trim();
        if (!isPhaseNumber(typed)) throw bad('a number such as 3 or 7.3');
        return typed;
      },
    ),
    reason: textOption('why'),
  },
  run: (
    cli,
    { run: name, phase, reason = '' },
  ): Shown<CommandDocuments['skip']> => {
    const moved = withRun(cli, name, (run, tx, log) => {
      requireActive(run, 'skip');
      requireNextKnown(run);
      const { phase: current } = run.state;
      const target =
        phase === undefined
          ? current.current
          : positionOfPhase(run.state, phase);
      requireSkippable(run, target);
      const machine = machineOf(run);
      machine?.skip();
      const after =
        machine === null
          ? withState(run, skipPhase(run.state, target, reason))
          : withMachine(
              withState(run, markSkipped(run.state, target, reason)),
              machine,
            );
      const title =
        target === current.current
          ? current.name
          : (run.state.phases?.[target - 1] ?? '');
      const left = relabelled(run.state, {
        ...current,
        current: target,
        name: title,
      });
      const skipped = phaseLabel(left);
      const event = log({
        event: 'skipped',
        skipped,
        reason,
        phase: after.state.phase,
      });
      const words = phaseWords(left);
      return {
        ...saveMove(cli, cli.caller, tx, { before: run, after, event }),
        skipped: words,
      };
    });
    const why = reason === '' ? '' : `: ${reason}`;
    const done = `Skipped phase ${moved.skipped}${sanitizeLine(why)}.`;
    return showMove(cli, moved, { done, isMove: phase === undefined });
  },
});

function requireSkippable(run: Run, phase: number): void {
  const { runId } = run;
  const { current, total } = run.state.phase;
  if (phase > total || phase < 1)
    throw noSuchPhase(phase, total, '`holdfast status` shows which there are');
  const refused = (why: string, hint: string): HoldfastError =>
    new HoldfastError(
      'phase_not_skippable',
      `phase ${phase} of ${runId} ${why}`,
      { hint },
    );
  if (phase < current)
    throw refused(
      `is over: the run is in phase ${current}`,
      `skip phase ${current} or a later one`,
    );
  if (phase > current && machineOf(run) !== null)
    throw refused(
      'cannot be skipped in advance: its template decides the steps',
      `skip it with \`holdfast skip ${runId} --reason "…"\` once the run is there`,
    );
}
