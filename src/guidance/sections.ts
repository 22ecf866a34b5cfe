import { isCounted } from '../state/phases.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { cutLongest, fitLines, type LineList, type Section } from './budget.ts';
import { displayName } from './frame.ts';
import { type GuidanceInput, todoLines } from './input.ts';
import { formatEntry, sanitizeLine, truncate, fenced } from '../text/sanitize.ts';
import { requires, type ReadingEntry } from './reading/reading-list.ts';
import { isOutOfPivots, waitOf } from '../templates/run-view.ts';
import type { DueArtifact, Loaded } from './artifacts/types.ts';
import { formatSize } from '../text/relative-time.ts';

const MAX_PATH = 240;

/** REQUIRED READING and ACTION REQUIRED, in at most `space` characters. */
export function actionSections(
  input: GuidanceInput,
  inlined: ReadonlySet<string>,
  space: number,
): Section[] {
  const action: Section = {
    name: 'ACTION REQUIRED',
    text: actionLines(input, inlined).join('\n'),
    cut: null,
  };
  if (input.reading.length === 0) return [action];
  const left = space - action.text.length - 4;
  // Paths that differ only in characters that are not shown become one line.
  const lines = [...new Set(input.reading.map((entry) => readingLine(entry, inlined)))];
  const reading = fitLines('REQUIRED READING', 'REQUIRED READING', lines, left, 'holdfast status');
  return [reading, action];
}

export function reminderList({ run, maxChars }: GuidanceInput): LineList {
  return wholeLines(run, 'Key Reminders', reminderLines(run.state), (900 * maxChars) / 8_000);
}

/** Lines that are given whole while they fit; then the longest are cut first. */
function wholeLines(run: StoredRun, title: string, lines: string[], share: number): LineList {
  const shownBy = `holdfast show ${run.runId}`;
  return { title, lines, share, shownBy, shorter: (space) => cutLongest(lines, space, shownBy) };
}

/** The lists before and after the contents of files. */
export function restLists(
  input: GuidanceInput,
  given: ReadonlySet<string>,
): { before: LineList[]; after: LineList[] } {
  const { artifacts, todo, others, maxChars } = input;
  const scale = maxChars / 8_000;
  return {
    before: [
      wholeLines(input.run, 'Context', contextLines(input), 700 * scale),
      {
        title: 'Critical artifacts',
        lines: artifactLines(artifacts, given),
        share: 600 * scale,
        shownBy: 'holdfast prime --dry-run',
      },
    ],
    after: [
      { title: 'Todo', lines: todoLines(todo), share: 300 * scale, shownBy: 'holdfast todo' },
      {
        title: 'Other active runs',
        lines: others.map((line) => `- ${line}`),
        share: 500 * scale,
        shownBy: 'holdfast list',
      },
    ],
  };
}

/** Required files come first; artifacts get what is left of the budget. */
export function contentsFor({
  reading,
  contentOf,
  artifacts,
  inlineChars,
}: GuidanceInput): InlinedFile[] {
  const files = inlineFiles(reading, contentOf, inlineChars);
  const used = files.reduce((sum, { content }) => sum + content.length, 0);
  return [...files, ...inlineArtifacts(artifacts, inlineChars - used)];
}

/** Files with the same content share one section. */
export function contentSections(inlined: readonly InlinedFile[]): Section[] {
  const titles = new Map<string, string[]>();
  for (const { title, block } of inlined) {
    const shown = truncate(sanitizeLine(title), MAX_PATH);
    titles.set(block, [...(titles.get(block) ?? []), shown]);
  }
  return [...titles].map(([block, names]) => {
    const shown = names.join(', ');
    return { name: `content of ${shown}`, text: `${shown}\n${block}`, cut: null };
  });
}

export function readingLine({ path, state }: ReadingEntry, inlined: ReadonlySet<string>): string {
  const shown = truncate(sanitizeLine(path), MAX_PATH);
  if (state === 'host') return `${shown} (loaded by the host)`;
  if (state === 'missing') return `${shown} (missing)`;
  if (state === 'outside') return `${shown} (outside the project)`;
  if (inlined.has(path)) return `${shown} (content below)`;
  return shown === path ? shown : `${shown} (\`holdfast status --json\` has its exact name)`;
}

function actionLines(
  { run, nameInCommands, reading, notes }: GuidanceInput,
  inlined: ReadonlySet<string>,
): string[] {
  const { workflow, phase } = run.state;
  const isAskedFor = ({ path, state }: ReadingEntry): boolean =>
    !inlined.has(path) && (state === 'unread' || state === 'changed' || state === 'in_context');
  const asked = reading.filter(isAskedFor).length;
  const given = reading.filter(({ path }) => inlined.has(path)).length;
  const present = reading.filter(({ state }) => state !== 'missing' && state !== 'outside').length;
  const toDo =
    asked > 0
      ? `${asked === reading.length ? ' and' : '; those without a mark'} still have to be opened with the Read tool.`
      : `; ${given === reading.length ? 'their content' : 'the content of those marked so'} is below. Open them again with the Read tool if they change.`;
  const steps = [
    asked + given === 0 ? null : `The files above are required reading for this workflow${toDo}`,
    `The first reply starts with: ✅ Workflow restored: ${displayName(workflow)}${isCounted(phase) ? `, Phase ${phase.current}/${phase.total}` : ''}`,
    `Assume nothing beyond ${present === 0 ? '' : 'these files and '}this message.`,
    finishLine(run, nameInCommands),
    ...notes,
  ].filter((step) => step !== null);
  return ['ACTION REQUIRED', ...steps.map((step, index) => `${index + 1}. ${step}`)];
}

