import { cut, pad, widthOf } from '../../util/terminal-width.ts';
import { pluralize } from '../../util/relative-time.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import { formatDuration } from '../limits/limits.ts';
import { costText, formatTokens } from './event-line.ts';
import type { RunView, StepView } from './run-view.ts';

export interface FrameSize {
  columns: number;
  rows: number;
}

/** Colours a part of a line; the text keeps its width. */
export interface FrameColors {
  bold: (text: string) => string;
  dim: (text: string) => string;
  green: (text: string) => string;
  red: (text: string) => string;
}

const MARKS: Record<StepView['state'], string> = {
  done: '✓',
  current: '▸',
  open: '·',
  skipped: '↷',
  passed: '–',
  failed: '✗',
};

/** Lines beside those of the steps: title, totals, the two of the current step, the hint. */
const OTHER_LINES = 5;

/** The lines of a frame; none is wider than the terminal, and there are never more than it has rows. */
export function frameLines(
  view: RunView,
  now: number,
  { columns, rows }: FrameSize,
  colors: FrameColors,
): string[] {
  // A line as wide as the terminal would make some of them wrap.
  const width = Math.max(10, columns - 1);
  const line = (text: string): string => cut(text, width);
  const steps = visibleSteps(view.steps, Math.max(1, rows - 1 - OTHER_LINES));
  const lines = [
    colors.bold(line(`${sanitizeLine(view.workflow)} (${view.run})`)),
    line(totals(view, now)),
    ...steps.flatMap((step) =>
      typeof step === 'string'
        ? [colors.dim(line(step))]
        : stepLines(view, step, now, width, colors),
    ),
    ...(view.notice === '' ? [] : [line(`  ${view.notice}`)]),
    ...(view.isOver
      ? []
      : [colors.dim(line(`Ctrl-C interrupts; \`holdfast run ${view.run}\` continues`))]),
  ];
  return lines.slice(0, Math.max(1, rows - 1));
}

function totals(view: RunView, now: number): string {
  const { tokens, costUsd, isCostComplete, turns, open, turnTokens, fill } = view;
  const isComplete = isCostComplete && open.costUsd !== null;
  return [
    formatDuration(now - view.startedAt),
    pluralize(turns + open.turns, 'turn'),
    `${formatTokens(tokens + open.tokens + turnTokens)} tokens`,
    isComplete ? costText(costUsd + (open.costUsd ?? 0)) : costText(null),
    ...(fill === null ? [] : [`context ${fill} %`]),
  ].join(' · ');
}

function stepLines(
  view: RunView,
  step: StepView,
  now: number,
  width: number,
  colors: FrameColors,
): string[] {
  const title = `${MARKS[step.state]} ${sanitizeLine(step.title)}`;
  if (step.state !== 'current') {
    const used =
      step.turns === 0 ? '' : `${formatDuration(step.seconds * 1000)}, ${costText(step.costUsd)}`;
    const text =
      used === ''
        ? cut(title, width)
        : `${pad(cut(title, width - widthOf(used) - 2), width - widthOf(used))}${used}`;
    if (step.state === 'done') return [colors.green(text)];
    return [step.state === 'failed' ? colors.red(text) : colors.dim(text)];
  }
  const elapsed = formatDuration(now - view.stepStartedAt);
  const detail = view.detail === '' ? '' : `: ${sanitizeLine(view.detail)}`;
  const head = cut(`${title}${detail}`, width - widthOf(elapsed) - 2);
  const lines = [colors.bold(`${pad(head, width - widthOf(elapsed))}${elapsed}`)];
  return view.activity === '' ? lines : [...lines, cut(`    ${view.activity}`, width)];
}

/** The steps around the current one, if there are more than fit; the others are counted. */
function visibleSteps(steps: readonly StepView[], max: number): (StepView | string)[] {
  if (steps.length <= max) return [...steps];
  const current = Math.max(
    0,
    steps.findIndex(({ state }) => state === 'current'),
  );
  const space = Math.max(1, max - 2);
  const from = Math.max(0, Math.min(current - Math.floor(space / 2), steps.length - space));
  const to = from + space;
  return [
    ...(from === 0 ? [] : [`… ${from} more above`]),
    ...steps.slice(from, to),
    ...(to >= steps.length ? [] : [`… ${steps.length - to} more below`]),
  ];
}
