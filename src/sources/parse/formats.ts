import { MAX_LINES } from '../../text/markdown/scan.ts';
import { matchesGlob } from '../../files/read-file.ts';
import type { PlanFormatId } from '../../settings/settings.ts';
import { cleanText, type Box } from './field-line.ts';
import { phraseMark, standOf } from '../../state/marks.ts';
import type { Mark } from '../../state/words/vocabulary.ts';
import {
  numberedHeading,
  phasesByHeading,
  phasesBySection,
  readOutline,
  withoutNumber,
  type KeyedPhase,
  type Outline,
  type OutlineSection,
  type PlanFormat,
  type PlanSource,
} from './outline.ts';
import { MAX_PHASES, type PlanPhase } from './plan-phases.ts';

const FEATURE = '.specify/feature.json';
const ACTIVE_PLAN = '.planning/.active_plan';
const ROADMAP = '.planning/ROADMAP.md';

export const FORMATS: Readonly<Record<PlanFormatId, PlanFormat>> = {
  /** https://github.com/github/spec-kit: phases as headings. */
  'spec-kit': {
    patterns: ['specs/*/tasks.md'],
    companions: () => [FEATURE],
    isPointedTo: ({ path, companions }) => {
      const json = companions.get(FEATURE)?.slice(0, 10_000) ?? '';
      const [, value = ''] =
        /"feature_directory"\s*:\s*"([^"]*)"/.exec(json) ?? [];
      // It may be absolute, and a path of Windows.
      const directory = `/${value.replaceAll(/\\+/g, '/').replace(/\/+$/, '')}`;
      return directory.endsWith(`/${path.replace(/\/[^/]*$/, '')}`);
    },
    siblings: ['spec.md', 'plan.md', 'data-model.md', 'research.md'],
    describe: ({ path }, { title, sections }) => ({
      name: title.replace(/^tasks\s*[:–—-]\s*/i, '') || folderName(path),
      phases: phasesWithItems(sections, numberedHeading('Phase')),
    }),
  },
  /** https://github.com/Fission-AI/OpenSpec: `## 1. Group` headings. */
  openspec: {
    patterns: ['openspec/changes/*/tasks.md'],
    excludes: /^openspec\/changes\/archive\//,
    siblings: ['proposal.md', 'design.md'],
    describe: ({ path }, { sections }) => ({
      name: folderName(path),
      phases: phasesWithItems(sections, ({ level, heading }) =>
        level === 2
          ? { key: heading, name: withoutNumber(heading) }
          : undefined,
      ),
    }),
  },
  /** https://github.com/OthmanAdi/planning-with-files: a status line for each phase. */
  'planning-with-files': {
    patterns: [
      'task_plan.md',
      '.planning/task_plan.md',
      '.planning/*/task_plan.md',
    ],
    companions: (path) => (path.startsWith('.planning/') ? [ACTIVE_PLAN] : []),
    isPointedTo: ({ path, companions }) =>
      companions.get(ACTIVE_PLAN)?.slice(0, 1_000).trim() === folderName(path),
    siblings: ['findings.md', 'progress.md'],
    describe: ({ path }, { title, sections }) => ({
      name:
        title.replace(/^task plan\s*[:–—-]\s*/i, '') ||
        folderName(path).replace(/^\.planning$/, '') ||
        'Task plan',
      phases: phasesWithItems(sections, numberedHeading('Phase')),
    }),
  },
  /** https://github.com/gsd-build/get-shit-done: `.planning/STATE.md` has the position, `ROADMAP.md` the phases. */
  gsd: {
    patterns: ['.planning/STATE.md'],
    companions: () => [ROADMAP],
    itemsFile: ROADMAP,
    siblings: ['ROADMAP.md', 'PROJECT.md', 'REQUIREMENTS.md'],
    describe: ({ text, companions }, state) => {
      const { frontMatter } = state;
      const position = positionIn(state);
      if (!position) return undefined;
      const [match, fields] = position;
      const [, digits = '', ofTotal, inLine = ''] = match;
      const total = Number(
        ofTotal ?? TOTAL.exec(text.slice(0, 2_000))?.[1] ?? NaN,
      );
      if (Number(digits) === 0 || total === 0 || total > MAX_PHASES)
        return undefined;
      // It may be `2.1` for a phase that was inserted later.
      const number = digits.replace(/^0+(?=\d)/, '');
      const nameField = 'current phase name';
      const name =
        cleanText(inLine) ||
        (fields.get(nameField) ?? frontMatter.get(nameField));
      // A project that was only set up has `planning` in its front matter, too.
      const inFront = frontMatter.get('status') ?? '';
      const inBody = fields === frontMatter ? undefined : fields.get('status');
      const status = (
        inBody ?? (inFront === 'planning' ? '' : inFront)
      ).toLowerCase();

      const roadmap = readOutline(companions.get(ROADMAP) ?? '');
      const listed = roadmapPhases(roadmap);
      const index = listed.findIndex(({ key }) => key === number);
      const current =
        index >= 0 ? index : Math.max(1, Math.floor(Number(number))) - 1;
      const isCounted =
        index >= 0 || (current < total && !number.includes('.'));
      // A phase of which nobody knows whether it is the last one is not.
      const length = isCounted ? total : current + 2;
      const unlisted = Array.from({ length }, (_, at): PlanPhase => ({
        name: at === current ? name : undefined,
        mark: undefined,
        boxes: [],
      }));
      const stand = standOf(
        status.replaceAll(MILESTONE, (part) =>
          /milestone/.test(part) ? 'project' : '',
        ),
      );
      const isAllDone = stand === 'done' && IS_WHOLE.test(status);
      const markAt = (at: number): Mark => {
        if (isAllDone || at < current) return 'done';
        return at === current ? currentMark(status) : 'open';
      };
      return {
        name: gsdName(state, roadmap),
        ...(!isCounted && { line: match.input }),
        isHeld: /\b(?:paused|stopped|on hold)\b/.test(status),
        phases: (index >= 0 ? listed : unlisted).map((phase, at) => ({
          ...phase,
          mark: markAt(at),
        })),
      };
    },
  },
  /** https://github.com/obra/superpowers: one dated file a plan, with `### Task N:` headings and a box for each step. */
  superpowers: {
    patterns: ['docs/superpowers/plans/*.md'],
    companions: (path) => [ledgerOf(path)],
    isPointedTo: (source) => ledgerText(source).trim() !== '',
    siblings: ['../specs/*-design.md'],
    describe: (source, { title, sections }) => {
      const ledger = ledgerText(source);
      const finished = new Set(finishedTasks(ledger));
      const tasks = phasesByHeading(sections, numberedHeading('Task')).map(
        (task) =>
          finished.has(task.key)
            ? {
                ...task,
                boxes: task.boxes.map((box): Box => ({
                  ...box,
                  state: 'ticked',
                })),
              }
            : task,
      );
      return {
        name:
          title.replace(/\s+implementation plan$/i, '') ||
          baseName(source.path),
        phases: tasks.filter(hasItems),
      };
    },
  },
  /** https://kiro.dev and https://github.com/gotalab/cc-sdd: numbered boxes on two levels. */
  kiro: {
    patterns: ['.kiro/specs/*/tasks.md'],
    siblings: ['requirements.md', 'bugfix.md', 'design.md'],
    describe: ({ path }, { sections }) => {
      const phases = numberedTasks(sections);
      return {
        name: folderName(path),
        phases: phases.length > 0 ? phases : phasesBySection(sections),
      };
    },
  },
};

