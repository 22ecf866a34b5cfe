import type { MarkdownLine } from '../markdown/types.ts';
import { cleanText, parseField, withoutMarks } from './field-line.ts';
import { scanMarkdown } from '../markdown/scan.ts';
import { MAX_LINES } from '../markdown/lines.ts';
import { isPhaseHeading, planPhases } from './plan-phases.ts';
import { planReading } from './plan-reading.ts';
import { planStatus, statusOf } from './plan-status.ts';
import type { PlanStatus } from './plan-status.ts';
import type { PlanFile, DeclaredWorkflow, SourceStatus } from './types.ts';

/** A plan is active when its own status says in progress and it mentions a phase or a workflow. */
export function readPlan(text: string, plan: PlanFile): SourceStatus {
  const { frontMatter, body } = splitFrontMatter(text);
  const declared = frontMatter.get('status');
  const status = declared ? (statusOf(declared)?.status ?? 'waiting') : statusIn(body);
  if (status === 'finished') return { state: 'finished' };
  if (status !== 'in progress') return { state: 'inactive' };

  const lines = scanMarkdown(body, MAX_LINES);
  if (!lines.some(mentionsWorkflow)) return { state: 'none' };
  return { state: 'active', said: planSaid(lines, frontMatter, plan) };
}

// It has to start with a key: a rule may be the first line of a plan too.
const FRONT_MATTER =
  /^\uFEFF?---[ \t]*\r?\n(?=\w[\w -]{0,40}:)([^]*?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;

/** Only plain `key: value` lines count: nothing else of YAML is needed for a status. */
function splitFrontMatter(text: string): { frontMatter: Map<string, string>; body: string } {
  const block = FRONT_MATTER.exec(text);
  if (!block) return { frontMatter: new Map(), body: text };
  const [whole, yaml = ''] = block;
  const fields = yaml
    .split(/\r?\n/, MAX_LINES)
    .filter((line) => /^[a-z]/i.test(line))
    .flatMap((line) => parseField(line) ?? []);
  return {
    frontMatter: new Map(fields.map(({ label, value }) => [label, unquoted(value)])),
    body: text.slice(whole.length),
  };
}

function unquoted(value: string): string {
  return value.replace(/^(["'])(.*)\1$/, '$2');
}

const HEAD_LENGTH = 1000;

/** Nearly all plans say their status first and are not active: for those, the rest is not looked at. */
function statusIn(body: string): PlanStatus | undefined {
  const blankLines = ['\n\n', '\n\r\n'].map((blank) => body.indexOf(blank, HEAD_LENGTH));
  const cut = Math.min(...blankLines.filter((index) => index >= 0));
  const head = Number.isFinite(cut) ? body.slice(0, cut + 1) : body;
  const status = planStatus(scanMarkdown(head, MAX_LINES));
  return status ?? (head === body ? undefined : planStatus(scanMarkdown(body, MAX_LINES)));
}

function mentionsWorkflow({ kind, text }: MarkdownLine): boolean {
  return kind === 'text' && /\b(?:phases?|workflows?)\b/i.test(text);
}

function planSaid(
  lines: MarkdownLine[],
  frontMatter: Map<string, string>,
  plan: PlanFile,
): DeclaredWorkflow {
  const folder = plan.path.split('/').at(-2) ?? plan.path;
  const number = /^\d{1,15}/.exec(folder)?.[0];
  const type = frontMatter.get('type') ?? typeIn(lines);
  return {
    workflow: titleOf(lines) || folder,
    ...(type && { workflow_type: type }),
    ...planPhases(lines),
    required_reading: planReading(lines, plan),
    key_reminders: [],
    context: {
      ...(number !== undefined && { plan_number: Number(number) }),
      plan_name: folder,
    },
  };
}

function titleOf(lines: MarkdownLine[]): string {
  const title = lines.find(({ heading }) => heading?.level === 1 && !isPhaseHeading(heading));
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
