import { hostTitle } from '../hosts/hosts.ts';
import { holderOf, sessionRecord } from '../sessions/holder.ts';
import { lastSeen } from '../sessions/liveness.ts';
import { goneSince } from '../sessions/liveness.ts';
import { liveHolder } from '../sessions/liveness.ts';
import { type LivenessContext } from '../sessions/liveness.ts';
import type { SessionRegistry } from '../sessions/session-registry.ts';
import { isArchived } from '../state/paths.ts';
import { isCounted } from '../state/phase-words.ts';
import type { Run, RunState } from '../state/types.ts';
import {
  phaseStates,
  templateNameOf,
  waitOf,
  type PhaseState,
} from '../state/progress.ts';
import { continueCommands } from './continue-commands.ts';
import type { RunCard, RunHolder } from './page-data.ts';
import { summaryOf } from './run-summary.ts';

/** Without a registry, it is not known how full the context of the holder is. */
type CardContext = LivenessContext & { registry?: SessionRegistry };

export function runCard(run: Run, context: CardContext): RunCard {
  const { state } = run;
  const summary = summaryOf(context, run);
  const archived = isArchived(run);
  const isOngoing = (state.status ?? 'in_progress') === 'in_progress';
  const holder = archived ? null : holderIn(state, context);

  return {
    ...summary,
    archived,
    template: templateNameOf(state),
    wait: !archived && isOngoing ? waitOf(run) : null,
    holder,
    phases: archived ? [] : phasesIn(run),
    commands: continueCommands(run, summary.status, holder?.live === true),
  };
}

function holderIn(state: RunState, context: CardContext): RunHolder | null {
  const session = holderOf(state);
  if (session === null) return null;
  const record = sessionRecord(state, session);

  return {
    session,
    host: hostTitle(record),
    live: liveHolder(state, context) !== null,
    gone: goneSince(state, context) !== null,
    last_seen: lastSeen(record, context),
    fill: context.registry?.entry(session)?.fill?.percent ?? null,
  };
}

/** More phases than this are drawn as one bar. */
const MAX_PHASES_DRAWN = 24;

export function phasesIn(run: Run): PhaseState[] {
  const { phase } = run.state;
  if (!isCounted(phase) || phase.total > MAX_PHASES_DRAWN) return [];
  const stateOf = phaseStates(run);
  return Array.from({ length: phase.total }, (_, index) => stateOf(index + 1));
}
