import { isCounted, uncountedText } from '../../state/phases.ts';
import {
  holderOf,
  liveHolder,
  sessionRecord,
  lastSeen,
  type LivenessContext,
} from '../../sessions/holder.ts';
import { recencyOf } from '../../sessions/select-run.ts';
import { ARCHIVE_FOLDER } from '../../state/paths.ts';
import type { RunState, StoredRun } from '../../state/types.ts';
import { contextActionState } from '../../workflow/machine/context-action.ts';
import { positionOf } from '../../workflow/machine/position.ts';
import { awaitsContext, templateNameOf } from '../../workflow/run-view.ts';
import { inspectRun } from '../../workflow/run.ts';
import { continueCommands } from './commands.ts';
import { oneLine, orNull } from './text.ts';
import type { Holder, PhaseFacts, RunCard, Waiting } from './types/overview.ts';

const MAX_NAME = 200;

/** A run as a list shows it. */
export function runCard(run: StoredRun, context: LivenessContext): RunCard {
  const { runId, state } = run;
  const isArchived = run.path.startsWith(`${ARCHIVE_FOLDER}/`);
  const status = state.status ?? 'in_progress';
  const card = {
    id: runId,
    workflow: oneLine(state.workflow, MAX_NAME),
    template: orNull(templateNameOf(state) ?? undefined),
    status,
    isArchived,
    phase: phaseFacts(state),
    waitsFor: status === 'in_progress' && !isArchived ? waitingOf(state) : null,
    holder: isArchived ? null : holderFacts(state, context),
    updatedAt: timeText(recencyOf(run)),
  };
  return { ...card, command: continueCommands(card)[0].command };
}

function phaseFacts({ phase }: RunState): PhaseFacts {
  const { current, total, status } = phase;
  const counted = isCounted(phase);
  const name = oneLine(counted ? phase.name : uncountedText(phase), MAX_NAME);
  return { current, total, isCounted: counted, name, status };
}

function waitingOf(state: RunState): Waiting | null {
  if (state.phase.status === 'blocked') return 'unblocking';
  const run = inspectRun(state);
  if (run.kind !== 'template' || run.machine.status !== 'running') return null;
  const { kind } = positionOf(run.template, run.machine);
  if (kind === 'approval') return 'approval';
  if (kind === 'waiting') return 'tasks';
  return awaitsContext(state) ? (contextActionState(run.machine)?.command ?? null) : null;
}

function holderFacts(state: RunState, context: LivenessContext): Holder | null {
  const holder = holderOf(state);
  if (holder === null) return null;
  return {
    session: oneLine(holder, MAX_NAME),
    isLive: liveHolder(state, context) !== null,
    seenAt: orNull(lastSeen(sessionRecord(state, holder), context)),
  };
}

/** An ISO time; the epoch for a number that no date has. */
function timeText(time: number): string {
  const date = new Date(time);
  return (Number.isNaN(date.getTime()) ? new Date(0) : date).toISOString();
}
