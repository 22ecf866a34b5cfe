import { relative, resolve, sep } from 'node:path';
import { isInside } from '../files/environment.ts';
import type { Run } from '../state/types.ts';
import { isObject, type JsonObject } from '../text/json.ts';
import { shellCommands } from '../text/shell-commands.ts';
import { slugOf } from '../text/slug.ts';
import { baseName, isHoldfastProgram } from './permission.ts';
import { findRun } from './select-run.ts';
import type { ToolCall } from './transcript.ts';

/** What a session did that shows which run it works on. */
export interface Evidence {
  runId: string;
  did: 'wrote' | 'ran' | 'read' | 'named';
  /** The file, from the project root, or the holdfast command. */
  subject: string;
}

/** Writing and commands are strong, looking is weak. */
export function isStrong({ did }: Evidence): boolean {
  return did === 'wrote' || did === 'ran';
}

/** A run with the files that stand for it: its state file and the sources that feed it, from the project root. */
export interface EvidenceTarget {
  run: Run;
  files: readonly string[];
  /** The file among them of which only a section stands for the run. */
  sectionOf?: string | undefined;
}

/** The tools of the client that read or change a file. */
const FILE_TOOL = /^(?:Read|Write|Edit|MultiEdit|NotebookEdit)$/;

/** `mcp__holdfast__workflow_note`, `mcp__plugin_holdfast_holdfast__workflow_advance`. */
const RUN_TOOL =
  /^mcp__.*holdfast.*__(workflow_(?:start|set_tasks|advance|note|fail))$/;

