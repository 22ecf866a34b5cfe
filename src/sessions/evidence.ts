import { basename, relative, resolve, sep } from 'node:path';
import { isInside } from '../files/environment.ts';
import type { StoredRun } from '../state/types.ts';
import { isObject, type JsonObject } from '../text/json.ts';
import { shellCommands } from '../text/shell-commands.ts';
import { slugOf } from '../text/slug.ts';
import { parseRunCommand } from './parse-run-command.ts';
import { findRun } from './select-run.ts';
import type { ToolCall } from './transcript.ts';

/** What a session did that shows which run it works on. Writing and commands are strong, looking is weak. */
export interface Evidence {
  runId: string;
  strength: 'strong' | 'weak';
  did: 'wrote' | 'ran' | 'read' | 'named';
  /** The file, from the project root, or the holdfast command. */
  subject: string;
}

/** A run with the files that stand for it: its state file and the sources that feed it, from the project root. */
export interface EvidenceTarget {
  run: StoredRun;
  files: readonly string[];
  /** The file among them of which only a section stands for the run. */
  sectionOf?: string | undefined;
}

export interface EvidencePlace {
  root: string;
  /** The root without links: the host may name files by either. */
  realRoot: string;
}

/**
 * The strongest evidence for a candidate, of equal strength the latest; `calls` come the latest first. Null if the calls
 * show nothing, or point to several runs at once. A name or a file may mean any target, also one that is no candidate.
 */
export function findEvidence(
  calls: Iterable<ToolCall>,
  targets: readonly EvidenceTarget[],
  candidates: readonly StoredRun[],
  place: EvidencePlace,
): Evidence | null {
  let weak: Evidence | null = null;
  let unnamed: Evidence | null = null;
  for (const call of calls) {
    const found = evidenceOf(call, targets, place);
    const target = targets.find(({ run }) => run.runId === found?.runId);
    if (found === null || target === undefined) continue;
    const named = target.sectionOf === found.subject ? workflowsIn(call.input) : null;
    const isNamed = named?.has(slugOf(target.run.state.workflow)) === true;
    // The section named another workflow then, and what was edited after that was that one.
    if (named !== null && named.size > 0 && !isNamed) {
      unnamed = null;
      continue;
    }
    if (candidates.every(({ runId }) => runId !== found.runId)) continue;
    if (found.strength === 'weak') weak ??= found;
    else if (named === null || isNamed) return unnamed ?? found;
    else unnamed ??= found;
  }
  return unnamed ?? weak;
}

/** The slugs of the workflows that a call writes into a file. */
function workflowsIn({ old_string: _old, edits, ...input }: JsonObject): ReadonlySet<string> {
  const changes: unknown[] = Array.isArray(edits) ? edits : [];
  const written = changes.map((edit) => (isObject(edit) ? edit['new_string'] : undefined));
  const text = [...Object.values(input), ...written]
    .filter((value) => typeof value === 'string')
    .join('\n');
  return new Set([...text.matchAll(WORKFLOW_FIELD)].map(([, name = '']) => slugOf(name)));
}

const WORKFLOW_FIELD = /\bworkflow[ \t*_`]*:[ \t*_`]*([^\n]+)/gi;

/** A call that is evidence contains one of these: the program's name, or that of a file. */
export function evidenceWords(targets: readonly EvidenceTarget[]): string[] {
  const names = targets.flatMap(({ files }) => files.map((file) => basename(file)));
  return ['holdfast', ...new Set(names)];
}

/** What a single call shows. */
export function evidenceOf(
  { name, input }: ToolCall,
  targets: readonly EvidenceTarget[],
  place: EvidencePlace,
): Evidence | null {
  const { command, file_path: path = input['notebook_path'] } = input;
  if (name === 'Bash')
    return typeof command === 'string' ? bashEvidence(command, targets, place) : null;
  if (!/^(?:Read|Write|Edit|MultiEdit|NotebookEdit)$/.test(name))
    return toolEvidence(name, input, targets);
  if (typeof path !== 'string') return null;
  const file = resolve(place.root, path);
  const root = isInside(place.root, file) ? place.root : place.realRoot;
  const subject = relative(root, file).split(sep).join('/');
  const { old_string: _old, ...written } = input;
  const run = onlyRun(subject, targets, JSON.stringify(written));
  return evidence(run, name === 'Read' ? 'read' : 'wrote', subject);
}

