import { readTextFile } from '../../io/read-file.ts';
import { parseJson } from '../../util/json.ts';
import { isWithinLimits } from '../../util/json-limits.ts';
import { HOOK_MEMORY_FILE, SOURCE_RECORDS_FILE } from '../paths.ts';
import { parseHookState, type HookState } from './hook-state.ts';
import { parseSourceRecords, type SourceRecords } from './source-records-file.ts';

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
