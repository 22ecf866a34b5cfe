import { cleanText } from '../field-line.ts';
import type { Mark } from '../marks.ts';
import { readOutline, type Outline } from '../outline.ts';
import { MAX_PHASES } from '../phase-progress.ts';
import { numberedHeading, phasesByHeading, type KeyedPhase } from './phases.ts';
import { fileIn } from './paths.ts';
import type { PlanDescription, PlanFormat, PlanPhase } from './types.ts';

const ROADMAP = '.planning/ROADMAP.md';

/** https://github.com/gsd-build/get-shit-done: `.planning/STATE.md` has the position, `ROADMAP.md` the phases. */
export const gsd: PlanFormat = {
  id: 'gsd',
  usesBoxes: false,
  companions: () => [ROADMAP],
  itemsFile: ROADMAP,
  siblings: fileIn('ROADMAP.md', 'PROJECT.md', 'REQUIREMENTS.md'),
  describe: ({ text, companions }, state) => {
    const position = positionIn(state, text);
    if (!position) return undefined;
    const roadmap = readOutline(companions.get(ROADMAP) ?? '');
    return { name: nameIn(state, roadmap), ...describePhases(position, roadmap) };
  },
};

interface Position {
  /** May be `2.1` for a phase that was inserted later. */
  number: string;
  total: number;
  name: string | undefined;
  status: string;
}

/** The `Phase:` line of the state, else `Current Phase:`, there or in the front matter. `[X] of [Y]` is a template. */
function positionIn({ frontMatter, sections }: Outline, text: string): Position | undefined {
  const [first] = ['phase', 'active phase', 'current phase'].flatMap((label) =>
    [...sections.map(({ fields }) => fields), frontMatter].flatMap((fields) => {
      const match = PHASE.exec(fields.get(label) ?? '');
      return match ? [[match, fields] as const] : [];
    }),
  );
  if (!first) return undefined;
  const [[, number = '', inLine, name = ''], fields] = first;
  const total = Number(inLine ?? TOTAL.exec(text.slice(0, 2_000))?.[1] ?? 1);
  if (Number(number) === 0 || total === 0 || total > MAX_PHASES) return undefined;
  // A project that was only set up has `planning` in its front matter, too.
  const inFront = frontMatter.get('status') ?? '';
  const inBody = fields === frontMatter ? undefined : fields.get('status');
  const status = inBody ?? (inFront === 'planning' ? '' : inFront);
  return {
    number: number.replace(/^0+(?=\d)/, ''),
    total,
    name:
      cleanText(name) ||
      (fields.get('current phase name') ?? frontMatter.get('current phase name')),
    status: status.toLowerCase(),
  };
}

/** In the front matter, below `progress:`, or `**Total Phases:** 5`. */
const TOTAL = /^[ \t*-]{1,8}total[_ ]phases:[ \t*]{0,8}(\d{1,9})/im;

const PHASE =
  /^(?:phase\s{1,3})?(\d{1,4}(?:\.\d{1,4})?)(?![\d\]]|-\d\d-)(?:\s*(?:of|\/)\s*(\d{1,9}))?(?:\s*[(:–—-]\s*([^()]*)\)?)?/i;

function describePhases(
  { number, total, name, status }: Position,
  roadmap: Outline,
): Omit<PlanDescription, 'name'> {
  const listed = roadmapPhases(roadmap);
  const index = listed.findIndex(({ key }) => key === number);
  const current = index >= 0 ? index : Math.max(1, Math.floor(Number(number))) - 1;
  const phases =
    index >= 0
      ? listed
      : Array.from({ length: Math.max(total, current + 1) }, (_, at) => ({
          name: at === current ? name : undefined,
          boxes: [],
        }));
  const isAllDone =
    /\b(?:milestone|project|all phases)\b(?:(?!\b(?:phase|plan)\b).)*\b(?:completed?|shipped|done)\b/.test(
      status,
    );
  return {
    isHeld: /\b(?:paused|stopped|on hold)\b/.test(status),
    phases: phases.map(({ name: phase, boxes }, at): PlanPhase => ({
      name: phase,
      mark: isAllDone || at < current ? 'done' : at === current ? currentMark(status) : 'open',
      boxes,
    })),
  };
}

/** `Ready to plan` and `Ready to execute` say that nothing is running yet. */
function currentMark(status: string): Mark {
  // `Phase complete — ready for verification` means the phase that is verified next.
  if (/\bfor (?:verification|verifying)\b/.test(status)) return 'under way';
  if (/^\W*(?:phase\s)?(?:[\d.]+\s)?(?:completed?|done|shipped)\b/.test(status)) return 'done';
  const isUnderWay =
    /\b(?:in[ _-]progress|executing|planning|verifying|discussing)\b|\bplan\b.*\bcomplete/.test(
      status,
    );
  return isUnderWay ? 'under way' : 'open';
}

/**
 * The phases are listed as boxes and described under headings, where the boxes are the plans of a phase. One that was
 * inserted later often has only the heading. Their order is that of their numbers.
 */
function roadmapPhases({ sections }: Outline): KeyedPhase[] {
  const byNumber = new Map<string, KeyedPhase>();
  for (const { text } of sections.flatMap(({ boxes }) => boxes)) {
    const [, key, name] = LISTED.exec(text) ?? [];
    if (key !== undefined) byNumber.set(key, { key, name, mark: undefined, boxes: [] });
  }
  for (const phase of phasesByHeading(sections, numberedHeading('Phase')))
    byNumber.set(phase.key, { ...phase, name: byNumber.get(phase.key)?.name ?? phase.name });
  // By text with numbers of equal length: `localeCompare` takes a hook 20 ms to load, and seconds for many phases.
  const ranked = [...byNumber.values()].map((phase) => ({
    phase,
    rank: phase.key.replace(/\d+/g, (digits) => digits.padStart(9, '0')),
  }));
  return ranked.toSorted((a, b) => (a.rank < b.rank ? -1 : 1)).map(({ phase }) => phase);
}

const LISTED =
  /^\**phase\s{1,3}0*(\d{1,4}(?:\.\d{1,4})?)\s*[:–—-]\s*(.+?)(?:\*\*.*|\s[-–—]\s.*|\s\(\d+\/\d+.*)?$/i;

/** The title of the state is `Project State`, and the name of the first milestone is `milestone`. */
function nameIn({ frontMatter, title = '' }: Outline, roadmap: Outline): string {
  const milestone = frontMatter.get('milestone name');
  if (milestone && milestone !== 'milestone') return milestone;
  const ofRoadmap = (roadmap.title ?? '').replace(/^roadmap\s*[:–—-]?\s*/i, '');
  const ofState = title.replace(/^(?:project\s)?state\s*[:–—-]?\s*/i, '');
  return ofRoadmap || ofState || 'GSD project';
}
