import { formatDuration, pluralize } from '../text/relative-time.ts';
import { asWord, quoted, sanitizeLine, truncate } from '../text/sanitize.ts';
import { unreachable } from '../text/unreachable.ts';
import type { StepSummary } from './event-types.generated.ts';
import type { DriverEvent } from './setup.ts';
import { usageText } from './usage.ts';

const MAX_COMMAND_CHARS = 300;
const MAX_FAILURE_CHARS = 200;

/** An event in one line, for people; null for what only a terminal shows. */
export function eventLine(event: DriverEvent): string | null {
  switch (event.event) {
    case 'started': {
      const steps = pluralize(event.steps.length, 'step');
      return `driving ${asWord(event.workflow)} (${steps}), log in ${event.log}`;
    }
    case 'took_over':
      return `took over from process ${event.pid}, which no longer runs`;
    case 'client_stopped':
      return `stopped process ${event.pid}, a client that it had left behind`;
    case 'step': {
      const again = event.attempt > 1 ? `, try ${event.attempt}` : '';
      return `${sanitizeLine(event.label)}${again}`;
    }
    case 'session': {
      const agent = event.agent === null ? '' : ` as ${asWord(event.agent)}`;
      return `  ${event.kind} session ${event.session.slice(0, 8)}${agent}`;
    }
    case 'compacted':
      return '  the conversation was compacted';
    case 'compaction_failed': {
      const reason = asWord(event.reason, MAX_COMMAND_CHARS);
      return `  the conversation could not be compacted (${reason}); a fresh one begins`;
    }
    case 'activity': {
      const indent = event.sub_agent ? '    ' : '  ';
      return `${indent}${event.tool} ${event.target}`.trimEnd();
    }
    case 'turn':
      return TURN_TEXT[event.result];
    case 'gate': {
      const command = quoted(event.command, MAX_COMMAND_CHARS);
      return `  the gate ${command} ${GATE_TEXT[event.result]}`;
    }
    case 'until': {
      const command = quoted(event.command, MAX_COMMAND_CHARS);
      const result = event.met
        ? 'exits 0, so the step is finished'
        : 'does not exit 0 yet';
      return `  ${command} ${result}`;
    }
    case 'retry': {
      const failure = truncate(sanitizeLine(event.message), MAX_FAILURE_CHARS);
      const wait = formatDuration(event.wait_seconds * 1000);
      return `  ${failure}; trying again in ${wait}`;
    }
    case 'waiting_for_reset': {
      const wait = formatDuration(event.wait_seconds * 1000);
      return `  the usage limit is reached; waiting ${wait} for its reset`;
    }
    case 'step_ended':
      return `  ${summaryLine(event.summary)}`;
    case 'tokens':
    case 'stopped':
      return null;
    default:
      return unreachable(event);
  }
}

/** A turn that moved the run is told by the next step, and a stop by the last lines. */
const TURN_TEXT = {
  moved: null,
  stop: null,
  requested: '  the agent asks for the next step',
  reported: '  the agent reports that the step is done',
  gave_up: '  the agent reports that the step cannot be done',
  ask_again: '  the turn ended without finishing the step; asking once more',
  unfinished: '  the turn ended again without finishing the step',
  try_again: '  the turn did not complete',
} as const;

const GATE_TEXT = {
  passed: 'passed',
  failed: 'failed',
  timed_out: 'ran out of time',
} as const;

const OUTCOMES = {
  finished: '✓',
  failed: '✗',
  left: '↷',
  stopped: '▸',
} as const;

export function summaryLine(summary: StepSummary): string {
  const mark = OUTCOMES[summary.outcome];
  return `${mark} ${sanitizeLine(summary.label)}: ${usageText(summary)}`;
}
