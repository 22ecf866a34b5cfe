import { readTextFile } from '../../io/read-file.ts';
import { parseJson, isObject, isWithinLimits, type JsonObject } from '../../util/json.ts';
import { HOOK_MEMORY_FILE, SOURCE_RECORDS_FILE } from '../paths.ts';
import { parseHookState, type HookState } from './hook-state.ts';

const MAX_BYTES = 8_000_000;
const MAX_RECORDS = 3_000;

export function readSourceRecords(root: string): SourceRecords {
  const json = readJsonFile(`${root}/${SOURCE_RECORDS_FILE}`);
  const records = isObject(json) && isObject(json['sources']) ? json['sources'] : {};
  return Object.fromEntries(Object.entries(records).filter(isRecordEntry));
}

export function readHookState(root: string): HookState {
  return parseHookState(readJsonFile(`${root}/${HOOK_MEMORY_FILE}`));
}

function readJsonFile(fullPath: string): unknown {
  const file = readTextFile(fullPath, MAX_BYTES, 'refused');
  // Nothing is lost with a damaged file except that a source or a reminder may be handled twice.
  return file.kind === 'text' && isWithinLimits(file.text) ? parseJson(file.text) : undefined;
}

/** The entries of `workflow-state/sources.json` by their key; see `sync/source-records.ts`. */
export type SourceRecords = Readonly<Record<string, SourceRecord>>;

/** What a source declared when it was last merged. */
export interface SourceRecord {
  run_id: string;
  said: JsonObject;
  /** The run is in the archive because this source no longer declared it. */
  away?: boolean;
  /** The run has ended; the source starts another one only after its declaration was gone. */
  ended?: { at: string; as: EndedAs };
  /** The branches on which the declaration was gone since then. */
  gone_on?: string[];
}

const ENDS = ['completed', 'cancelled', 'deleted'] as const;
export type EndedAs = (typeof ENDS)[number];

/** A damaged entry counts as absent. What is said is checked where it is merged. */
function isRecordEntry(entry: [string, unknown]): entry is [string, SourceRecord] {
  const [, record] = entry;
  if (!isObject(record) || typeof record['run_id'] !== 'string') return false;
  const { said, ended, gone_on: branches = [] } = record;
  return isObject(said) && Array.isArray(branches) && (ended === undefined || isEnd(ended));
}

/** It is shown to the session. */
function isEnd(ended: unknown): boolean {
  return (
    isObject(ended) && typeof ended['at'] === 'string' && ENDS.some((as) => as === ended['as'])
  );
}

export function serializeSourceRecords(records: SourceRecords): string {
  const sources = Object.fromEntries(Object.entries(records).slice(-MAX_RECORDS));
  return `${JSON.stringify({ version: 1, sources }, null, 1)}\n`;
}
