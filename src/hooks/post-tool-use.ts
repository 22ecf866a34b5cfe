import { existsSync, realpathSync } from 'node:fs';
import { relative } from 'node:path';
import { requiredPaths } from '../guidance/reading-list.ts';
import { digestOf } from '../io/digest.ts';
import { canonicalPath } from '../io/file-facts.ts';
import { isInside, readProjectFile } from '../io/read-file.ts';
import { holderOf } from '../sessions/history.ts';
import { isObject, type JsonObject } from '../state/json.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { textOf, type Reply } from './protocol.ts';
import { keepSeen, type Surroundings } from './surroundings.ts';

const MAX_BYTES = 1_000_000;

/** Notes that the session read a file that its run requires, and which content it read. */
export function postToolUse(around: Surroundings): Reply {
  const { input, root, store, now } = around;
  if (textOf(input.raw, 'tool_name') !== 'Read' || !isWhole(input.raw)) return null;
  const path = isObject(input.raw.tool_input) ? textOf(input.raw.tool_input, 'file_path') : null;
  if (path === null) return null;
  const { runs } = store.list();
  keepSeen(around, runs);
  const { session } = around.input;
  const canonical = (given: string): string => canonicalPath(root, given);
  const entry = `@${canonical(fromProject(root, path))}`;
  const requires = ({ state }: StoredRun): boolean =>
    holderOf(state) === session && requiredPaths(state, { canonical }).includes(entry);
  if (session === null || !runs.some(requires)) return null;
  const file = readProjectFile(root, entry.slice(1), MAX_BYTES);
  if (file.kind !== 'text') return null;
  const digest = digestOf(file.text);
  store.transaction((tx) => {
    for (const run of tx.runs.filter(requires))
      tx.write(run, withRead(run.state, entry, digest, now));
  });
  return null;
}

/** The host may name the file behind a link by which the project was opened, or the other way round. */
function fromProject(root: string, path: string): string {
  if (isInside(root, path) || !existsSync(path)) return path;
  return relative(realpathSync.native(root), realpathSync.native(path));
}

/** A part of a file is not the file. */
function isWhole(raw: JsonObject): boolean {
  const response = isObject(raw.tool_response) ? raw.tool_response : {};
  const { startLine, numLines, totalLines } = isObject(response.file) ? response.file : {};
  if (typeof numLines !== 'number' || typeof totalLines !== 'number') return true;
  return (typeof startLine !== 'number' || startLine <= 1) && numLines >= totalLines;
}

function withRead(state: RunState, path: string, digest: string, now: Date): RunState {
  const metadata = state.context_metadata ?? {};
  const others = (metadata.artifacts_in_context ?? []).filter(
    (entry) => entry.artifact_id !== path,
  );
  const read = { artifact_id: path, loaded_at: now.toISOString(), load_trigger: 'read', digest };
  return { ...state, context_metadata: { ...metadata, artifacts_in_context: [...others, read] } };
}
