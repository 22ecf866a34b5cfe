import type { Mark } from '../../state/marks.ts';
import { cleanText } from './field-line.ts';
import {
  numberedHeading,
  phasesByHeading,
  readOutline,
  type KeyedPhase,
  type Outline,
  type PlanFormat,
} from './outline.ts';
import { MAX_PHASES, type PlanPhase } from './plan-phases.ts';

const ROADMAP = '.planning/ROADMAP.md';

/** https://github.com/gsd-build/get-shit-done: `.planning/STATE.md` has the position, `ROADMAP.md` the phases. */
export const gsd: PlanFormat = {
  patterns: ['.planning/STATE.md'],
  companions: () => [ROADMAP],
  itemsFile: ROADMAP,
  siblings: ['ROADMAP.md', 'PROJECT.md', 'REQUIREMENTS.md'],
  describe: ({ text, companions }, state) => {
    const { frontMatter } = state;
    const position = positionIn(state);
    if (!position) return undefined;
    const [[, digits = '', ofTotal, inLine = ''], fields] = position;
    const total = Number(ofTotal ?? TOTAL.exec(text.slice(0, 2_000))?.[1] ?? 1);
    if (Number(digits) === 0 || total === 0 || total > MAX_PHASES) return undefined;
    // It may be `2.1` for a phase that was inserted later.
    const number = digits.replace(/^0+(?=\d)/, '');
    const nameField = 'current phase name';
    const name = cleanText(inLine) || (fields.get(nameField) ?? frontMatter.get(nameField));
    // A project that was only set up has `planning` in its front matter, too.
    const inFront = frontMatter.get('status') ?? '';
    const inBody = fields === frontMatter ? undefined : fields.get('status');
    const status = (inBody ?? (inFront === 'planning' ? '' : inFront)).toLowerCase();

    const roadmap = readOutline(companions.get(ROADMAP) ?? '');
    const listed = roadmapPhases(roadmap);
    const index = listed.findIndex(({ key }) => key === number);
    const current = index >= 0 ? index : Math.max(1, Math.floor(Number(number))) - 1;
    const unlisted = Array.from({ length: Math.max(total, current + 1) }, (_, at): PlanPhase => ({
      name: at === current ? name : undefined,
      mark: undefined,
      boxes: [],
    }));
    const isAllDone = ALL_DONE.test(status);
    return {
      name: nameIn(state, roadmap),
      isHeld: /\b(?:paused|stopped|on hold)\b/.test(status),
      phases: (index >= 0 ? listed : unlisted).map((phase, at) => ({
        ...phase,
        mark: isAllDone || at < current ? 'done' : at === current ? currentMark(status) : 'open',
      })),
    };
  },
};

/** The `Phase:` line of the state, else `Current Phase:`, there or in the front matter. `[X] of [Y]` is a template. */
function positionIn({
  frontMatter,
  sections,
}: Outline): [RegExpExecArray, ReadonlyMap<string, string>] | undefined {
  for (const label of ['phase', 'active phase', 'current phase']) {
    for (const fields of [...sections.map((section) => section.fields), frontMatter]) {
      const match = PHASE.exec(fields.get(label) ?? '');
      if (match) return [match, fields];
    }
  }
  return undefined;
}

/** In the front matter, below `progress:`, or `**Total Phases:** 5`. */
const TOTAL = /^[ \t*-]{1,8}total[_ ]phases:[ \t*]{0,8}(\d{1,9})/im;

const PHASE =
  /^(?:phase\s{1,3})?(\d{1,4}(?:\.\d{1,4})?)(?![\d\]]|-\d\d-)(?:\s*(?:of|\/)\s*(\d{1,9}))?(?:\s*[(:–—-]\s*([^()]*)\)?)?/i;

const ALL_DONE =
  /\b(?:milestone|project|all phases)\b(?:(?!\b(?:phase|plan)\b).)*\b(?:completed?|shipped|done)\b/;

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
function nameIn({ frontMatter, title }: Outline, roadmap: Outline): string {
  const milestone = frontMatter.get('milestone name');
  if (milestone && milestone !== 'milestone') return milestone;
  const ofRoadmap = roadmap.title.replace(/^roadmap\s*[:–—-]?\s*/i, '');
  const ofState = title.replace(/^(?:project\s)?state\s*[:–—-]?\s*/i, '');
  return ofRoadmap || ofState || 'GSD project';
}
