import { phraseMark } from '../../state/marks.ts';
import type { Mark } from '../../state/words/vocabulary.ts';
import { isObject, parseJson } from '../../text/json.ts';
import { MAX_LINES } from '../../text/markdown/scan.ts';
import { MAX_PHASES } from './declare-phases.ts';
import type { Box, BoxState } from './field-line.ts';
import type { PlanPhase } from './phases.ts';
import {
  folderName,
  type PlanReading,
  type PlanSource,
} from './plan-format.ts';

// Tools that keep each task with its status in a file of data. A task is a phase, what it is divided into are its items.

const TASKMASTER_STATE = '.taskmaster/state.json';

export const taskmasterCompanions = (): string[] => [TASKMASTER_STATE];

/** `.taskmaster/tasks/tasks.json`: the tasks of the tag that the state names, else of the only one. */
export function readTaskmaster({
  text,
  companions,
}: PlanSource): PlanReading | undefined {
  const file = parseJson(text);
  if (!isObject(file)) return undefined;
  const state = parseJson(companions.get(TASKMASTER_STATE) ?? '');
  const named = isObject(state) ? state['currentTag'] : undefined;
  // Before there were tags, the file was one list.
  const tags = Array.isArray(file['tasks']) ? { master: file } : file;
  const names = Object.keys(tags).filter(
    (tag) => tasksOf(tags[tag]).length > 0,
  );
  const tag = typeof named === 'string' ? named : names[0];
  const isClear = typeof named === 'string' || names.length === 1;
  if (tag === undefined || !isClear || !names.includes(tag)) return undefined;
  const name = tag === 'master' ? 'Taskmaster' : `Taskmaster: ${tag}`;
  return { name, phases: tasksOf(tags[tag]).map(taskAsPhase) };
}

type Task = Record<string, unknown>;

function tasksOf(value: unknown): Task[] {
  const tasks = isObject(value) ? (value['tasks'] ?? value['subtasks']) : [];
  return Array.isArray(tasks)
    ? tasks.filter(isObject).slice(0, MAX_PHASES)
    : [];
}

function taskAsPhase(task: Task): PlanPhase {
  const label = textOf(task['id']);
  const boxes = tasksOf(task).map((part): Box => ({
    state: boxStateOf(textOf(part['status'])),
    text: `${label}.${textOf(part['id'])} ${textOf(part['title'])}`,
    depth: 0,
  }));
  const status = textOf(task['status']);
  return {
    name: textOf(task['title']) || undefined,
    label,
    mark: markOfTask(status),
    word: status,
    boxes,
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number'
    ? String(value)
    : '';
}

/** These tools have more words for a task that somebody works on. */
function markOfTask(status: string): Mark | undefined {
  const isUnderReview = status === 'review' || status === 'contexted';
  return isUnderReview ? 'under way' : phraseMark(status);
}

function boxStateOf(status: string): BoxState {
  const mark = markOfTask(status);
  if (mark === 'done' || mark === 'skipped') return 'ticked';
  return mark === 'under way' ? 'under way' : 'open';
}

/** `sprint-status.yaml` of BMAD: below `development_status`, `epic-1: in-progress` and `1-2-sign-in: done`. */
export function readBmad({ text }: PlanSource): PlanReading | undefined {
  const epics = new Map<string, PlanPhase>();
  let project = '';
  let isBelow = false;
  for (const line of text.split(/\r?\n/, MAX_LINES)) {
    const [, indent = '', key = '', rest = ''] = YAML_LINE.exec(line) ?? [];
    if (key === '') continue;
    const value = rest.replace(/\s+#.*$/, '').replaceAll(/^["']|["']$/g, '');
    if (indent === '') isBelow = key === 'development_status';
    if (key === 'project') project = value;
    if (!isBelow || indent === '') continue;
    const [, epic, story] = EPIC.exec(key) ?? STORY.exec(key) ?? [];
    if (epic === undefined || key.endsWith('-retrospective')) continue;
    const phase = epics.get(epic) ?? newEpic(epic);
    epics.set(epic, phase);
    const item: Box = { state: boxStateOf(value), text: key, depth: 0 };
    if (story !== undefined) phase.boxes.push(item);
    else phase.mark = closedMark(value);
  }
  if (epics.size === 0) return undefined;
  return {
    name: project || 'Sprint',
    phases: [...epics.values()].slice(0, MAX_PHASES),
  };
}

/** `  epic-1: in-progress # remark`. */
const YAML_LINE = /^(\s*)["']?([\w.-]{1,80})["']?\s*:\s*(.{0,200}?)\s*$/;
const EPIC = /^epic-(\d{1,4})$/;
const STORY = /^(\d{1,4})-(\d{1,4}[a-z]?)-/;

function newEpic(number: string): PlanPhase {
  return { name: `Epic ${number}`, label: number, mark: undefined, boxes: [] };
}

/** An epic that is in the backlog is as far as its stories are. */
function closedMark(status: string): Mark | undefined {
  const mark = markOfTask(status);
  return mark === 'open' ? undefined : mark;
}

const TRACKS = 'conductor/tracks.md';

export const conductorCompanions = (): string[] => [TRACKS];

/** What `conductor/tracks.md` says about the track of a plan: `## [~] Track: Sign in`, above a link to its folder. */
export function trackOf({ path, companions }: PlanSource): {
  name: string;
  mark: string;
} {
  const folder = folderName(path);
  let track = { name: '', mark: '' };
  for (const line of (companions.get(TRACKS) ?? '').split('\n', MAX_LINES)) {
    const [, mark = '', name = ''] = TRACK.exec(line) ?? [];
    if (name !== '') track = { name: name.replace(/^Track\s*:\s*/i, ''), mark };
    const isLinked = line.split(/[/()[\]\s*]+/).some((part) => part === folder);
    if (isLinked) return track;
  }
  return { name: '', mark: '' };
}

/** `## [~] Track: Sign in`, `- [x] **Track: Sign in**`. */
const TRACK =
  /^\s{0,3}(?:#{1,4}|[-*])\s+\[([ x~-])\]\s+[*_]{0,2}(.{1,200}?)[*_\s]{0,4}$/i;
