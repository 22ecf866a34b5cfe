import { isObject, ownMember, type JsonObject } from '../../text/json.ts';
import { isRunId, SOURCE_RECORDS_FILE } from '../paths.ts';
import { readJsonFile, validEntries } from './json-file.ts';

/** The entries of `workflow-state/sources.json` by their key; see `sources/source-records.ts`. */
export type SourceRecords = Readonly<Record<string, SourceRecord>>;

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

const WAYS_TO_END = ['completed', 'cancelled', 'deleted'] as const;
export type EndedAs = (typeof WAYS_TO_END)[number];

export function readSourceRecords(root: string): SourceRecords {
  const json = readJsonFile(`${root}/${SOURCE_RECORDS_FILE}`);
  return validEntries(ownMember(json, 'sources'), isSourceRecord);
}

/** A damaged entry counts as absent. What is said is checked where it is merged. */
function isSourceRecord(record: unknown): record is SourceRecord {
  if (!isObject(record) || !isRunId(record['run_id'])) return false;
  const { said, ended, gone_on: branches = [] } = record;
  const isOpen = ended === undefined;
  return isObject(said) && Array.isArray(branches) && (isOpen || isEnd(ended));
}

/** The end is shown to the session, with commands that name the run, so nothing else may stand there. */
function isEnd(ended: unknown): boolean {
  if (!isObject(ended) || typeof ended['at'] !== 'string') return false;
  return WAYS_TO_END.some((way) => way === ended['as']);
}
