import { hostTitle } from '../hosts/hosts.ts';
import { summaryOf, type RunSummary } from '../sessions/run-summary.ts';
import {
  holderOf,
  lastSeen,
  liveHolder,
  sessionRecord,
  type LivenessContext,
} from '../sessions/holder.ts';
import { isArchived } from '../state/paths.ts';
import { isCounted } from '../state/phases.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { shellQuote } from '../text/shell-commands.ts';
import {
  phaseStates,
  templateNameOf,
  waitOf,
  type PhaseState,
  type Wait,
} from '../templates/run-view.ts';

/** A run as a list shows it: that of `list --json`, with what only the page needs. */
export interface RunCard extends RunSummary {
  archived: boolean;
  template: string | null;
  /** What the run waits for. */
  wait: Wait | { for: 'unblocking' } | null;
  /** `host` is empty for Claude Code. */
  holder: { session: string; host: string; isLive: boolean; seenAt: string } | null;
  /** How each phase stands; empty if that is not drawn. */
  phases: PhaseState[];
  /** What continues the run, the first of them in most cases. */
  commands: [ContinueCommand, ...ContinueCommand[]];
}

export interface ContinueCommand {
  label: string;
  command: string;
}

export function runCard(run: StoredRun, context: LivenessContext): RunCard {
  const { state } = run;
  const archived = isArchived(run);
  const card = {
    ...summaryOf(context, run),
    archived,
    template: templateNameOf(state),
    wait: archived || (state.status ?? 'in_progress') !== 'in_progress' ? null : waitFor(state),
    holder: archived ? null : holderIn(state, context),
    phases: archived ? [] : phasesIn(state),
  };
  return { ...card, commands: continueCommands(card) };
}

function waitFor(state: RunState): RunCard['wait'] {
  return state.phase.status === 'blocked' ? { for: 'unblocking' } : waitOf(state);
}

function holderIn(state: RunState, context: LivenessContext): RunCard['holder'] {
  const session = holderOf(state);
  if (session === null) return null;
  return {
    session,
    host: hostTitle(sessionRecord(state, session)),
    isLive: liveHolder(state, context) !== null,
    seenAt: lastSeen(sessionRecord(state, session), context),
  };
}

/** More are drawn as one bar. */
const MAX_PHASES = 24;

export function phasesIn(state: RunState): PhaseState[] {
  const { phase } = state;
  if (!isCounted(phase) || phase.total > MAX_PHASES) return [];
  const stateOf = phaseStates(state);
  return Array.from({ length: phase.total }, (_, index) => stateOf(index + 1));
}

/**
 * What continues a run: for a terminal, or to type in Claude Code. The page copies these; it never runs anything. Only a
 * session can take a run that is active, and not from a live one.
 */
export function continueCommands(
  card: Pick<RunCard, 'run_id' | 'status' | 'archived' | 'wait' | 'holder'>,
): RunCard['commands'] {
  const run = shellQuote(card.run_id);
  if (card.archived) return [{ label: 'Bring it back', command: `holdfast reopen ${run}` }];
  const resume = { label: 'In Claude Code', command: `/holdfast:resume ${run}` };
  if (card.status === 'paused' || card.status === 'failed')
    return [resume, { label: 'In a terminal', command: `holdfast resume ${run}` }];
  if (card.status === 'cancelled')
    return [{ label: 'Archive it', command: `holdfast cancel ${run} --reason "…"` }];
  if (card.status !== 'in_progress')
    return [{ label: 'Archive it', command: `holdfast complete ${run}` }];
  if (card.wait?.for === 'approval')
    return [
      { label: 'Approve', command: `holdfast approve ${run}` },
      { label: 'Send back', command: `holdfast reject ${run} --feedback "…"` },
    ];
  return [
    card.holder?.isLive === true
      ? { label: 'Take it from its session', command: `holdfast release ${run}` }
      : resume,
    { label: 'Where it stands', command: `holdfast status ${run}` },
  ];
}
