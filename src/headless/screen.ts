import { formatDuration, pluralize } from '../text/relative-time.ts';
import { asWord, quoted, sanitizeLine, truncate } from '../text/sanitize.ts';
import { cut, pad, widthOf } from '../text/terminal-width.ts';
import { unreachable } from '../text/unreachable.ts';
import type { PhaseState } from '../state/progress.ts';
import type { DriverEvent } from './setup.ts';
import type { RunEvent, StepSummary, Usage } from './event-types.generated.ts';

const MAX_COMMAND = 300;

/** An event in one line, for people; null for what only a terminal shows. */
export function eventLine(event: DriverEvent): string | null {
  switch (event.event) {
    case 'started':
      return `driving ${asWord(event.workflow)} (${pluralize(event.steps.length, 'step')}), log in ${event.log}`;
    case 'took_over':
      return `took over from process ${event.pid}, which no longer runs`;
    case 'client_stopped':
      return `stopped process ${event.pid}, a client that it had left behind`;
    case 'step':
      return `${sanitizeLine(event.label)}${event.attempt > 1 ? `, try ${event.attempt}` : ''}`;
    case 'session': {
      const agent = event.agent === null ? '' : ` as ${asWord(event.agent)}`;
      return `  ${event.kind} session ${event.session.slice(0, 8)}${agent}`;
    }
    case 'compacted':
      return '  the conversation was compacted';
    case 'compaction_failed':
      return `  the conversation could not be compacted (${asWord(event.reason, MAX_COMMAND)}); a fresh one begins`;
    case 'activity':
      return `  ${event.sub_agent ? '  ' : ''}${event.tool} ${event.target}`.trimEnd();
    case 'turn':
      return TURN_TEXT[event.result];
    case 'gate':
      return `  the gate ${quoted(event.command, MAX_COMMAND)} ${GATE_TEXT[event.result]}`;
    case 'until':
      return `  ${quoted(event.command, MAX_COMMAND)} ${event.met ? 'exits 0, so the step is finished' : 'does not exit 0 yet'}`;
    case 'retry':
      return `  ${truncate(sanitizeLine(event.message), 200)}; trying again in ${formatDuration(event.wait_seconds * 1000)}`;
    case 'waiting_for_reset':
      return `  the usage limit is reached; waiting ${formatDuration(event.wait_seconds * 1000)} for its reset`;
    case 'step_ended':
      return `  ${summaryLine(event.summary)}`;
    case 'tokens':
    case 'stopped':
      return null;
    default:
      return unreachable(event);
  }
}

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

export const summaryLine = (summary: StepSummary): string =>
  `${OUTCOMES[summary.outcome]} ${sanitizeLine(summary.label)}: ${usageText(summary)}`;

export const usageText = (
  { turns, tokens, cost_usd, seconds }: Usage,
  separator = ', ',
): string =>
  [
    formatDuration(seconds * 1000),
    pluralize(turns, 'turn'),
    `${formatTokens(tokens)} tokens`,
    cost_usd === null
      ? 'cost unknown'
      : `$${cost_usd.toFixed(cost_usd < 1 ? 4 : 2)}`,
  ].join(separator);

function formatTokens(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  if (tokens < 1_000_000)
    return `${(tokens / 1_000).toFixed(tokens < 10_000 ? 1 : 0)}k`;
  return `${(tokens / 1_000_000).toFixed(1)}M`;
}

/** Of a turn without a result nobody knows the cost, and then that of the whole is unknown too. */
export const sumUsage = (a: Usage, b: Usage): Usage => ({
  turns: a.turns + b.turns,
  tokens: a.tokens + b.tokens,
  cost_usd:
    a.cost_usd === null || b.cost_usd === null ? null : a.cost_usd + b.cost_usd,
  seconds: a.seconds + b.seconds,
});

export const NOTHING: Usage = { turns: 0, tokens: 0, cost_usd: 0, seconds: 0 };

export const NO_VIEW = {
  run: '',
  workflow: '',
  steps: [] as { title: string; state: PhaseState }[],
  /** Where inside the current step: a task, a sub-step, an iteration, a try. */
  detail: '',
  /** What the agent does, or what is being waited for. */
  activity: '',
  /** Of the steps that have ended, of the one that is under way, and of its turn that is. */
  ended: NOTHING,
  open: NOTHING,
  turnTokens: 0,
  fill: null as number | null,
  isOver: false,
  startedAt: 0,
  stepStartedAt: 0,
};

export type RunView = typeof NO_VIEW;