/** The format whose tool keeps its plans at a path, among those that are turned on. */
export function formatOf(
  path: string,
  enabled: readonly PlanFormatId[],
): PlanFormatId | undefined {
  return enabled.find((id) => {
    const { patterns, excludes } = FORMATS[id];
    return (
      patterns.some((each) => matchesGlob(path, each)) && !excludes?.test(path)
    );
  });
}

export function baseName(path: string): string {
  return path.replace(/.*\//s, '').replace(/\.\w{1,10}$/, '');
}

function folderName(path: string): string {
  return path.split('/').at(-2) ?? '';
}

function hasItems({ mark, boxes }: PlanPhase): boolean {
  return mark !== undefined || boxes.length > 0;
}

/** The phases by heading that have items, because others can never be done. */
function phasesWithItems(
  sections: readonly OutlineSection[],
  parse: ReturnType<typeof numberedHeading>,
): PlanPhase[] {
  const phases = phasesByHeading(sections, parse).filter(hasItems);
  return phases.length > 0 ? phases : phasesBySection(sections);
}

function ledgerText({ path, companions }: PlanSource): string {
  return companions.get(ledgerOf(path)) ?? '';
}

function ledgerOf(path: string): string {
  return `.superpowers/sdd/${baseName(path)}/progress.md`;
}

/** The numbers of the tasks that the ledger calls complete: `Task 2: complete (commits a..b)`, or a ticked box. */
function finishedTasks(ledger: string): string[] {
  const finished: string[] = [];
  for (const line of ledger.split('\n', MAX_LINES)) {
    const [, box, number, value = ''] = LEDGER_LINE.exec(line) ?? [];
    if (number === undefined) continue;
    const isComplete =
      /^[*_✅ ]{0,9}(?:completed?|done)\b/i.test(value) &&
      phraseMark(value) === 'done';
    if (box === 'x' || isComplete) finished.push(String(Number(number)));
  }
  return finished;
}

/** `- [x] **Task 2**: complete`. */
const LEDGER_LINE =
  /^[\s>*+-]{0,20}(?:\[([ x])\] )?[*_]{0,3}task\s{1,3}(\d{1,9})\b[*_]{0,3}\s{0,3}:?(.{0,200})/i;

const NUMBERED = /^\**(\d{1,9})(\.\d{1,9})*\.?\s+(?:\(P\)\s+)?/;

/** `- [ ] 2. Build` is a phase; `2.1` and every box nested in it are its items. Without them it is its own item. */
function numberedTasks(sections: readonly OutlineSection[]): PlanPhase[] {
  const tasks: { main: Box; parts: Box[] }[] = [];
  for (const box of sections.flatMap(({ boxes }) => boxes)) {
    const number = NUMBERED.exec(box.text);
    if (number && number[2] === undefined && box.depth === 0)
      tasks.push({ main: box, parts: [] });
    else tasks.at(-1)?.parts.push(box);
  }
  return tasks.map(({ main, parts }) => ({
    name: cleanText(main.text.replace(NUMBERED, '').replace(/\s*\(P\)$/, '')),
    mark: main.state === 'under way' ? 'under way' : undefined,
    boxes: itemsOf(main, parts),
  }));
}

/** A ticked task is done, whatever its parts say. One under way has a last item: to tick itself. */
function itemsOf(main: Box, parts: Box[]): Box[] {
  if (main.state === 'ticked' || parts.length === 0) return [main];
  const hasOpenPart = parts.some(({ state }) => state !== 'ticked');
  return main.state === 'under way' && !hasOpenPart ? [...parts, main] : parts;
}

/** The `Phase:` line of the state, else `Current Phase:`, there or in the front matter. `[X] of [Y]` is a template. */
function positionIn({
  frontMatter,
  sections,
}: Outline): [RegExpExecArray, ReadonlyMap<string, string>] | undefined {
  for (const label of ['phase', 'active phase', 'current phase']) {
    for (const fields of [
      ...sections.map((section) => section.fields),
      frontMatter,
    ]) {
      const match = POSITION.exec(fields.get(label) ?? '');
      if (match) return [match, fields];
    }
  }
  return undefined;
}

/** In the front matter, below `progress:`, or `**Total Phases:** 5`. */
const TOTAL = /^[ \t*-]{1,8}total[_ ]phases:[ \t*]{0,8}(\d{1,9})/im;

const POSITION =
  /^(?:phase\s{1,3})?(\d{1,4}(?:\.\d{1,4})?)(?![\d\]]|-\d\d-)(?:\s*(?:of|\/)\s*(\d{1,9}))?(?:\s*[(:–—-]\s*([^()]*)\)?)?/i;