/** How the current phase or step ends. The user's terminal holds no run, so the commands for it always name one. */
export function finishLine(run: StoredRun, nameInCommands: string | null = null): string {
  const wait = waitOf(run.state);
  if (wait?.for === 'approval')
    return `This step waits for the user, who answers in a terminal of their own: ${answerCommands(run)}`;
  const [flag, name] = nameInCommands === null ? ['', ''] : [' --run', ` ${nameInCommands}`];
  return wait?.for === 'tasks'
    ? `Once the tasks of this step are known: holdfast tasks ${wait.loop}${flag}${name}`
    : run.state.machine === undefined && !isCounted(run.state.phase)
      ? `How many phases there are is not known. When this one is done: holdfast advance${name} --name "<next phase>"; when all is done: holdfast complete${name}`
      : `When done: holdfast advance${name}`;
}

/** What the user answers an approval step with; a rejection that would be refused is not among it. */
export function answerCommands({ runId, state }: StoredRun): string {
  if (isOutOfPivots(state))
    return `holdfast approve ${runId}, or holdfast complete ${runId}, which ends the run`;
  return `holdfast approve ${runId}, or holdfast reject ${runId} --feedback "…"`;
}

function reminderLines(state: RunState): string[] {
  const lines = (state.key_reminders ?? []).map((text) => `- ${sanitizeLine(text)}`);
  return [...new Set(lines)];
}

function contextLines({
  run: { state },
  step,
  reading,
  resolvePath,
  showFile,
}: GuidanceInput): string[] {
  const isListed = step?.isListed ?? (() => true);
  const isRequired = requires(reading);
  const facts = Object.entries(state.context ?? {})
    .filter(([key]) => isListed('context', key))
    .map(([key, value]) => formatEntry(key, value));
  // Required files are already listed under REQUIRED READING.
  const files = Object.entries(state.artifacts ?? {})
    .filter(([key, path]) => isListed('artifact', key) && !isRequired(path))
    .map(([key, path]) => formatEntry(key, resolvePath(path)));
  const earlier = (phase: string): string =>
    isCounted(state.phase) ? `phase ${sanitizeLine(phase)}` : 'an earlier phase';
  const outputs = Object.entries(state.outputs ?? {}).flatMap(([phase, { text, artefacts }]) => [
    ...(text === undefined ? [] : [`output of ${earlier(phase)}: ${sanitizeLine(text)}`]),
    ...(artefacts === undefined
      ? []
      : [
          `files of ${earlier(phase)}: ${artefacts.map((path) => sanitizeLine(showFile(path))).join(', ')}`,
        ]),
  ]);
  return [...facts, ...files, ...outputs.toReversed(), ...(step?.outputs ?? [])].map(
    (line) => `- ${line}`,
  );
}

const MAX_LINE = 400;

/** Artifacts that are inlined whole, in order, while they fit. */
export function inlineArtifacts(due: readonly DueArtifact[], maxChars: number): InlinedFile[] {
  let left = maxChars;
  return due.flatMap(({ id, loaded }) => {
    if (loaded.kind !== 'text' || loaded.text.trim() === '' || loaded.text.length > left) return [];
    left -= loaded.text.length;
    const title = `Artifact ${loaded.path === undefined ? id : `${id} (@${loaded.path})`}`;
    return [{ id, title, content: loaded.text, block: fenced(loaded.text) }];
  });
}

/** One line for each artifact: its path and size, or what to do about it. */
export function artifactLines(due: readonly DueArtifact[], inlined: ReadonlySet<string>): string[] {
  return due.map(({ id, description, loaded }) => {
    const about = description === undefined ? '' : `, ${sanitizeLine(description)}`;
    return truncate(
      `- ${sanitizeLine(id)}${about}: ${loadedText(loaded, inlined.has(id))}`,
      MAX_LINE,
    );
  });
}

function loadedText(loaded: Loaded, isInlined: boolean): string {
  switch (loaded.kind) {
    case 'text': {
      const note = loaded.note === undefined ? '' : `, ${sanitizeLine(loaded.note)}`;
      if (isInlined) return `content below${note}`;
      return loaded.path === undefined
        ? `${formatSize(loaded.size)}, \`holdfast prime\` loads it${note}`
        : `@${sanitizeLine(loaded.path)} (${formatSize(loaded.size)}), to be opened with the Read tool${note}`;
    }
    case 'empty':
      return `@${sanitizeLine(loaded.path)} is empty`;
    case 'listed':
      return sanitizeLine(loaded.todo);
    case 'missing':
      return `missing: ${sanitizeLine(loaded.what)}; ${sanitizeLine(loaded.hint)}`;
    default:
      return `@${sanitizeLine(loaded.path)} was not loaded: ${loaded.why}${loaded.size === undefined ? '' : ` (${formatSize(loaded.size)})`}`;
  }
}

/** The reading list always has space to name this many. */
const MAX_FILES = 8;

/** The content of a required file, whose id is its `@path`, or of an artifact. */
export interface InlinedFile {
  id: string;
  title: string;
  content: string;
  block: string;
}

/** Required files that are inlined whole, in order, while they fit. */
export function inlineFiles(
  reading: readonly ReadingEntry[],
  contentOf: (path: string) => string | undefined,
  maxChars: number,
): InlinedFile[] {
  let left = maxChars;
  const files: InlinedFile[] = [];
  for (const { path, state } of reading) {
    if (left <= 0 || files.length === MAX_FILES) break;
    if (state === 'missing' || state === 'outside' || state === 'host') continue;
    const content = contentOf(path);
    if (content === undefined || content.trim() === '') continue;
    const isThere = files.some((file) => file.content === content);
    if (!isThere && content.length > left) continue;
    if (!isThere) left -= content.length;
    files.push({ id: path, title: path, content, block: fenced(content) });
  }
  return files;
}