export function withEvent(view: RunView, event: RunEvent): RunView {
  const at = Date.parse(event.at);
  const activity = eventLine(event)?.trim() ?? view.activity;
  switch (event.event) {
    case 'started': {
      const { run, workflow, steps } = event;
      return {
        ...NO_VIEW,
        run,
        workflow,
        steps,
        startedAt: at,
        stepStartedAt: at,
      };
    }
    case 'step': {
      const [, place = ''] = /\), (.*)$/.exec(event.label) ?? [];
      const again = event.attempt > 1 ? `try ${event.attempt}` : '';
      const detail = [place, again].filter((part) => part !== '').join(', ');
      return {
        ...withStates(view, event),
        detail,
        activity: '',
        stepStartedAt: at,
      };
    }
    case 'compacted':
    case 'session':
      return { ...view, activity, fill: null };
    case 'tokens':
      return {
        ...view,
        turnTokens: event.tokens,
        fill: event.context_percent ?? view.fill,
      };
    case 'turn': {
      const fill = event.context_percent ?? view.fill;
      return { ...view, activity, turnTokens: 0, open: event.usage, fill };
    }
    case 'step_ended':
      return {
        ...view,
        open: NOTHING,
        ended: sumUsage(view.ended, event.summary),
      };
    case 'stopped':
      return {
        ...withStates(view, event),
        detail: '',
        activity: '',
        isOver: true,
      };
    default:
      return { ...view, activity };
  }
}

function withStates(
  view: RunView,
  { states }: { states: PhaseState[] },
): RunView {
  const steps = view.steps.map((step, index) => ({
    ...step,
    state: states[index] ?? step.state,
  }));
  return { ...view, steps };
}

/** Colours a part of a line; the text keeps its width. */
export type FrameColors = Record<
  'bold' | 'dim' | 'green',
  (text: string) => string
>;

export const MARKS: Record<PhaseState, string> = {
  done: '✓',
  current: '▸',
  open: '·',
  skipped: '↷',
  passed: '–',
};

/** Lines beside those of the steps: title, totals, what the agent does, two for steps that are left out, the hint. */
const OTHER_LINES = 6;

/** The lines of a frame; none is wider than the terminal, and there are never more than it has rows. */
export function frameLines(
  view: RunView,
  now: number,
  { columns, rows }: { columns: number; rows: number },
  colors: FrameColors,
): string[] {
  // A line as wide as the terminal would make some of them wrap.
  const width = Math.max(10, columns - 1);
  const used = sumUsage(view.ended, view.open);
  const seconds = Math.round((now - view.startedAt) / 1000);
  const totals = usageText(
    { ...used, tokens: used.tokens + view.turnTokens, seconds },
    ' · ',
  );
  const current = view.steps.findIndex(({ state }) => state === 'current');
  // The steps around the current one, if there are more than fit; the others are counted.
  const space = Math.max(1, rows - 1 - OTHER_LINES);
  const from = Math.max(
    0,
    Math.min(current - Math.floor(space / 2), view.steps.length - space),
  );
  const below = view.steps.length - from - space;
  const more = (count: number, where: string): string[] =>
    count > 0 ? [colors.dim(cut(`… ${count} more ${where}`, width))] : [];
  const lines = [
    colors.bold(cut(`${sanitizeLine(view.workflow)} (${view.run})`, width)),
    cut(
      `${totals}${view.fill === null ? '' : ` · context ${view.fill} %`}`,
      width,
    ),
    ...more(from, 'above'),
    ...view.steps.slice(from, from + space).flatMap(({ title, state }) => {
      const name = `${MARKS[state]} ${sanitizeLine(title)}`;
      if (state !== 'current')
        return [
          (state === 'done' ? colors.green : colors.dim)(cut(name, width)),
        ];
      const elapsed = formatDuration(now - view.stepStartedAt);
      const room = width - widthOf(elapsed);
      const detail = view.detail === '' ? '' : `: ${sanitizeLine(view.detail)}`;
      const head = colors.bold(
        `${pad(cut(`${name}${detail}`, room - 2), room)}${elapsed}`,
      );
      return view.activity === ''
        ? [head]
        : [head, cut(`    ${view.activity}`, width)];
    }),
    ...more(below, 'below'),
    ...(view.isOver
      ? []
      : [
          colors.dim(
            cut(
              `Ctrl-C interrupts; \`holdfast run ${view.run}\` continues`,
              width,
            ),
          ),
        ]),
  ];
  return lines.slice(0, Math.max(1, rows - 1));
}
