import { isObject } from '../../util/json.ts';

/**
 * The entries of `workflow-state/sources.json` by their key. Each is validated when it is looked up, because there may
 * be thousands; see `sync/source-records.ts`.
 */
export type SourceRecords = Readonly<Record<string, unknown>>;

export function parseSourceRecords(json: unknown): SourceRecords {
  return isObject(json) && isObject(json['sources']) ? json['sources'] : {};
}

export function serializeSourceRecords(records: SourceRecords): string {
  return `${JSON.stringify({ version: 1, sources: records }, null, 1)}\n`;
}
