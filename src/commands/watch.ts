import { join } from 'node:path';
import fse from 'fs-extra';
import { currentTime } from '../files/environment.ts';
import { runToRead } from '../runs/which-run.ts';
import { phaseWords } from '../state/phase-words.ts';
import { readArchivedRun, rereadRun } from '../state/store/run-files.ts';
import type { Run } from '../state/types.ts';
import { stepLabel } from '../state/progress.ts';
import { waitIdOf } from '../templates/waits.ts';
import { safeJson } from '../text/json.ts';
import { humanizeStatus } from '../text/relative-time.ts';
import { asWord } from '../text/sanitize.ts';
import { NEEDS, needOf } from '../ui/need.ts';
import { summaryOf } from '../ui/run-summary.ts';
import { command } from './command.ts';
import type { WatchEvent } from './json/documents.ts';
import { choiceOption } from './options.ts';
import { ExitCode, type CommandContext, print } from './view/output.ts';

export const watch = command({
  usage: 'watch [run]',
  about:
    'print each change of the run and wait; exits 0 when it has come to that, 3 if it needs you first, 1 if it ended otherwise',
  examples: [
    'holdfast watch --until attention && notify-send "holdfast needs you"',
    'holdfast watch user-auth --until phase --json',
  ],
  options: {
    until: choiceOption(
      'what to wait for: the phase is left, the run is done, it needs you (default: done)',
      'event',
      ['phase', 'done', 'attention'],
    ),
  },
  isLook: true,
  run: async (cli, { run: name, until = 'done' }) => {
    const code = await follow(cli, runToRead(cli, name).run, until);
    if (code !== 0) throw new ExitCode(code);
  },
});

type Until = 'phase' | 'done' | 'attention';

/** Looking is cheap, not every file system tells of changes, and a client that dies changes no file. */
const LOOK_MS = 500;

/** Prints what changes until there is a verdict, and returns the exit code. */
function follow(cli: CommandContext, run: Run, until: Until): Promise<number> {
  const first = look(cli, run);
  let last = '';
  return new Promise((resolve) => {
    const check = (): void => {
      const { at, ...seen } = look(cli, run);
      const text = JSON.stringify(seen);
      if (text !== last)
        print(
          1,
          cli.output.json ? safeJson({ at, ...seen }, 0) : lineOf(seen, at),
        );
      last = text;
      const code = verdict(until, first, seen);
      if (code !== null) end(code);
    };
    const timer = setInterval(check, LOOK_MS);
    const end = (code: number): void => {
      clearInterval(timer);
      resolve(code);
    };
    process.once('SIGINT', () => end(130));
    check();
  });
}

/** The run as it is by now: its own file, else its record in the archive; a file that cannot be read counts as unchanged. */
function look(cli: CommandContext, run: Run): WatchEvent {
  const context = { ...cli, now: currentTime() };
  const stored =
    rereadRun(cli.root, run) ?? readArchivedRun(cli.root, run.runId);
  const isGone =
    stored === undefined && !fse.existsSync(join(cli.root, run.path));
  const current = stored ?? run;
  const { run_id, workflow, status, phase, held_by, ended_early } = summaryOf(
    context,
    current,
  );
  return {
    at: context.now.toISOString(),
    run_id,
    workflow,
    status: isGone ? 'gone' : status,
    phase,
    step: stepLabel(current),
    wait: isGone ? null : waitIdOf(current),
    needs: status === 'paused' ? 'resume' : needOf(current, context),
    held_by,
    ended_early,
  };
}

/** The exit code; null while there is more to wait for. */
function verdict(
  until: Until,
  first: WatchEvent,
  { status, phase, needs }: Omit<WatchEvent, 'at'>,
) {
  const isLeft =
    phase.current !== first.phase.current || phase.line !== first.phase.line;
  if (until === 'attention' && needs !== null) return 0;
  if (until === 'phase' && isLeft && status !== 'gone') return 0;
  if (status === 'completed') return until === 'attention' ? 1 : 0;
  if (status !== 'in_progress' && status !== 'paused') return 1;
  return needs === null ? null : 3;
}

function lineOf(
  { workflow, step, phase, status, needs }: Omit<WatchEvent, 'at'>,
  at: string,
): string {
  const state =
    needs === null || needs === 'resume'
      ? humanizeStatus(status)
      : `needs you: ${NEEDS[needs]}`;
  return `${at.slice(11, 19)}  ${asWord(workflow)} · ${step ?? phaseWords(phase)} · ${state}`;
}