/** Finds out on which of the targets the tool calls of a session worked. */
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
  find(calls: Iterable<ToolCall>, candidates: readonly Run[]): Evidence | null {
    let weak: Evidence | null = null;
    // Written to the file of a section, without the name of the workflow: it may have been another one's section then.
    let unnamed: Evidence | null = null;

    for (const call of calls) {
      const found = this.evidenceOf(call);
      const target = this.targets.find(({ run }) => run.runId === found?.runId);
      if (found === null || target === undefined) continue;

      const isSection = target.sectionOf === found.subject;
      const names = isSection ? workflowsIn(call.input) : NO_NAMES;
      const isNamed = names.has(slugOf(target.run.state.workflow));
      const isOtherNamed = names.size > 0 && !isNamed;
      // The section named another workflow then, and what was edited after that was that one.
      if (isOtherNamed) {
        unnamed = null;
        continue;
      }

      const isCandidate = candidates.some(({ runId }) => runId === found.runId);
      if (!isCandidate) continue;
      if (!isStrong(found)) weak ??= found;
      else if (isSection && !isNamed) unnamed ??= found;
      else return unnamed ?? found;
    }
    return unnamed ?? weak;
  }

  /** What a single call shows. */
  evidenceOf({ name, input }: ToolCall): Evidence | null {
    if (name === 'Bash') {
      const { command } = input;
      return typeof command === 'string' ? this.#inShell(command) : null;
    }
    if (FILE_TOOL.test(name)) return this.#inFile(name, input);
    return this.#byTool(name, input);
  }

  #inFile(name: string, input: JsonObject): Evidence | null {
    const path = input['file_path'] ?? input['notebook_path'];
    if (typeof path !== 'string') return null;
    const file = resolve(this.root, path);
    const root = isInside(this.root, file) ? this.root : this.realRoot;
    const subject = relative(root, file).split(sep).join('/');

    const { old_string: _old, ...written } = input;
    const run = this.#runOf(subject, JSON.stringify(written));
    return evidence(run, name === 'Read' ? 'read' : 'wrote', subject);
  }

  #inShell(line: string): Evidence | null {
    return this.#runCommandIn(line) ?? this.#fileIn(line);
  }

  /** The last command of the line that changes or starts a run of this project. */
  #runCommandIn(line: string): Evidence | null {
    for (const words of shellCommands(line).toReversed()) {
      const call = parseRunCommand(words);
      if (call === null) continue;
      const folder = resolve(this.root, call.cwd);
      const isHere =
        isInside(this.root, folder) || isInside(this.realRoot, folder);
      if (!isHere) continue;

      const run = this.#named(call.run, call.command === 'start');
      if (run !== undefined)
        return evidence(run, 'ran', `holdfast ${call.command}`);
    }
    return null;
  }

  /** The file that the line names. A command that names the files of several runs shows none of them. */
  #fileIn(line: string): Evidence | null {
    let shown: Evidence | null = null;
    const files = new Set(this.targets.flatMap((target) => target.files));
    for (const file of files) {
      if (!this.#isMentioned(line, file)) continue;
      const found = evidence(this.#runOf(file, line), 'named', file);
      if (found === null) continue;
      if (shown !== null && shown.runId !== found.runId) return null;
      shown ??= found;
    }
    return shown;
  }

  /** An MCP tool that starts a run, or names the one that it changes. */
  #byTool(name: string, input: JsonObject): Evidence | null {
    const [, tool] = RUN_TOOL.exec(name) ?? [];
    if (tool === undefined) return null;
    const isStart = tool === 'workflow_start';
    const names = isStart
      ? [input['summary'], input['name'], input['template']]
      : [input['run']];
    const named = names.find(
      (text): text is string => typeof text === 'string' && text.trim() !== '',
    );
    if (named === undefined) return null;
    return evidence(this.#named(named, isStart), 'ran', tool);
  }

  /** Several workflows may share one file: then the one counts whose name is in the text of the call. */
  #runOf(file: string, text: string): Run | undefined {
    const runs = this.targets
      .filter(({ files }) => files.includes(file))
      .map(({ run }) => run);
    if (runs.length < 2) return runs[0];
    return only(runs.filter(({ state }) => text.includes(state.workflow)));
  }

  /** Whether the line names this file of the project, and not one of the same name in another folder. */
  #isMentioned(line: string, file: string): boolean {
    let at = line.indexOf(file);
    while (at >= 0) {
      const end = at + file.length;
      const isWholeName = !GOES_ON.test(line.slice(end, end + 2));
      if (isWholeName && this.#isRootBefore(line, at)) return true;
      at = line.indexOf(file, at + 1);
    }
    return false;
  }

  /** Whether the folder that the line names before a file is the root of the project, or none is named. */
  #isRootBefore(line: string, at: number): boolean {
    const before = line.slice(Math.max(0, at - MAX_PATH_CHARS), at);
    const [folder = ''] = PATH_AT_END.exec(before) ?? [];
    if (folder === '' || HERE.test(folder)) return true;
    if (!folder.endsWith('/')) return false;
    const path = resolve(this.root, folder);
    return path === this.root || path === this.realRoot;
  }

  /** A start names the workflow in full, and counts if only one run has that name. */
  #named(name: string, isStart: boolean): Run | undefined {
    const runs = this.targets.map(({ run }) => run);
    if (isStart) {
      const slug = slugOf(name);
      return only(runs.filter(({ state }) => slugOf(state.workflow) === slug));
    }
    const found = findRun(runs, name);
    return found.kind === 'run' ? found.run : undefined;
  }
}

