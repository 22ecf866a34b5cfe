import { MAX_LINES } from '../markdown/lines.ts';
import { scanMarkdown } from '../markdown/scan.ts';
import { parsePhase, statusWord } from '../state/phase-line.ts';
import type { DeclaredPhase } from '../state/types.ts';
import { parseValue } from '../util/parse-value.ts';
import { slugOf } from '../util/slug.ts';
import type { Declaration } from './declaration.ts';
import { cleanText, withoutMarks } from './field-line.ts';
import { isMarkedDone } from './marks.ts';
import { statusOf } from './plan-status.ts';
import { splitSections } from './sections.ts';
import type { DeclaredSection, DeclaredWorkflow } from './types.ts';

const MAX_SECTIONS = 100;
/** For each list of a section. */
const MAX_LISTED = 1_000;

/** Each section with a `Workflow State` marker, a `Workflow:` line and a `Phase:` line declares a workflow. */
export function readLocalFile(text: string): DeclaredSection[] {
  if (!/workflow\s+state/i.test(text)) return [];
  const lines = scanMarkdown(text, { maxLines: MAX_LINES, hideStruckText: true });
  const declarations = splitSections(lines.filter(({ kind }) => kind === 'text'));
  return oneForEachWorkflow(declarations.flatMap((section) => readSection(section) ?? []));
}

/** Of sections that name the same workflow the first active one counts, so that an old record does not end it. */
function oneForEachWorkflow(sections: DeclaredSection[]): DeclaredSection[] {
  const bySlug = new Map<string, DeclaredSection>();
  for (const section of sections) {
    const slug = slugOf(section.said.workflow);
    const known = bySlug.get(slug);
    const isBetter = known?.state === 'finished' && section.state === 'active';
    if (!known || isBetter) bySlug.set(slug, section);
  }
  return [...bySlug.values()].slice(0, MAX_SECTIONS);
}

function readSection(declaration: Declaration): DeclaredSection | undefined {
  const { fields, reading } = declaration;
  const workflow = fields.get('workflow');
  const phaseLine = fields.get('phase');
  if (workflow === undefined || phaseLine === undefined) return undefined;

  const type = fields.get('type');
  const status = fields.get('status') ?? '';
  const phase = readPhase(phaseLine, status);
  const declared: DeclaredWorkflow = {
    workflow,
    ...(type !== undefined && { workflow_type: type }),
    ...(phase && { phase }),
    required_reading: [...reading].slice(0, MAX_LISTED),
    key_reminders: declaration.listed('key reminders').slice(0, MAX_LISTED),
    context: contextOf(declaration.listed('context').slice(0, MAX_LISTED)),
  };
  const isFinished = statusOf(status)?.status === 'finished' || isLastPhaseCompleted(phase);
  return { state: isFinished ? 'finished' : 'active', said: declared };
}

/** A `Status:` line or a tick counts where the phase line itself has no status. */
function readPhase(line: string, statusLine: string): DeclaredPhase | undefined {
  const phase = parsePhase(isMarkedDone(line) ? withoutMarks(line) : line);
  if (phase === undefined || phase.status !== undefined) return phase;
  const isCompleted = isMarkedDone(line) || statusWord(phase.name ?? '') === 'completed';
  const status = isCompleted ? 'completed' : statusWord(statusLine);
  return status === undefined ? phase : { ...phase, status };
}

/** `Phase: completed` names no phase at all, so it is the workflow that is completed. */
function isLastPhaseCompleted(phase: DeclaredPhase | undefined): boolean {
  if (phase?.status !== 'completed') return false;
  const { current, total, name = '' } = phase;
  return current === undefined
    ? statusWord(name) === 'completed'
    : total !== undefined && current === total;
}

/** `Object.fromEntries` makes `__proto__` an ordinary key. */
function contextOf(items: string[]): Record<string, unknown> {
  return Object.fromEntries(items.map(contextEntry).filter(([key]) => key !== ''));
}

function contextEntry(item: string): [key: string, value: unknown] {
  const text = item.replaceAll('**', '').trim();
  const colon = text.search(/:(?=\s|$)/);
  const end = colon >= 0 ? colon : (/^[^\s:]+(?=:(?!\/\/))/.exec(text)?.[0].length ?? -1);
  if (end < 0) return [cleanText(text), true];
  // A key keeps its underscores: it may be an identifier such as `__name__`.
  return [cleanText(text.slice(0, end), ['*', '`']), parseValue(cleanText(text.slice(end + 1)))];
}
