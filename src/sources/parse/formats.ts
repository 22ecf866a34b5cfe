import { matchesGlob } from '../../files/read-file.ts';
import type { PlanFormatId } from '../../settings/settings.ts';
import { phraseMark } from '../../state/marks.ts';
import { MAX_LINES } from '../../text/markdown/scan.ts';
import { cleanText, type Box } from './field-line.ts';
import { readGsd, ROADMAP } from './gsd.ts';
import {
  conductorCompanions,
  readBmad,
  readTaskmaster,
  taskmasterCompanions,
  trackOf,
} from './listed-tasks.ts';
import type { Outline } from './outline.ts';
import { headingsOfLevel, headsOf } from './phase-head.ts';
import { readPhases, type PlanPhase } from './phases.ts';
import {
  baseName,
  folderName,
  type PlanFormat,
  type PlanSource,
} from './plan-format.ts';

const FEATURE = '.specify/feature.json';
const ACTIVE_PLAN = '.planning/.active_plan';
const MAX_POINTER_CHARS = 10_000;

/** Where each tool keeps its plans, and where a plan has its name, its phases and their items. */
export const FORMATS: Readonly<Record<PlanFormatId, PlanFormat>> = {
  // https://github.com/github/spec-kit
  'spec-kit': {
    patterns: ['specs/*/tasks.md', '.specify/specs/*/tasks.md'],
    companions: () => [FEATURE],
    isPointedTo: isFeature,
    siblings: ['spec.md', 'plan.md', 'data-model.md', 'research.md'],
    content: {
      name: { titleWithout: /^tasks\s*[:–—-]\s*/i },
      head: headsOf(['phase']),
      places: ['heading'],
      needsItems: true,
    },
  },
  // https://github.com/Fission-AI/OpenSpec: `## 1. Group` headings.
  openspec: {
    patterns: ['openspec/changes/*/tasks.md'],
    excludes: /^openspec\/changes\/archive\//,
    siblings: ['proposal.md', 'design.md'],
    content: {
      name: 'folder',
      head: headingsOfLevel(2),
      places: ['heading'],
      needsItems: true,
    },
  },
  // https://github.com/OthmanAdi/planning-with-files: a status line for each phase, or a list of phases.
  'planning-with-files': {
    patterns: [
      'task_plan.md',
      '.planning/task_plan.md',
      '.planning/*/task_plan.md',
    ],
    companions: (path) => (path.startsWith('.planning/') ? [ACTIVE_PLAN] : []),
    isPointedTo: ({ path, companions }) =>
      companions.get(ACTIVE_PLAN)?.slice(0, MAX_POINTER_CHARS).trim() ===
      folderName(path),
    siblings: ['findings.md', 'progress.md'],
    content: {
      name: { titleWithout: /^(?:task plan|任务计划)\s*[:：–—-]\s*/i },
      head: headsOf(['phase']),
      places: ['heading', 'row', 'item', 'line'],
      needsItems: false,
    },
  },
  // https://github.com/gsd-build/get-shit-done
  gsd: {
    patterns: ['.planning/STATE.md'],
    companions: () => [ROADMAP],
    itemsFile: ROADMAP,
    siblings: ['ROADMAP.md', 'PROJECT.md', 'REQUIREMENTS.md'],
    content: readGsd,
  },
  // https://github.com/obra/superpowers: one dated file a plan, with `### Task N:` headings and a box for each step.
  superpowers: {
    patterns: ['docs/superpowers/plans/*.md'],
    companions: (path) => [ledgerOf(path)],
    isPointedTo: (source) => ledgerText(source).trim() !== '',
    siblings: ['../specs/*-design.md'],
    content: (source, outline) => ({
      name:
        outline.title.replace(/\s+implementation plan$/i, '') ||
        baseName(source.path),
      phases: tasksWithLedger(outline, ledgerText(source)),
    }),
  },
  // https://kiro.dev and https://github.com/gotalab/cc-sdd: numbered boxes on two levels.
  kiro: {
    patterns: ['.kiro/specs/*/tasks.md'],
    siblings: ['requirements.md', 'bugfix.md', 'design.md'],
    content: ({ path }, { sections }) => ({
      name: folderName(path),
      phases: numberedTasks(sections),
    }),
  },
  // https://github.com/eyaltoledano/claude-task-master
  taskmaster: {
    patterns: ['.taskmaster/tasks/tasks.json'],
    companions: taskmasterCompanions,
    siblings: ['../docs/prd.md', '../docs/prd.txt'],
    content: readTaskmaster,
  },
  // https://github.com/gemini-cli-extensions/conductor
  conductor: {
    patterns: ['conductor/tracks/*/plan.md'],
    companions: conductorCompanions,
    isPointedTo: (source) => trackOf(source).mark === '~',
    siblings: ['spec.md', '../../product.md', '../../workflow.md'],
    content: (source, outline) => {
      const { name, mark } = trackOf(source);
      const style = { head: headsOf(['phase']), places: ['heading'] as const };
      const phases = readPhases(outline.lines, style);
      const isOver = mark.toLowerCase() === 'x';
      return {
        name: name || outline.title || folderName(source.path),
        phases: isOver ? phases.map(asDone) : phases,
      };
    },
  },
  // https://github.com/bmad-code-org/BMAD-METHOD
  bmad: {
    patterns: [
      '_bmad-output/implementation-artifacts/sprint-status.yaml',
      'docs/sprint-artifacts/sprint-status.yaml',
    ],
    siblings: [],
    content: readBmad,
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

/** `.specify/feature.json` names the folder of the feature that is being worked on. */
function isFeature({ path, companions }: PlanSource): boolean {
  const json = companions.get(FEATURE)?.slice(0, MAX_POINTER_CHARS) ?? '';
  const [, value = ''] = /"feature_directory"\s*:\s*"([^"]*)"/.exec(json) ?? [];
  // It may be absolute, and a path of Windows.
  const directory = `/${value.replaceAll(/\\+/g, '/').replace(/\/+$/, '')}`;
  return directory.endsWith(`/${path.replace(/\/[^/]*$/, '')}`);
}

