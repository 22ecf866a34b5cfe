import { splitMark, type Mark } from '../../state/marks.ts';
import { STATUSES } from '../../state/phase-line.ts';
import type { DeclaredPhase } from '../../state/types.ts';
import { parseValue } from '../../text/json.ts';
import { slugOf } from '../../text/slug.ts';
import { cleanText, standOf } from './field-line.ts';
import { declarePhases, planPhases } from './plan-phases.ts';
import { splitSections, type Declaration } from './sections.ts';
import type { DeclaredSection, DeclaredWorkflow } from './types.ts';

const MAX_SECTIONS = 100;
/** For each list of a section. */
const MAX_LISTED = 1_000;

/** Each section with a `Workflow State` marker and a `Workflow:` line declares a workflow. */
export function readLocalFile(text: string): DeclaredSection[] {
  if (!/workflow[\s_-]+state/i.test(text)) return [];
  return oneForEachWorkflow(splitSections(text).flatMap((section) => readSection(section) ?? []));
}

const RANKED: readonly DeclaredSection['state'][] = ['active', 'paused', 'finished', 'cancelled'];

/** Of sections that name the same workflow the first active one counts, so that an old record does not end it. */
function oneForEachWorkflow(sections: DeclaredSection[]): DeclaredSection[] {
  const bySlug = new Map<string, DeclaredSection>();
  for (const section of sections) {
    const slug = slugOf(section.said.workflow);
    const known = bySlug.get(slug);
    if (!known || RANKED.indexOf(section.state) < RANKED.indexOf(known.state))
      bySlug.set(slug, section);
  }
  return [...bySlug.values()].slice(0, MAX_SECTIONS);
}

function readSection(declaration: Declaration): DeclaredSection | undefined {
  const { fields, reading, marker, lists, lines, phases } = declaration;
  const named = fields.get('workflow');
  if (named === undefined) return undefined;
  const name = splitMark(named);
  const type = fields.get('type');
  const stand = standOf(fields.get('status') ?? '');
  // The last phase line that is not marked as completed: those above it may be the history, and what follows may be to come.
  const left = phases.filter(({ mark }) => mark !== 'done');
  const line = left.findLast(({ mark }) => mark !== 'open') ?? left.at(-1) ?? phases.at(-1);
  const marks = [line?.mark, name.mark, splitMark(marker.text).mark];
  const { state, status } = judge(line?.phase, stand, marks);
  // Without a `Phase:` line, phases may be listed as in a plan.
  const listed = line === undefined ? declarePhases(planPhases(lines)) : {};
  const phase = { ...(line?.phase ?? listed.phase), ...(status && { status }) };
  const context = lists['context']?.slice(0, MAX_LISTED).map(contextEntry) ?? [];
  const said: DeclaredWorkflow = {
    workflow: name.mark && name.rest !== '' ? name.rest : named,
    ...(type !== undefined && { workflow_type: type }),
    ...listed,
    ...(Object.keys(phase).length > 0 && { phase }),
    required_reading: [...reading].slice(0, MAX_LISTED),
    key_reminders: lists['key reminders']?.slice(0, MAX_LISTED) ?? [],
    // This makes `__proto__` an ordinary key.
    context: Object.fromEntries(context.filter(([key]) => key !== '')),
  };
  return { state, said };
}

/**
 * A word for finished ends the workflow on its last phase, or if no number is given; on an earlier phase, and where the
 * numbers are not understood, it only says that this phase is done.
 */
function judge(
  phase: DeclaredPhase | undefined,
  stand: Mark | undefined,
  marks: readonly (Mark | undefined)[],
): { state: DeclaredSection['state']; status?: DeclaredPhase['status'] } {
  const own = phase?.status;
  const line = phase?.line ?? '';
  const isWhole = /^(?:all|every)/i.test(line) && standOf(line) === 'done';
  const saysDone = isWhole || stand === 'done' || marks.includes('done');
  if (saysDone && own !== 'in_progress') {
    const isOnly = isWhole || (phase?.total_known !== false && !NAMES_PART.test(line));
    const isLast = phase?.current === undefined ? isOnly : phase.current === phase.total;
    return { state: isLast ? 'finished' : 'active', status: 'completed' };
  }
  if (stand === 'skipped' || marks.slice(1).includes('skipped')) return { state: 'cancelled' };
  if (stand === 'paused' || marks.includes('paused')) return { state: 'paused' };
  const mark = marks.find((each) => each !== undefined);
  const status = own ?? (mark && STATUSES[mark]) ?? (stand && STATUSES[stand]);
  return { state: 'active', ...(status && { status }) };
}

/** `Phase B - COMPLETE` and `Build - DONE, next: Test` end a part of the workflow. */
const NAMES_PART = /\b(?:phase|step|stage|task|milestone)s? \w{1,3}\b|\b(?:next|with)\b/i;

function contextEntry(item: string): [key: string, value: unknown] {
  const text = item.replaceAll('**', '').trim();
  const colon = text.search(/:(?=\s|$)/);
  const end = colon >= 0 ? colon : (/^[^\s:]+(?=:(?!\/\/))/.exec(text)?.[0].length ?? -1);
  if (end < 0) return [cleanText(text), true];
  // A key keeps its underscores: it may be an identifier such as `__name__`.
  return [cleanText(text.slice(0, end), ['*', '`']), parseValue(cleanText(text.slice(end + 1)))];
}
