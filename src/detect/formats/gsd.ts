import { cleanText } from '../field-line.ts';
import type { Mark } from '../marks.ts';
import { readOutline, type Box, type Outline } from '../outline.ts';
import { MAX_PHASES } from '../phase-progress.ts';
import { numberedHeading, phasesByHeading } from './phases.ts';
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
  total: number | undefined;
  name: string | undefined;
  status: string;
}

/** The `Phase:` line of the state, else the front matter of newer versions. `[X] of [Y]` is a template. */
function positionIn({ frontMatter, sections }: Outline, text: string): Position | undefined {
  const section = sections.find(({ fields }) => PHASE.test(fields.get('phase') ?? ''));
  const inFrontMatter = frontMatter.get('active phase') ?? frontMatter.get('current phase') ?? '';
  const match = PHASE.exec(section?.fields.get('phase') ?? inFrontMatter);
  if (!match) return undefined;
  const [, number = '', inLine, name = ''] = match;
  const total = inLine ?? TOTAL.exec(text.slice(0, 2_000))?.[1];
  const count = total === undefined ? undefined : Number(total);
  if (Number(number) === 0 || count === 0 || (count ?? 0) > MAX_PHASES) return undefined;
  // A project that was only set up has `planning` in its front matter, too.
  const inFront = frontMatter.get('status') ?? '';
  const status = section?.fields.get('status') ?? (inFront === 'planning' ? '' : inFront);
  return {
    number: String(Number(number)),
    total: count,
    name: cleanText(name) || frontMatter.get('current phase name'),
    status: status.toLowerCase(),
  };
}

/** In the front matter, below `progress:`. */
const TOTAL = /^[ \t]{1,8}total_phases:[ \t]{0,8}(\d{1,9})[ \t]*\r?$/m;

const PHASE =
  /^(?:phase\s{1,3})?(\d{1,4}(?:\.\d{1,4})?)(?![\d\]]|-\d\d-)(?:\s*(?:of|\/)\s*(\d{1,9}))?(?:\s*[(:–—-]\s*([^()]*)\)?)?/i;

function describePhases(
  { number, total, name, status }: Position,
  roadmap: Outline,
): Omit<PlanDescription, 'name'> {
  const listed = roadmapPhases(roadmap);
  const index = listed.findIndex((phase) => phase.number === number);
  const current = index >= 0 ? index : Math.max(1, Math.floor(Number(number))) - 1;
  const count = index >= 0 ? listed.length : Math.max(total ?? 0, current + 1);
  const isAllDone = /\b(?:milestone|project|all phases)\b.*\b(?:completed?|shipped|done)\b/.test(
    status,
  );
  return {
    isHeld: /\b(?:paused|stopped|on hold)\b/.test(status),
    phases: Array.from({ length: count }, (_, at): PlanPhase => ({
      name: (index >= 0 ? listed[at]?.name : undefined) ?? (at === current ? name : undefined),
      mark: isAllDone || at < current ? 'done' : at === current ? currentMark(status) : 'open',
      boxes: index >= 0 && at >= current ? (listed[at]?.boxes ?? []) : [],
    })),
  };
}

/** `Ready to plan` and `Ready to execute` say that nothing is running yet. */
function currentMark(status: string): Mark {
  if (/^\W*(?:phase\s)?(?:[\d.]+\s)?(?:completed?|done|shipped)\b/.test(status)) return 'done';
  const isUnderWay =
    /\b(?:in[ _-]progress|executing|planning|verifying|discussing)\b|\bplan\b.*\bcomplete/.test(
      status,
    );
  return isUnderWay ? 'under way' : 'open';
}

interface RoadmapPhase {
  number: string;
  name: string;
  boxes: Box[];
}

/** The phases are listed as boxes and described under headings, where the boxes are the plans of a phase. */
function roadmapPhases({ sections }: Outline): RoadmapPhase[] {
  const byNumber = new Map<string, RoadmapPhase>();
  for (const { text } of sections.flatMap(({ boxes }) => boxes)) {
    const [, number, name = ''] = LISTED.exec(text) ?? [];
    if (number !== undefined) byNumber.set(number, { number, name, boxes: [] });
  }
  const parseHeading = numberedHeading('Phase');
  for (const section of sections) {
    const heading = parseHeading(section);
    if (!heading) continue;
    const [detail] = phasesByHeading([section], parseHeading);
    const known = byNumber.get(heading.key);
    const boxes = detail?.boxes ?? [];
    if (known) known.boxes = boxes;
    else byNumber.set(heading.key, { number: heading.key, name: heading.name, boxes });
  }
  return [...byNumber.values()].slice(0, MAX_PHASES);
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
