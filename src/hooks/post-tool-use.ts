import { relative, sep } from 'node:path';
import { digestOf } from '../io/digest.ts';
import { readProjectFile } from '../io/read-file.ts';
import { holderOf } from '../sessions/history.ts';
import { isObject, type JsonObject } from '../state/json.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { textOf, type Reply } from './protocol.ts';
import type { Surroundings } from './surroundings.ts';

const MAX_BYTES = 1_000_000;

/** Notes that the session read a file that its run requires, and which content it read. */
export function postToolUse(around: Surroundings): Reply {
  const { input, root, store, now } = around;
  if (textOf(input.raw, 'tool_name') !== 'Read' || !isWhole(input.raw)) return null;
  const path = isObject(input.raw.tool_input) ? textOf(input.raw.tool_input, 'file_path') : null;
  if (path === null) return null;
  const { runs } = store.list();
  const { session } = around.input;
  const entry = `@${relative(root, path).split(sep).join('/')}`;
  const requires = ({ state }: StoredRun): boolean =>
    holderOf(state) === session && state.required_reading.includes(entry);
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
