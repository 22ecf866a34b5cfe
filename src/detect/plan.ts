import { MAX_LINES } from '../markdown/lines.ts';
import { scanMarkdown } from '../markdown/scan.ts';
import type { MarkdownLine } from '../markdown/types.ts';
import { cleanText, parseField, withoutMarks } from './field-line.ts';
import { splitFrontMatter } from './front-matter.ts';
import { hasDoneMark } from './marks.ts';
import { isPhaseHeading, planPhases } from './plan-phases.ts';
import { planReading } from './plan-reading.ts';
import { planStatus, statusOfValue, type PlanStatus } from './plan-status.ts';
import type { DeclaredWorkflow, PlanFile, SourceStatus } from './types.ts';

/** A plan is active if its own status says in progress and it mentions a phase or a workflow. */
export function readPlan(text: string, plan: PlanFile): SourceStatus {
  const { frontMatter, body } = splitFrontMatter(text);
  const declared = frontMatter.get('status');
  const status = declared ? statusOfValue(declared) : statusIn(body);
  if (status === 'finished') return { state: 'finished' };
  if (status === 'waiting') return { state: 'inactive' };

  const lines = scan(body);
  const title = findTitle(lines);
  if (status === undefined && !isMarkedUnderWay(lines, title)) return { state: 'inactive' };
  if (!lines.some(mentionsWorkflow)) return { state: 'none' };
  return { state: 'active', said: declaredIn(lines, title, frontMatter, plan) };
}

function scan(text: string): MarkdownLine[] {
  return scanMarkdown(text, { maxLines: MAX_LINES, hideStruckText: true });
}

const HEAD_LENGTH = 1000;

/** Most plans give their status first and are not active, so the rest is only scanned if it has to be. */
function statusIn(body: string): PlanStatus | undefined {
  const blankLines = ['\n\n', '\n\r\n'].map((blank) => body.indexOf(blank, HEAD_LENGTH));
  const cut = Math.min(...blankLines.filter((index) => index >= 0));
  if (Number.isFinite(cut)) {
    const head = scan(body.slice(0, cut + 1));
    const title = findTitle(head);
    // Whether `# Phase 1` is the title depends on the headings below.
    const isTitleCertain = !(title?.heading && isPhaseHeading(title.heading));
    const status = isTitleCertain ? planStatus(head, title) : undefined;
    if (status) return status;
  }
  const lines = scan(body);
  return planStatus(lines, findTitle(lines));
}

/** Counts only in a plan without a status field. */
function isMarkedUnderWay(lines: MarkdownLine[], title: MarkdownLine | undefined): boolean {
  if (hasDoneMark(title?.heading?.text ?? '')) return false;
  return lines.some(
    (line) => line.heading?.text.includes('🔄') && (line === title || isPhaseHeading(line.heading)),
  );
}

function mentionsWorkflow({ kind, text }: MarkdownLine): boolean {
  return kind === 'text' && /\b(?:phases?|workflows?)\b/i.test(text);
}

function declaredIn(
  lines: MarkdownLine[],
  title: MarkdownLine | undefined,
  frontMatter: ReadonlyMap<string, string>,
  plan: PlanFile,
): DeclaredWorkflow {
  const folder = plan.path.split('/').at(-2) ?? plan.path;
  const number = /^\d{1,15}/.exec(folder)?.[0];
  const type = frontMatter.get('type') ?? typeIn(lines);
  return {
    workflow: nameIn(title) || folder,
    ...(type && { workflow_type: type }),
    ...planPhases(lines, title),
    required_reading: planReading(lines, plan),
    key_reminders: [],
    context: {
      ...(number !== undefined && { plan_number: Number(number) }),
      plan_name: folder,
    },
  };
}

function nameIn(title: MarkdownLine | undefined): string {
  const text = withoutMarks(cleanText(title?.heading?.text ?? ''));
  return cleanText(text.replace(PLAN_PREFIX, ''));
}

const PLAN_PREFIX = /^plan(?:[\s#-]{0,3}\d+[a-z]?)?\s{0,3}(?::|[–—]|(?<=\s)-(?=\s|$))/i;

function typeIn(lines: MarkdownLine[]): string | undefined {
  const headings = lines.filter(({ heading }) => heading?.lines === 1);
  const preambleEnd = headings[1]?.number ?? Infinity;
  return lines
    .filter(({ number, kind }) => number < preambleEnd && kind === 'text')
    .map(({ text }) => parseField(text))
    .find((field) => field?.label === 'type' && field.value !== '')?.value;
}

/**
 * The line with the plan's title: its first heading of level 1 that is not a phase. `# Phase 2 rollout` at the top is a
 * title too, unless the phases themselves are headings of level 1.
 */
function findTitle(lines: MarkdownLine[]): MarkdownLine | undefined {
  const headings = lines.filter(({ heading }) => heading !== undefined);
  const candidates = headings.filter(({ heading }) => heading?.level === 1);
  const title = candidates.find((line) => !isPhase(line));
  const [first] = headings;
  const isNamedAfterPhase =
    first !== undefined && first === candidates[0] && candidates.filter(isPhase).length === 1;
  return isNamedAfterPhase ? first : title;
}

function isPhase({ heading }: MarkdownLine): boolean {
  return heading !== undefined && isPhaseHeading(heading);
}
