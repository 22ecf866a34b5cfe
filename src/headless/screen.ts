import { formatDuration } from '../text/relative-time.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { cut, pad, widthOf } from '../text/terminal-width.ts';
import { PHASE_SIGNS, type PhaseState } from '../state/progress.ts';
import { eventLine } from './event-line.ts';
import type { RunEvent, Usage } from './event-types.generated.ts';
import { NO_USAGE, sumUsage, usageText } from './usage.ts';

/** What a terminal shows of a driven run. */
export interface RunView {
  run: string;
  workflow: string;
  steps: ViewedStep[];
  /** Where inside the current step: a task, a sub-step, an iteration, a try. */
  detail: string;
  /** What the agent does, or what is being waited for. */
  activity: string;
  /** Of the steps that have ended. */
  ended: Usage;
  /** Of the step that is under way, up to its last turn. */
  open: Usage;
  /** Of the turn that is under way. */
  turnTokens: number;
  /** Percent of the context; null as long as nobody knows. */
  fill: number | null;
  isOver: boolean;
  startedAt: number;
  stepStartedAt: number;
}

interface ViewedStep {
  title: string;
  state: PhaseState;
}

export const NO_VIEW: RunView = {
  run: '',
  workflow: '',
  steps: [],
  detail: '',
  activity: '',
  ended: NO_USAGE,
  open: NO_USAGE,
  turnTokens: 0,
  fill: null,
  isOver: false,
  startedAt: 0,
  stepStartedAt: 0,
};

/** The view after one more event. */
export function withEvent(view: RunView, event: RunEvent): RunView {
  const at = Date.parse(event.at);
  const activity = eventLine(event)?.trim() ?? view.activity;
  switch (event.event) {
    case 'started':
      return {
        ...NO_VIEW,
        run: event.run,
        workflow: event.workflow,
        steps: event.steps,
        startedAt: at,
        stepStartedAt: at,
      };
    case 'step':
      return {
        ...view,
        steps: withStates(view.steps, event.states),
        detail: detailOf(event.label, event.attempt),
        activity: '',
        stepStartedAt: at,
      };
    case 'compacted':
    case 'session':
      return { ...view, activity, fill: null };
    case 'tokens':
      return {
        ...view,
        turnTokens: event.tokens,
        fill: event.context_percent ?? view.fill,
      };
    case 'turn':
      return {
        ...view,
        activity,
        turnTokens: 0,
        open: event.usage,
        fill: event.context_percent ?? view.fill,
      };
    case 'step_ended':
      return {
        ...view,
        open: NO_USAGE,
        ended: sumUsage(view.ended, event.summary),
      };
    case 'stopped':
      return {
        ...view,
        steps: withStates(view.steps, event.states),
        detail: '',
        activity: '',
        isOver: true,
      };
    default:
      return { ...view, activity };
  }
}

/** `label` is such as "step 2 of 5 (build), task 1 of 3": the line of the step has its name already. */
function detailOf(label: string, attempt: number): string {
  const parts: string[] = [];
  const place = /\), (.*)$/.exec(label)?.[1];
  if (place !== undefined && place !== '') parts.push(place);
  if (attempt > 1) parts.push(`try ${attempt}`);
  return parts.join(', ');
}

function withStates(steps: ViewedStep[], states: PhaseState[]): ViewedStep[] {
  return steps.map((step, index) => ({
    ...step,
    state: states[index] ?? step.state,
  }));
}

/** Colours a part of a line; the text keeps its width. */
export type FrameColors = Record<
  'bold' | 'dim' | 'green',
  (text: string) => string
>;

/** Lines beside those of the steps: title, totals, what the agent does, two for steps that are left out, the hint. */
const OTHER_LINES = 6;
/** In a narrower terminal the lines wrap, rather than show nothing. */
const MIN_WIDTH = 10;

/** The lines of a frame; none is wider than the terminal, and there are never more than it has rows. */
export function frameLines(
  view: RunView,
  now: number,
  { columns, rows }: { columns: number; rows: number },
  colors: FrameColors,
): string[] {
  // A line as wide as the terminal would make some of them wrap.
  const width = Math.max(MIN_WIDTH, columns - 1);
  const title = `${sanitizeLine(view.workflow)} (${view.run})`;
  const lines = [
    colors.bold(cut(title, width)),
    cut(totalsLine(view, now), width),
    ...stepLines(view, now, { width, rows }, colors),
  ];
  if (!view.isOver) {
    const hint = `Ctrl-C interrupts; \`holdfast run ${view.run}\` continues`;
    lines.push(colors.dim(cut(hint, width)));
  }
  return lines.slice(0, Math.max(1, rows - 1));
}

function totalsLine(view: RunView, now: number): string {
  const used = sumUsage(view.ended, view.open);
  const totals = usageText(
    {
      ...used,
      tokens: used.tokens + view.turnTokens,
      seconds: Math.round((now - view.startedAt) / 1000),
    },
    ' · ',
  );
  return view.fill === null ? totals : `${totals} · context ${view.fill} %`;
}

/** The steps around the current one, if there are more than fit; the others are counted. */
function stepLines(
  view: RunView,
  now: number,
  { width, rows }: { width: number; rows: number },
  colors: FrameColors,
): string[] {
  const { steps } = view;
  const space = Math.max(1, rows - 1 - OTHER_LINES);
  const current = steps.findIndex(({ state }) => state === 'current');
  const centered = current - Math.floor(space / 2);
  const first = Math.max(0, Math.min(centered, steps.length - space));
  const end = first + space;

  const lines: string[] = [];
  const addCount = (count: number, where: string): void => {
    if (count <= 0) return;
    lines.push(colors.dim(cut(`… ${count} more ${where}`, width)));
  };
  addCount(first, 'above');
  for (const step of steps.slice(first, end)) {
    if (step.state === 'current')
      lines.push(...currentStepLines(view, step, now, width, colors));
    else lines.push(otherStepLine(step, width, colors));
  }
  addCount(steps.length - end, 'below');
  return lines;
}

function otherStepLine(
  step: ViewedStep,
  width: number,
  colors: FrameColors,
): string {
  const line = cut(nameWithMark(step), width);
  return step.state === 'done' ? colors.green(line) : colors.dim(line);
}

/** With the time that it has taken so far at the right edge, and below it what the agent does. */
function currentStepLines(
  view: RunView,
  step: ViewedStep,
  now: number,
  width: number,
  colors: FrameColors,
): string[] {
  const elapsed = formatDuration(now - view.stepStartedAt);
  const detail = view.detail === '' ? '' : `: ${sanitizeLine(view.detail)}`;
  const nameWidth = width - widthOf(elapsed);
  // Two columns stay free before the time.
  const name = cut(`${nameWithMark(step)}${detail}`, nameWidth - 2);
  const head = colors.bold(`${pad(name, nameWidth)}${elapsed}`);
  if (view.activity === '') return [head];
  return [head, cut(`    ${view.activity}`, width)];
}

function nameWithMark({ state, title }: ViewedStep): string {
  return `${PHASE_SIGNS[state]} ${sanitizeLine(title)}`;
}