/** `v1.0 milestone` and `Milestone v1.0`. */
const MILESTONE =
  /^\W*(?:v?\d\S*\s(?:\w+\s){0,3})?milestone(?:\sv?\d[\d.]*)?\b|\W+ready (?:to|for)\b.*$/g;
const IS_WHOLE = /\b(?:milestone|project|all (?:\d+ )?phases)\b/;

/** `Ready to plan` and `Ready to execute` say that nothing is running yet. */
function currentMark(status: string): Mark {
  // `Phase complete — ready for verification` means the phase that is verified next.
  if (/\bfor (?:verification|verifying)\b/.test(status)) return 'under way';
  const mark = phraseMark(
    status.replace(/^\W*(?:phase\s)?(?:[\d.]+\s(?!of\b))?/, ''),
  );
  if (mark === 'done' || mark === 'blocked') return mark;
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
    const [, key, name] = LISTED_PHASE.exec(text) ?? [];
    if (key !== undefined)
      byNumber.set(key, { key, name, mark: undefined, boxes: [] });
  }
  for (const phase of phasesByHeading(sections, numberedHeading('Phase')))
    byNumber.set(phase.key, {
      ...phase,
      name: byNumber.get(phase.key)?.name ?? phase.name,
    });
  return [...byNumber.values()].toSorted((a, b) =>
    a.key.localeCompare(b.key, 'en', { numeric: true }),
  );
}

const LISTED_PHASE =
  /^\**phase\s{1,3}0*(\d{1,4}(?:\.\d{1,4})?)\s*[:–—-]\s*(.+?)(?:\*\*.*|\s[-–—]\s.*|\s\(\d+\/\d+.*)?$/i;

/** The title of the state is `Project State`, and the name of the first milestone is `milestone`. */
function gsdName({ frontMatter, title }: Outline, roadmap: Outline): string {
  const milestone = frontMatter.get('milestone name');
  if (milestone && milestone !== 'milestone') return milestone;
  const ofRoadmap = roadmap.title.replace(/^roadmap\s*[:–—-]?\s*/i, '');
  const ofState = title.replace(/^(?:project\s)?state\s*[:–—-]?\s*/i, '');
  return ofRoadmap || ofState || 'GSD project';
}
