import { sanitizeLine, truncate } from '../../util/sanitize.ts';
import { unreachable } from '../../util/unreachable.ts';
import { pluralize } from '../../util/relative-time.ts';
import type { DriverEvent, StepSummary, Usage } from '../events.ts';
import { formatDuration } from '../limits/limits.ts';

/** An event in one line, for people; null for what only a terminal shows. */
export function eventLine(event: DriverEvent): string | null {
  switch (event.event) {
    case 'started':
      return `driving ${sanitizeLine(event.workflow)} (${pluralize(event.steps.length, 'step')}), log in ${event.log}`;
    case 'took_over':
      return `took over from process ${event.pid}, which no longer runs`;
    case 'waiting_for_client':
      return `waiting for process ${event.pid}, a client that still works on this step`;
    case 'client_ended':
      return `process ${event.pid} has ended`;
    case 'step':
      return `${sanitizeLine(event.label)}${event.attempt > 1 ? `, try ${event.attempt}` : ''}`;
    case 'session': {
      const agent = event.agent === null ? '' : ` as ${sanitizeLine(event.agent)}`;
      return `  ${event.kind} session ${event.session.slice(0, 8)}${agent}`;
    }
    case 'compacted':
      return '  the conversation was compacted';
    case 'compaction_failed':
      return `  the conversation could not be compacted (${sanitizeLine(event.reason)}); a fresh one begins`;
    case 'activity':
      return `  ${event.sub_agent ? '  ' : ''}${event.tool}${event.target === '' ? '' : ` ${event.target}`}`;
    case 'tokens':
      return null;
    case 'turn':
      return event.result === 'moved' || event.result === 'stop'
        ? null
        : `  ${TURN_TEXT[event.result]}`;
    case 'gate':
      return `  the gate \`${sanitizeLine(event.command)}\` ${GATE_TEXT[event.result]}`;
    case 'until':
      return `  \`${sanitizeLine(event.command)}\` ${event.met ? 'exits 0, so the step is finished' : 'does not exit 0 yet'}`;
    case 'retry':
      return `  ${truncate(sanitizeLine(event.message), 200)}; trying again in ${formatDuration(event.wait_seconds * 1000)}`;
    case 'waiting_for_reset':
      return `  the usage limit is reached; waiting ${formatDuration(event.wait_seconds * 1000)} for its reset`;
    case 'step_ended':
      return `  ${summaryLine(event.summary)}`;
    case 'warning':
      return `warning: ${sanitizeLine(event.message)}`;
    case 'stopped':
      return null;
    default:
      return unreachable(event);
  }
}

const TURN_TEXT = {
  requested: 'the agent asks for the next step',
  reported: 'the agent reports that the step is done',
  gave_up: 'the agent reports that the step cannot be done',
  ask_again: 'the turn ended without finishing the step; asking once more',
  unfinished: 'the turn ended again without finishing the step',
  try_again: 'the turn did not complete',
} as const;

const GATE_TEXT = {
  passed: 'passed',
  failed: 'failed',
  timed_out: 'ran out of time',
} as const;

const OUTCOMES: Record<StepSummary['outcome'], string> = {
  finished: '✓',
  failed: '✗',
  left: '↷',
  stopped: '▸',
};

/** A step of the final summary. */
export function summaryLine(summary: StepSummary): string {
  return `${OUTCOMES[summary.outcome]} ${sanitizeLine(summary.label)}: ${usageText(summary)}`;
}

export function usageText({ turns, tokens, cost_usd, seconds }: Usage): string {
  return [
    formatDuration(seconds * 1000),
    pluralize(turns, 'turn'),
    `${formatTokens(tokens)} tokens`,
    costText(cost_usd),
  ].join(', ');
}

export function costText(cost: number | null): string {
  if (cost === null) return 'cost unknown';
  return `$${cost < 1 ? cost.toFixed(4) : cost.toFixed(2)}`;
}

export function formatTokens(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  if (tokens < 1_000_000) return `${(tokens / 1_000).toFixed(tokens < 10_000 ? 1 : 0)}k`;
  return `${(tokens / 1_000_000).toFixed(1)}M`;
}