const MAX_PATH_CHARS = 4_096;
/** `PLAN.md.bak` is another file; a full stop may also end a sentence or come before a `*`. */
const GOES_ON = /^(?:[\w-]|\.\w)/;
/** The part of a path that stands at the end of a text: `docs/` of `cat docs/`. */
const PATH_AT_END = /[^\s"'`=:;|&<>()]*$/;
/** `./`, or a variable that stands for some folder: `$ROOT/`. */
const HERE = /^(?:\.\/+|\$[^/]*\/)$/;

const NO_NAMES: ReadonlySet<string> = new Set();

function evidence(
  run: Run | undefined,
  did: Evidence['did'],
  subject: string,
): Evidence | null {
  return run === undefined ? null : { runId: run.runId, did, subject };
}

function only(runs: readonly Run[]): Run | undefined {
  return runs.length === 1 ? runs[0] : undefined;
}

/** `Workflow: Auth`, also as `**Workflow**: Auth`. */
const WORKFLOW_FIELD = /\bworkflow[ \t*_`]*:[ \t*_`]*([^\n]+)/gi;

/** The workflows that a call writes the name of. What an edit replaces does not count. */
function workflowsIn(input: JsonObject): ReadonlySet<string> {
  const { old_string: _old, edits, ...written } = input;
  const texts = Object.values(written);
  if (Array.isArray(edits))
    for (const edit of edits)
      if (isObject(edit)) texts.push(edit['new_string']);

  const text = texts.filter((value) => typeof value === 'string').join('\n');
  const names = [...text.matchAll(WORKFLOW_FIELD)];
  return new Set(names.map(([, name = '']) => slugOf(name)));
}

/** A call of holdfast that changes or starts a run. */
interface RunCommand {
  command: string;
  /** As it is written in the call: a name or an id, or for a start the name of the workflow or template. */
  run: string;
  cwd: string;
}

/** Commands that change a run. Those that only show, release, pause or cancel one say nothing about the work. */
const NAMED_FIRST =
  /^(?:advance|skip|fail|update|resume|takeover|reopen|approve|reject)$/;
const NAMED_BY_OPTION = /^(?:note|tasks|pivot)$/;
/** Words that may stand before the program: `npx -y holdfast`, `env LANG=C holdfast`. */
const LAUNCHERS =
  /^(?:node|npx|bunx|pnpx|exec|env|command|time|-y|--yes|\w+=.*)$/;

/** Null for the words of any other program, and for a call that names no run. */
function parseRunCommand(words: readonly string[]): RunCommand | null {
  const at = words.findIndex(isHoldfastProgram);
  if (at < 0) return null;
  const isLaunched = words
    .slice(0, at)
    .every((word) => LAUNCHERS.test(baseName(word)));
  if (!isLaunched) return null;

  const { positional, options } = argumentsOfCall(words.slice(at + 1));
  // It shows the notes, and says as little about the work as `status`.
  if (options.has('--list')) return null;
  const [command = '', first] = positional;
  const run = runNamed(command, first, options);
  if (run === undefined) return null;
  return { command, run, cwd: options.get('--cwd') ?? '' };
}

/** Options that take no value, of all commands that change a run. */
const FLAG =
  /^--(?:json|force|switch|yes|done|list|wait|model|proof|no-color|help)$/;
/** `--run`, `--run=auth`. */
const OPTION = /^(--[^=]+)(?:=(.*))?$/s;

/** Divides the words after `holdfast` in a shell command of the transcript as the program would, to find which run it names. */
function argumentsOfCall(words: readonly string[]): {
  positional: string[];
  options: Map<string, string>;
} {
  const positional: string[] = [];
  const options = new Map<string, string>();
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const [, name, value] = OPTION.exec(word) ?? [];
    if (name === undefined) {
      positional.push(word);
    } else if (value !== undefined || FLAG.test(name)) {
      options.set(name, value ?? '');
    } else {
      at += 1;
      options.set(name, words[at] ?? '');
    }
  }
  return { positional, options };
}

/** The folders before the name of a template file, and its ending. */
const AROUND_NAME = /^.*[\\/]|\.(?:ya?ml|json)$/g;

function runNamed(
  command: string,
  first: string | undefined,
  options: ReadonlyMap<string, string>,
): string | undefined {
  if (NAMED_FIRST.test(command)) return first;
  if (NAMED_BY_OPTION.test(command)) return options.get('--run');
  if (command !== 'start') return undefined;
  return first ?? options.get('--template')?.replaceAll(AROUND_NAME, '');
}
