import { readTextFile } from '../../io/read-file.ts';
import { parseJson, isObject, isWithinLimits } from '../../util/json.ts';
import { HOOK_MEMORY_FILE, SOURCE_RECORDS_FILE } from '../paths.ts';
import { parseHookState, type HookState } from './hook-state.ts';

const MAX_BYTES = 8_000_000;

export function readSourceRecords(root: string): SourceRecords {
  return parseSourceRecords(readJsonFile(`${root}/${SOURCE_RECORDS_FILE}`));
}

export function readHookState(root: string): HookState {
  return parseHookState(readJsonFile(`${root}/${HOOK_MEMORY_FILE}`));
}

function readJsonFile(fullPath: string): unknown {
  const file = readTextFile(fullPath, MAX_BYTES, 'refused');
  // Nothing is lost with a damaged file except that a source or a reminder may be handled twice.
  return file.kind === 'text' && isWithinLimits(file.text) ? parseJson(file.text) : undefined;
}

/**
 * The entries of `workflow-state/sources.json` by their key. Each is validated when it is looked up, because there may
 * be thousands; see `sync/source-records.ts`.
 */
export type SourceRecords = Readonly<Record<string, unknown>>;

function parseSourceRecords(json: unknown): SourceRecords {
  return isObject(json) && isObject(json['sources']) ? json['sources'] : {};
}

export function serializeSourceRecords(records: SourceRecords): string {
  return `${JSON.stringify({ version: 1, sources: records }, null, 1)}\n`;
}