function evidence(
  run: StoredRun | undefined,
  did: Evidence['did'],
  subject: string,
): Evidence | null {
  if (run === undefined) return null;
  const strength = did === 'wrote' || did === 'ran' ? 'strong' : 'weak';
  return { runId: run.runId, strength, did, subject };
}

/** Several workflows may share one file: then the one counts whose name is in the text of the call. */
function onlyRun(
  file: string,
  targets: readonly EvidenceTarget[],
  text: string,
): StoredRun | undefined {
  const runs = targets.filter(({ files }) => files.includes(file)).map(({ run }) => run);
  return only(runs.length < 2 ? runs : runs.filter(({ state }) => text.includes(state.workflow)));
}

function only(runs: readonly StoredRun[]): StoredRun | undefined {
  return runs.length === 1 ? runs[0] : undefined;
}

function bashEvidence(
  line: string,
  targets: readonly EvidenceTarget[],
  place: EvidencePlace,
): Evidence | null {
  for (const words of shellCommands(line).toReversed()) {
    const call = parseRunCommand(words);
    if (call === null) continue;
    const folder = resolve(place.root, call.cwd ?? '');
    if (!isInside(place.root, folder) && !isInside(place.realRoot, folder)) continue;
    const run = (call.command === 'start' ? startedRun : namedRun)(call.run, targets);
    if (run !== undefined) return evidence(run, 'ran', `holdfast ${call.command}`);
  }
  const files = [...new Set(targets.flatMap((target) => target.files))];
  const [first, ...rest] = files
    .filter((file) => mentions(line, file, place))
    .map((file) => ({ file, run: onlyRun(file, targets, line) }))
    .filter(({ run }) => run !== undefined);
  // A command that names the files of several runs shows none of them.
  const isAmbiguous = rest.some(({ run }) => run?.runId !== first?.run?.runId);
  return first === undefined || isAmbiguous ? null : evidence(first.run, 'named', first.file);
}

/** Whether the line names this file of the project, and not one of the same name in another folder. */
function mentions(line: string, file: string, { root, realRoot }: EvidencePlace): boolean {
  for (let at = line.indexOf(file); at >= 0; at = line.indexOf(file, at + 1)) {
    // `PLAN.md.bak` is another file; a full stop may also end a sentence or come before a `*`.
    if (/^(?:[\w-]|\.\w)/.test(line.slice(at + file.length, at + file.length + 2))) continue;
    const [folder = ''] = /[^\s"'`=:;|&<>()]*$/.exec(line.slice(Math.max(0, at - 4_096), at)) ?? [];
    if (folder === '' || /^(?:\.\/+|\$[^/]*\/)$/.test(folder)) return true;
    if (folder.endsWith('/') && [root, realRoot].includes(resolve(root, folder))) return true;
  }
  return false;
}

function namedRun(name: string, targets: readonly EvidenceTarget[]): StoredRun | undefined {
  const runs = targets.map(({ run }) => run);
  const found = findRun(runs, name);
  return found.kind === 'run' ? found.run : undefined;
}

/** An MCP tool that starts a run, or names the one that it changes. */
function toolEvidence(
  name: string,
  { template, name: given, summary, run }: JsonObject,
  targets: readonly EvidenceTarget[],
): Evidence | null {
  const [, tool] = TOOL.exec(name) ?? [];
  const isStart = tool === 'workflow_start';
  const named = (isStart ? [summary, given, template] : [run]).find(
    (text): text is string => typeof text === 'string' && text.trim() !== '',
  );
  if (tool === undefined || named === undefined) return null;
  return evidence((isStart ? startedRun : namedRun)(named, targets), 'ran', tool);
}

const TOOL = /^mcp__.*holdfast.*__(workflow_(?:start|set_tasks|advance|note|fail))$/;

/** The only run of this name: a start names it in full. */
function startedRun(workflow: string, targets: readonly EvidenceTarget[]): StoredRun | undefined {
  const slug = slugOf(workflow);
  return only(targets.map(({ run }) => run).filter(({ state }) => slugOf(state.workflow) === slug));
}