function ledgerText({ path, companions }: PlanSource): string {
  return companions.get(ledgerOf(path)) ?? '';
}

function ledgerOf(path: string): string {
  return `.superpowers/sdd/${baseName(path)}/progress.md`;
}

/** Those that the ledger calls complete are done. A task without items can never be done. */
function tasksWithLedger({ lines }: Outline, ledger: string): PlanPhase[] {
  const finished = new Set(finishedTasks(ledger));
  const places = ['heading'] as const;
  const tasks = readPhases(lines, { head: headsOf(['task']), places });
  const phases = readPhases(lines, { head: headsOf(['phase']), places });
  return (tasks.length > 0 ? tasks : phases)
    .filter(hasItems)
    .map((task) => (finished.has(task.key) ? asDone(task) : task));
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

/** `- [x] **Task 2**`. */
const LEDGER_HEAD = String.raw`^[\s>*+-]{0,20}(?:\[([ x])\] )?[*_]{0,3}task\s{1,3}(\d{1,9})\b`;
/** `: complete (commits a..b)`. */
const LEDGER_LINE = new RegExp(
  String.raw`${LEDGER_HEAD}[*_]{0,3}\s{0,3}:?(.{0,200})`,
  'i',
);

function asDone(phase: PlanPhase): PlanPhase {
  const boxes = phase.boxes.map((box): Box => ({ ...box, state: 'ticked' }));
  return { ...phase, mark: 'done', boxes };
}

function hasItems({ mark, boxes }: PlanPhase): boolean {
  return mark !== undefined || boxes.length > 0;
}

const NUMBERED = /^\**(\d{1,9})(\.\d{1,9})*\.?\s+(?:\(P\)\s+)?/;

/** `- [ ] 2. Build` is a phase; `2.1` and every box nested in it are its items. Without them it is its own item. */
function numberedTasks(sections: Outline['sections']): PlanPhase[] {
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
