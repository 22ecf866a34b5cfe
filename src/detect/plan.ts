import { MAX_LINES } from '../markdown/lines.ts';
import { scanMarkdown } from '../markdown/scan.ts';
import type { MarkdownLine } from '../markdown/types.ts';
import { cleanText, parseField, withoutMarks } from './field-line.ts';
import { hasDoneMark } from './marks.ts';
import { isPhaseHeading, planPhases } from './plan-phases.ts';
import { planReading } from './plan-reading.ts';
import { planStatus, statusOfValue } from './plan-status.ts';
import type { PlanStatus } from './plan-status.ts';
import { findTitle } from './plan-title.ts';
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

// It has to start with a key, after comments at most: the first line of a plan may also be a rule.
const FRONT_MATTER =
  /^\uFEFF?---[ \t]*\r?\n(?=((?:[ \t]*(?:#[^\r\n]*)?\r?\n){0,100})\w[\w -]{0,40}:)([^]*?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;

/** Only plain `key: value` lines are parsed: a status needs nothing else of YAML. */
function splitFrontMatter(text: string): { frontMatter: Map<string, string>; body: string } {
  const block = FRONT_MATTER.exec(text);
  if (!block) return { frontMatter: new Map(), body: text };
  const [whole, comments = '', yaml = ''] = block;
  const body = text.slice(whole.length);
  // A rule, a title and a status above another rule look the same; then there is no other title.
  if (comments.includes('#') && !/^(?:#[ \t]|=+[ \t]*\r?$)/m.test(body)) {
    return { frontMatter: new Map(), body: text };
  }
  const fields = yaml
    .split(/\r?\n/, MAX_LINES)
    .filter((line) => /^[a-z]/i.test(line))
    .flatMap((line) => parseField(line) ?? []);
  return {
    frontMatter: new Map(fields.map(({ label, value }) => [label, unquoted(value)])),
    body,
  };
}

function unquoted(value: string): string {
  return value.replace(/^(["'])(.*)\1$/, '$2');
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
  frontMatter: Map<string, string>,
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
