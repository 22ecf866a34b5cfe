import { join, relative, resolve } from 'node:path';
import { homeFolder, isInside } from '../../files/environment.ts';
import { type ReadResult, locate, readTextFile } from '../../files/read-file.ts';
import { planReminder } from '../../guidance/frame.ts';
import {
  type OperationContext,
  projectPath,
  requireReadable,
} from '../../sessions/open-project.ts';
import { readAnyPlan } from '../../sources/parse/read-format.ts';
import { newState, sourceOf } from '../../sources/plan-sync.ts';
import { readSources } from '../../sources/read-sources.ts';
import { ANY_PLAN, type SourceUpdate } from '../../sources/types.ts';
import type { RunState } from '../../state/types.ts';
import { HoldfastError, unreadableInput } from '../../text/holdfast-error.ts';

/** As for plans that hooks read. */
const MAX_BYTES = 1_000_000;

export interface PlanRun {
  state: RunState;
  /** The plan as a source of the run; null if it is outside the project, where hooks read nothing. */
  update: SourceUpdate | null;
}

/**
 * A run of any Markdown plan. A plan in the project stays the source of its run. Of one outside the project, the run
 * only keeps the phases as they are now.
 */
export function newPlanRun(context: OperationContext, given: string): PlanRun {
  const { root, settings, now } = context;
  const named = expandHome(given.replace(/^@/, ''));
  requireReadable(context, named);
  const path = projectPath(context, named);
  const full = resolve(root, path);
  const text = textOf(given, readTextFile(full, MAX_BYTES));
  const isFollowed = locate(root, full) === 'inside' && path !== settings.detect.local_file;
  if (!isFollowed) return { state: copyOf(context, path, text), update: null };

  const only = new Set([path]);
  const { sources } = readSources(root, settings.detect, { only, started: only });
  const source = sources.find((each) => each.path === path);
  if (source === undefined || source.reading.state !== 'active')
    throw refusal(path, source?.reading.state === 'finished');
  const update = { source, declared: source.reading.said };
  return {
    state: {
      ...newState(update, now),
      created_at: now.toISOString(),
      source: { ...sourceOf(update), started: true },
    },
    update,
  };
}

/** Hooks never read outside the project, so the run does not follow the plan; the agent is asked to open it. */
function copyOf({ root, now }: OperationContext, path: string, text: string): RunState {
  const shown = shownPath(root, path);
  const plan = readAnyPlan(text, path);
  if (plan === null || plan.phase?.status === 'completed') throw refusal(shown, plan !== null);
  const { source: _none, ...state } = newState(
    { source: { kind: 'plan', path: shown, reading: { state: 'none' } }, declared: plan },
    now,
  );
  return {
    ...state,
    required_reading: [`@${shown}`],
    key_reminders: [planReminder(shown)],
    source: { kind: 'cli', plan: shown, format: ANY_PLAN },
  };
}

/** A link in the project keeps its name; the home folder is shortened, so that the path is right for another user, too. */
function shownPath(root: string, path: string): string {
  const full = resolve(root, path);
  const home = homeFolder();
  if (isInside(resolve(root), full)) return path;
  return isInside(home, full) ? `~/${relative(home, full)}` : full;
}

/** A shell leaves the `~` of `--from-plan=~/…` alone. */
function expandHome(path: string): string {
  return path.startsWith('~/') ? join(homeFolder(), path.slice(2)) : path;
}

function textOf(given: string, file: ReadResult): string {
  if (file.kind === 'text') return file.text;
  throw unreadableInput(
    given,
    file.kind === 'absent'
      ? 'there is no such file'
      : file.why === 'too large'
        ? `it is larger than ${MAX_BYTES / 1_000_000} MB`
        : file.why,
  );
}

function refusal(plan: string, isFinished: boolean): HoldfastError {
  return isFinished
    ? new HoldfastError(
        'plan_finished',
        `every item of ${plan} is done: there is nothing to start`,
        {
          hint: 'add an open item, such as `- [ ] write the tests`, or start another run with `holdfast start <name>`',
        },
      )
    : new HoldfastError(
        'plan_without_phases',
        `${plan} has no phases: no check boxes and no numbered headings`,
        {
          hint: 'add items such as `- [ ] write the tests` below headings, or name the phases yourself with `holdfast start <name> --phases "A,B,C" --read <file>`',
        },
      );
}
