import { basename, resolve } from 'node:path';
import { homeFolder } from '../../files/environment.ts';
import { locate } from '../../files/read-file.ts';
import {
  type OperationContext,
  projectPath,
  requireReadable,
} from '../../sessions/open-project.ts';
import { readAnyPlan, readStartedPlan } from '../../sources/parse/read-format.ts';
import { newState, sourceOf } from '../../sources/plan-sync.ts';
import { readSources } from '../../sources/read-sources.ts';
import { ANY_PLAN, type SourceUpdate } from '../../sources/types.ts';
import { lastIn } from '../../sessions/session-registry.ts';
import { MAX_PLAN_BYTES, runFolder } from '../../state/paths.ts';
import type { RunState } from '../../state/types.ts';
import { HoldfastError, unreadableInput } from '../../text/holdfast-error.ts';
import { slugOf } from '../../text/slug.ts';
import { fileText } from '../options.ts';

/** As for plans that hooks read. */
const MAX_BYTES = 1_000_000;

export interface PlanRun {
  state: RunState;
  /** The plan as a source of the run; null for a run without one. */
  update: SourceUpdate | null;
}

/** The plan that the person accepted last. */
export const ACCEPTED = Symbol('accepted');

/**
 * A run of any Markdown plan. A plan in the project stays the source of its run. Hooks read nothing outside the project,
 * so that of another plan a copy, which the state contains, is the source.
 */
export function newPlanRun(
  context: OperationContext,
  given: string | typeof ACCEPTED,
  name: string | undefined,
): PlanRun {
  const { root, settings, now } = context;
  if (given === ACCEPTED) return copyOf(context, acceptedPlan(context), name);
  // A shell leaves the `~` of `--from-plan=~/…` alone.
  const named = given.replace(/^@/, '').replace(/^~(?=\/)/, homeFolder);
  requireReadable(context, named);
  const path = projectPath(context, named);
  const full = resolve(root, path);
  const text = fileText(full, given, MAX_BYTES);
  const isFollowed = locate(root, full) === 'inside' && path !== settings.detect.local_file;
  if (!isFollowed) return copyOf(context, { path, text }, name);

  const { sources } = readSources(root, settings.detect, { started: new Set([path]) });
  const source = sources.find((each) => each.path === path);
  if (source?.state !== 'active') throw refusal(path, source?.state === 'finished');
  return startedFrom(source, now);
}

function startedFrom(update: SourceUpdate, now: Date, text?: string): PlanRun {
  return {
    state: {
      ...newState(update, now),
      created_at: now.toISOString(),
      source: { ...sourceOf(update), started: true, ...(text !== undefined && { text }) },
    },
    update,
  };
}

function copyOf(
  { now }: OperationContext,
  { path: original, text }: { path: string; text: string },
  name: string | undefined,
): PlanRun {
  if (text.length > MAX_PLAN_BYTES)
    throw unreadableInput(original, 'it is larger than 64 KB; copy it into the project first');
  const file = basename(original) || 'plan.md';
  const workflow = name ?? readAnyPlan(text, file)?.workflow ?? '';
  const path = `${runFolder({ slug: slugOf(workflow) })}/${file.replace(/(?:\.md)?$/, '.md')}`;
  const plan = { path, text, companions: new Map<string, string>(), exists: () => false };
  const reading = readStartedPlan(plan, undefined);
  if (reading.state !== 'active') throw refusal(original, reading.state === 'finished');
  return startedFrom({ kind: 'plan', path, format: ANY_PLAN, ...reading }, now, text);
}

function acceptedPlan({ registry, root }: OperationContext): { path: string; text: string } {
  const plan = lastIn(registry, 'plan', root);
  if (plan !== undefined) return plan;
  throw new HoldfastError('no_accepted_plan', 'no plan was accepted in plan mode here', {
    hint: 'name the file: `holdfast start --from-plan <file>`',
  });
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
        `${plan} has no phases: no check boxes, and no numbered headings or steps`,
        {
          hint: 'add items such as `- [ ] write the tests` below headings, or name the phases yourself with `holdfast start <name> --phases "A,B,C" --read <file>`',
        },
      );
}
