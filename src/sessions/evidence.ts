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
    if (found === null) continue;
    const isSection = targets.some(
      ({ run, sectionOf }) => run.runId === found.runId && sectionOf === found.subject,
    );
    const named = isSection ? workflowsIn(call.input) : null;
    const run = targets.find((target) => target.run.runId === found.runId)?.run;
    const isNamed = named?.has(slugOf(run?.state.workflow ?? '')) === true;
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
  switch (name) {
    case 'Write':
    case 'Edit':
    case 'MultiEdit':
    case 'NotebookEdit':
      return fileEvidence(
        'wrote',
        input['file_path'] ?? input['notebook_path'],
        input,
        targets,
        place,
      );
    case 'Read':
      return fileEvidence('read', input['file_path'], input, targets, place);
    case 'Bash': {
      const command = input['command'];
      return typeof command === 'string' ? bashEvidence(command, targets, place) : null;
    }
    default:
      return toolEvidence(name, input, targets);
  }
}

function fileEvidence(
  did: 'wrote' | 'read',
  file: unknown,
  input: object,
  targets: readonly EvidenceTarget[],
  place: EvidencePlace,
): Evidence | null {
  if (typeof file !== 'string') return null;
  const subject = fromRoot(file, place);
  const { old_string: _old, ...written }: JsonObject = { ...input };
  const run = onlyRun(subject, targets, JSON.stringify(written));
  if (run === null) return null;
  return { runId: run.runId, strength: did === 'wrote' ? 'strong' : 'weak', did, subject };
}

/** Several workflows may share one file: then the one counts whose name is in the text of the call. */
function onlyRun(file: string, targets: readonly EvidenceTarget[], text: string): StoredRun | null {
  const runs = targets.filter(({ files }) => files.includes(file)).map(({ run }) => run);
  if (runs.length < 2) return runs[0] ?? null;
  const named = runs.filter(({ state }) => text.includes(state.workflow));
  return named.length === 1 ? (named[0] ?? null) : null;
}

function bashEvidence(
  line: string,
  targets: readonly EvidenceTarget[],
  place: EvidencePlace,
): Evidence | null {
  for (const words of shellCommands(line).toReversed()) {
    const evidence = commandEvidence(words, targets, place);
    if (evidence !== null) return evidence;
  }
  const files = new Set(targets.flatMap((target) => target.files));
  const named = [...files].filter((file) => mentions(line, file, place));
  const runs = named.map((file) => ({ file, run: onlyRun(file, targets, line) }));
  const [first, ...rest] = runs.filter(({ run }) => run !== null);
  if (first?.run === undefined || first.run === null) return null;
  // A command that names the files of several runs shows none of them.
  if (rest.some(({ run }) => run?.runId !== first.run?.runId)) return null;
  return { runId: first.run.runId, strength: 'weak', did: 'named', subject: first.file };
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

function commandEvidence(
  words: readonly string[],
  targets: readonly EvidenceTarget[],
  place: EvidencePlace,
): Evidence | null {
  const call = parseRunCommand(words);
  if (call === null || (call.cwd !== null && !isWithin(resolve(place.root, call.cwd), place)))
    return null;
  const { command, run: name } = call;
  const run = command === 'start' ? startedRun(name, targets) : namedRun(name, targets);
  return run === null
    ? null
    : { runId: run.runId, strength: 'strong', did: 'ran', subject: `holdfast ${command}` };
}

function namedRun(name: string, targets: readonly EvidenceTarget[]): StoredRun | null {
  const found = findRun(
    targets.map(({ run }) => run),
    name,
  );
  return found.kind === 'run' ? found.run : null;
}

/** Of the MCP tools only the start names its run; the others act on the run that the session holds anyway. */
function toolEvidence(
  name: string,
  { template, name: given, summary }: Record<string, unknown>,
  targets: readonly EvidenceTarget[],
): Evidence | null {
  if (!/^mcp__.*holdfast.*__workflow_start$/.test(name)) return null;
  const workflow = [summary, given, template].find(
    (text): text is string => typeof text === 'string' && text.trim() !== '',
  );
  if (workflow === undefined) return null;
  const run = startedRun(workflow, targets);
  return run === null
    ? null
    : { runId: run.runId, strength: 'strong', did: 'ran', subject: 'workflow_start' };
}

/** The only run of this name: a start names it in full. */
function startedRun(workflow: string, targets: readonly EvidenceTarget[]): StoredRun | null {
  const slug = slugOf(workflow);
  const [run, ...more] = targets
    .map((target) => target.run)
    .filter(({ state }) => slugOf(state.workflow) === slug);
  return run !== undefined && more.length === 0 ? run : null;
}

function fromRoot(file: string, { root, realRoot }: EvidencePlace): string {
  const path = resolve(root, file);
  const inside = isInside(root, path) ? relative(root, path) : relative(realRoot, path);
  return inside.split(sep).join('/');
}

function isWithin(folder: string, { root, realRoot }: EvidencePlace): boolean {
  return isInside(root, folder) || isInside(realRoot, folder);
}
