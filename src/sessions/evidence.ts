import { existsSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { isInside, realPath } from '../files/environment.ts';
import { namesIfReadable, readEnd, unlessRefused } from '../files/read-file.ts';
import type { StoredRun } from '../state/types.ts';
import { isObject, type JsonObject, parseJson } from '../text/json.ts';
import { isPlainId } from '../text/sanitize.ts';
import { shellCommands } from '../text/shell-commands.ts';
import { slugOf } from '../text/slug.ts';
import { baseName, isHoldfastProgram } from './permission.ts';
import { findRun } from './select-run.ts';

/** What a session did that shows which run it works on. */
export interface Evidence {
  runId: string;
  did: 'wrote' | 'ran' | 'read' | 'named';
  /** The file, from the project root, or the holdfast command. */
  subject: string;
}

/** Writing and commands are strong, looking is weak. */
export const isStrong = ({ did }: Evidence): boolean =>
  did === 'wrote' || did === 'ran';

/** A run with the files that stand for it: its state file and the sources that feed it, from the project root. */
export interface EvidenceTarget {
  run: StoredRun;
  files: readonly string[];
  /** The file among them of which only a section stands for the run. */
  sectionOf?: string | undefined;
}

export class EvidenceFinder {
  constructor(
    private readonly targets: readonly EvidenceTarget[],
    private readonly root: string,
    /** The root without links: the host may name files by either. */
    private readonly realRoot: string,
  ) {}

  /**
   * The strongest evidence for a candidate, of equal strength the latest; `calls` come the latest first. Null if the
   * calls show nothing, or point to several runs at once. A name or a file may mean any target, also one that is no
   * candidate.
   */
  find(
    calls: Iterable<ToolCall>,
    candidates: readonly StoredRun[],
  ): Evidence | null {
    let weak: Evidence | null = null;
    let unnamed: Evidence | null = null;
    for (const call of calls) {
      const found = this.evidenceOf(call);
      const target = this.targets.find(({ run }) => run.runId === found?.runId);
      if (found === null || target === undefined) continue;
      const named =
        target.sectionOf === found.subject ? workflowsIn(call.input) : null;
      const isNamed = named?.has(slugOf(target.run.state.workflow)) === true;
      // The section named another workflow then, and what was edited after that was that one.
      if (named !== null && named.size > 0 && !isNamed) {
        unnamed = null;
        continue;
      }
      if (candidates.every(({ runId }) => runId !== found.runId)) continue;
      if (!isStrong(found)) weak ??= found;
      else if (named === null || isNamed) return unnamed ?? found;
      else unnamed ??= found;
    }
    return unnamed ?? weak;
  }

  evidenceOf({ name, input }: ToolCall): Evidence | null {
    const { command, file_path: path = input['notebook_path'] } = input;
    if (name === 'Bash')
      return typeof command === 'string' ? this.#inShell(command) : null;
    if (!/^(?:Read|Write|Edit|MultiEdit|NotebookEdit)$/.test(name))
      return this.#byTool(name, input);
    if (typeof path !== 'string') return null;
    const file = resolve(this.root, path);
    const root = isInside(this.root, file) ? this.root : this.realRoot;
    const subject = relative(root, file).split(sep).join('/');
    const { old_string: _old, ...written } = input;
    const run = this.#runOf(subject, JSON.stringify(written));
    return evidence(run, name === 'Read' ? 'read' : 'wrote', subject);
  }

  #inShell(line: string): Evidence | null {
    for (const words of shellCommands(line).toReversed()) {
      const call = parseRunCommand(words);
      if (call === null) continue;
      const folder = resolve(this.root, call.cwd);
      if (!isInside(this.root, folder) && !isInside(this.realRoot, folder))
        continue;
      const run = this.#named(call.run, call.command === 'start');
      if (run !== undefined)
        return evidence(run, 'ran', `holdfast ${call.command}`);
    }
    const files = [...new Set(this.targets.flatMap((target) => target.files))];
    const [first, ...rest] = files
      .filter((file) => this.#isMentioned(line, file))
      .map((file) => ({ file, run: this.#runOf(file, line) }))
      .filter(({ run }) => run !== undefined);
    // A command that names the files of several runs shows none of them.
    const isAmbiguous = rest.some(
      ({ run }) => run?.runId !== first?.run?.runId,
    );
    return first === undefined || isAmbiguous
      ? null
      : evidence(first.run, 'named', first.file);
  }

  /** An MCP tool that starts a run, or names the one that it changes. */
  #byTool(
    name: string,
    { template, name: workflow, summary, run }: JsonObject,
  ): Evidence | null {
    const [, tool] = TOOL.exec(name) ?? [];
    const isStart = tool === 'workflow_start';
    const named = (isStart ? [summary, workflow, template] : [run]).find(
      (text): text is string => typeof text === 'string' && text.trim() !== '',
    );
    if (tool === undefined || named === undefined) return null;
    return evidence(this.#named(named, isStart), 'ran', tool);
  }

  /** Several workflows may share one file: then the one counts whose name is in the text of the call. */
  #runOf(file: string, text: string): StoredRun | undefined {
    const runs = this.targets
      .filter(({ files }) => files.includes(file))
      .map(({ run }) => run);
    return only(
      runs.length < 2
        ? runs
        : runs.filter(({ state }) => text.includes(state.workflow)),
    );
  }

  /** Whether the line names this file of the project, and not one of the same name in another folder. */
  #isMentioned(line: string, file: string): boolean {
    const { root, realRoot } = this;
    for (
      let at = line.indexOf(file);
      at >= 0;
      at = line.indexOf(file, at + 1)
    ) {
      // `PLAN.md.bak` is another file; a full stop may also end a sentence or come before a `*`.
      if (
        /^(?:[\w-]|\.\w)/.test(
          line.slice(at + file.length, at + file.length + 2),
        )
      )
        continue;
      const before = line.slice(Math.max(0, at - 4_096), at);
      const [folder = ''] = /[^\s"'`=:;|&<>()]*$/.exec(before) ?? [];
      if (folder === '' || /^(?:\.\/+|\$[^/]*\/)$/.test(folder)) return true;
      if (
        folder.endsWith('/') &&
        [root, realRoot].includes(resolve(root, folder))
      )
        return true;
    }
    return false;
  }

  /** A start names the workflow in full, and counts if only one run has that name. */
  #named(name: string, isStart: boolean): StoredRun | undefined {
    const runs = this.targets.map(({ run }) => run);
    const slug = slugOf(name);
    if (isStart)
      return only(runs.filter(({ state }) => slugOf(state.workflow) === slug));
    const found = findRun(runs, name);
    return found.kind === 'run' ? found.run : undefined;
  }
}

const TOOL =
  /^mcp__.*holdfast.*__(workflow_(?:start|set_tasks|advance|note|fail))$/;

const evidence = (
  run: StoredRun | undefined,
  did: Evidence['did'],
  subject: string,
) => (run === undefined ? null : { runId: run.runId, did, subject });

const only = (runs: readonly StoredRun[]): StoredRun | undefined =>
  runs.length === 1 ? runs[0] : undefined;

function workflowsIn({
  old_string: _old,
  edits,
  ...input
}: JsonObject): ReadonlySet<string> {
  const changes: unknown[] = Array.isArray(edits) ? edits : [];
  const written = changes.map((edit) =>
    isObject(edit) ? edit['new_string'] : undefined,
  );
  const text = [...Object.values(input), ...written]
    .filter((value) => typeof value === 'string')
    .join('\n');
  return new Set(
    [...text.matchAll(WORKFLOW_FIELD)].map(([, name = '']) => slugOf(name)),
  );
}

const WORKFLOW_FIELD = /\bworkflow[ \t*_`]*:[ \t*_`]*([^\n]+)/gi;

/** Commands that change a run. Those that only show, release, pause or cancel one say nothing about the work. */
const NAMED_FIRST =
  /^(?:advance|skip|fail|update|resume|takeover|reopen|approve|reject)$/;
const NAMED_BY_OPTION = /^(?:note|tasks|pivot)$/;
const FLAG = /^--(?:json|force|switch|yes|done|list|no-color|help)$/;
const LAUNCHERS =
  /^(?:node|npx|bunx|pnpx|exec|env|command|time|-y|--yes|\w+=.*)$/;

/** A call of holdfast that names the run, or the template, that it changes or starts here; null for anything else. */
function parseRunCommand(words: readonly string[]) {
  const at = words.findIndex(isHoldfastProgram);
  if (
    at < 0 ||
    !words.slice(0, at).every((word) => LAUNCHERS.test(baseName(word)))
  )
    return null;
  const options = new Map<string, string>();
  const positional: string[] = [];
  const rest = words.slice(at + 1);
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [, name = '', value] = /^(--[^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === '') positional.push(word);
    else if (value !== undefined) options.set(name, value);
    else if (!FLAG.test(name)) options.set(name, rest.shift() ?? '');
    else options.set(name, '');
  }
  // It shows the notes, and says as little about the work as `status`.
  if (options.has('--list')) return null;
  const [command = '', first] = positional;
  const run = NAMED_FIRST.test(command)
    ? first
    : NAMED_BY_OPTION.test(command)
      ? options.get('--run')
      : command === 'start'
        ? (first ??
          options
            .get('--template')
            ?.replaceAll(/^.*[\\/]|\.(?:ya?ml|json)$/g, ''))
        : undefined;
  return run === undefined
    ? null
    : { command, run, cwd: options.get('--cwd') ?? '' };
}

const MAX_BYTES = 8_000_000;
/** A single longer line is skipped: it is the content of some file, and parsing it would cost more than it tells. */
const MAX_LINE = 2_000_000;

/** A tool call of the conversation itself that was neither denied nor failed. */
export type ToolCall = { name: string; input: JsonObject; at?: string };

/**
 * The tool calls of a conversation, the latest first, from at most the last 8 MB of its transcript. Null if there is no
 * file to read. `isOverdue` ends the reading early: whatever was found by then has to do.
 */
export function readToolCalls(
  path: string,
  isOverdue: () => boolean,
): Generator<ToolCall, void> | null {
  // A path that cannot be looked at (not permitted, too long, through a file) is a transcript that is not there.
  const lines = unlessRefused(() => readEnd(path, MAX_BYTES));
  return lines === null ? null : callsFromEnd(lines, isOverdue);
}

function* callsFromEnd(
  lines: readonly string[],
  isOverdue: () => boolean,
): Generator<ToolCall, void> {
  const failed = new Set<unknown>();
  for (const line of lines.toReversed()) {
    if (isOverdue()) return;
    if (line.length > MAX_LINE) continue;
    // Results may be long, and only those of failed calls tell something.
    const isFailure =
      line.includes('"tool_result"') && /"is_error"\s*:\s*true/.test(line);
    const record =
      isFailure || line.includes('"tool_use"') ? parseJson(line) : null;
    for (const {
      type,
      name,
      input,
      id,
      is_error: isError,
      ...block
    } of blocksOf(record)) {
      if (type === 'tool_result' && isError === true)
        failed.add(block['tool_use_id']);
      if (
        type === 'tool_use' &&
        typeof name === 'string' &&
        isObject(input) &&
        !failed.has(id)
      )
        yield {
          name,
          input,
          ...(typeof block['at'] === 'string' ? { at: block['at'] } : {}),
        };
    }
  }
}

/** The calls of the assistant and the results of the user, the last first; none of a sub-agent or of a broken line. */
function blocksOf(record: unknown): JsonObject[] {
  if (!isObject(record) || record['isSidechain'] === true) return [];
  const {
    type,
    message,
    parent_tool_use_id: parent = null,
    timestamp,
  } = record;
  const content: unknown = isObject(message) ? message['content'] : null;
  const wanted =
    type === 'assistant' ? 'tool_use' : type === 'user' ? 'tool_result' : null;
  if (parent !== null || !Array.isArray(content)) return [];
  return content
    .filter(
      (block: unknown): block is JsonObject =>
        isObject(block) && block['type'] === wanted,
    )
    .map((block) => ({ ...block, at: timestamp }))
    .toReversed();
}

const MAX_FOLDERS = 2_000;

/** For commands: hooks are told its path. The client keeps one folder for each folder that it was launched in. */
export function findTranscript(
  config: string,
  session: string,
  root: string,
): string | null {
  if (!isPlainId(session)) return null;
  const projects = join(config, 'projects');
  const expected = realPath(root).replace(/[^A-Za-z0-9]/g, '-');
  const folders = [
    expected,
    ...namesIfReadable(projects).slice(0, MAX_FOLDERS),
  ];
  const paths = folders.map((name) => join(projects, name, `${session}.jsonl`));
  return paths.find((path) => existsSync(path)) ?? null;
}
