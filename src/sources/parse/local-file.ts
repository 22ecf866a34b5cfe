import { standOf } from '../../state/marks.ts';
import { splitMark } from '../../state/split-mark.ts';
import type { Mark } from '../../state/words/vocabulary.ts';
import {
  parsePhaseLine,
  STATUSES,
  type PhaseLine,
} from '../../state/phase-line.ts';
import type { DeclaredPhase } from '../../state/types.ts';
import { parseValue } from '../../text/json.ts';
import { slugOf } from '../../text/slug.ts';
import { cleanText } from './field-line.ts';
import { declarePhases } from './declare-phases.ts';
import { ANYWHERE, readPhases } from './phases.ts';
import { splitSections, type Declaration } from './sections.ts';
import type { DeclaredSection, DeclaredWorkflow } from '../types.ts';

const MAX_SECTIONS = 100;
/** For each list of a section. */
const MAX_LISTED = 1_000;

/** Each section with a `Workflow State` marker and a `Workflow:` line declares a workflow. */
export function readLocalFile(text: string): DeclaredSection[] {
  if (!/workflow[\s_-]+state/i.test(text)) return [];
  return oneForEachWorkflow(
    splitSections(text).flatMap((section) => readSection(section) ?? []),
  );
}

const RANKED = ['active', 'paused', 'unclear', 'finished', 'cancelled'];

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
  const { fields, reading, marker, lists, lines } = declaration;
  const named = fields.get('workflow');
  if (named === undefined) return undefined;
  const name = splitMark(named);
  const type = fields.get('type');
  const stand = standOf(fields.get('status') ?? '');
  const phases = declaration.phases.map(parsePhaseLine);
  // The last phase line that is not marked as completed: those above it may be the history, and what follows may be to come.
  const left = phases.filter(({ mark }) => mark !== 'done');
  const isCurrent = ({ mark }: PhaseLine): boolean =>
    mark !== 'open' && mark !== 'skipped';
  const line = left.findLast(isCurrent) ?? left.at(-1) ?? phases.at(-1);
  const marks = [name.mark, splitMark(marker.text).mark];
  const { state, ...judged } = judge(line, stand, marks);
  // Without a `Phase:` line, phases may be listed as in a plan.
  const listed =
    line === undefined ? declarePhases(readPhases(lines, ANYWHERE)) : {};
  const phase = { ...(line?.phase ?? listed.phase), ...judged };
  const context =
    lists['context']?.slice(0, MAX_LISTED).map(contextEntry) ?? [];
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
 * A word for finished ends the workflow on its last phase, and if it is the whole line. On an earlier phase it says that
 * this phase is done. Beside a name alone it is `unclear`: it depends on the phase that the run is in. What else is in
 * the line is not understood, and ends nothing.
 */
function judge(
  { phase, mark: own }: Partial<PhaseLine> = {},
  stand: Mark | undefined,
  marks: readonly (Mark | undefined)[],
): { state: DeclaredSection['state'] } & Pick<
  DeclaredPhase,
  'status' | 'total_known'
> {
  const { current, total, line = '', name = '' } = phase ?? {};
  const saysDone = [own, stand, ...marks].includes('done');
  if (saysDone && phase?.status !== 'in_progress') {
    const status = 'completed';
    if (current !== undefined)
      return { state: current === total ? 'finished' : 'active', status };
    if (name === '' && (line === '' || standOf(line) === 'done'))
      return { state: 'finished', status };
    const { rest, word = 'done' } = splitMark(line);
    const isPlain = PLAIN_NAME.test(rest) && standOf(word) === 'done';
    return isPlain
      ? { state: 'unclear', status }
      : { state: 'active', status, total_known: false };
  }
  if (stand === 'skipped' || marks.includes('skipped'))
    return { state: 'cancelled' };
  if ([own, stand, ...marks].includes('paused')) return { state: 'paused' };
  const mark = [...marks, stand].find((each) => each !== undefined);
  const status = phase?.status ?? (mark && STATUSES[mark]);
  return { state: 'active', ...(status && { status }) };
}

/** Not `A`, `II`, `two of five`, `Phase B`, and nothing with a digit or a bracket, which may be a number or a part. */
const PLAIN_NAME = new RegExp(
  [
    // Not `A` and not `II`.
    String.raw`^(?!.$|[ivx]+(?:\s|$))`,
    // Not `two of five` and not `Phase B`.
    String.raw`(?!.*\b(?:of|(?:phase|step|stage|task|milestone|sprint)s?) )`,
    String.raw`[^\d\uff10-\uff19/#?()[\]:;,.]+$`,
  ].join(''),
  'i',
);

function contextEntry(item: string): [key: string, value: unknown] {
  const text = item.replaceAll('**', '').trim();
  const colon = text.search(/:(?=\s|$)/);
  const end =
    colon >= 0 ? colon : (/^[^\s:]+(?=:(?!\/\/))/.exec(text)?.[0].length ?? -1);
  if (end < 0) return [cleanText(text), true];
  // A key keeps its underscores: it may be an identifier such as `__name__`.
  return [
    cleanText(text.slice(0, end), ['*', '`']),
    parseValue(cleanText(text.slice(end + 1))),
  ];
}
