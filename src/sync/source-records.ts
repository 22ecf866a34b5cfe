import type { DeclaredWorkflow } from '../detect/types.ts';
import type { SourceRecords } from '../state/store/read-records.ts';
import type { StoredRun } from '../state/types.ts';
import { isObject, sameJson } from '../util/json.ts';
import { slugOf } from '../util/slug.ts';
import { parseDeclared } from './parse-declared.ts';
import type { SourceFile, SourceFingerprint, SourceUpdate } from './types.ts';

const MAX_RECORDS = 3_000;

/** What a source declared when it was last merged, as stored in `sources.json`. */
export interface SourceRecord {
  run_id: string;
  said: unknown;
  basis?: SourceFingerprint;
  /** The run was archived because this source no longer declared it; if the source returns, so does the run. */
  away?: boolean;
}

export function recordOfSource(
  records: SourceRecords,
  { source, declared }: SourceUpdate,
): SourceRecord | undefined {
  return recordAt(records, keyOf(source, declared));
}

/** What a section of the local file declared for the run under the name that it had before. */
export function recordOfFormerSection(
  records: SourceRecords,
  path: string,
  runId: string,
  sources: readonly SourceFile[],
): SourceRecord | undefined {
  const current = new Set(
    sources.flatMap((source) =>
      source.kind === 'local-file' && 'said' in source.reading && source.reading.said
        ? keyOf(source, source.reading.said)
        : [],
    ),
  );
  return Object.keys(records)
    .filter((key) => key.startsWith(`${path}#`) && !current.has(key))
    .map((key) => recordAt(records, key))
    .find((record) => record?.run_id === runId);
}

/** Plans are found by path alone, so their record is available before they are read. */
export function recordOfPlan(records: SourceRecords, path: string): SourceRecord | undefined {
  return recordAt(records, path);
}

function recordAt(records: SourceRecords, key: string): SourceRecord | undefined {
  return Object.hasOwn(records, key) ? parseRecord(records[key]) : undefined;
}

/** A source update and the run it was merged into. */
export interface MergedSource extends SourceUpdate {
  runId: string;
}

/** Records what sources declare now, so that they do not recreate their run after it has ended. */
export function recordSources(
  records: SourceRecords,
  merged: readonly MergedSource[],
): SourceRecords {
  const added = merged.map(({ source, declared, runId }): [string, SourceRecord] => [
    keyOf(source, declared),
    {
      run_id: runId,
      said: { ...declared },
      ...(source.fingerprint && { basis: source.fingerprint }),
    },
  ]);
  const replaced = new Set(added.map(([key]) => key));
  const kept = Object.entries(records).filter(([key]) => !replaced.has(key));
  return Object.fromEntries([...kept, ...added].slice(-MAX_RECORDS));
}

/** Records that the run's source no longer declares it and that the run is in the archive. */
export function recordAway(records: SourceRecords, { runId, state }: StoredRun): SourceRecords {
  const { kind, path } = state.source ?? {};
  if (path === undefined) return records;
  const declared = parseDeclared(state.source?.said) ?? { workflow: state.workflow };
  const key = kind === 'plan' ? path : `${path}#${slugOf(declared.workflow)}`;
  const known = recordAt(records, key);
  const { [key]: _replaced, ...others } = records;
  const record: SourceRecord = {
    ...(known?.run_id === runId ? known : { said: { ...declared } }),
    run_id: runId,
    away: true,
  };
  return { ...others, [key]: record };
}

/** What the sources that were merged into the run declared then. */
export function declaredFor(records: SourceRecords, runId: string): DeclaredWorkflow[] {
  return Object.values(records).flatMap((entry) => {
    const record = parseRecord(entry);
    return record?.run_id === runId ? (parseDeclared(record.said) ?? []) : [];
  });
}

/** A section that was renamed leaves the record of its old name behind. */
export function forgetFormerSections(
  records: SourceRecords,
  merged: readonly MergedSource[],
): SourceRecords {
  const current = merged.filter(({ source }) => source.kind === 'local-file');
  const isFormer = (key: string, entry: unknown): boolean =>
    current.some(
      ({ source, declared, runId }) =>
        key.startsWith(`${source.path}#`) &&
        key !== keyOf(source, declared) &&
        parseRecord(entry)?.run_id === runId,
    );
  return Object.fromEntries(
    Object.entries(records).filter(([key, entry]) => !isFormer(key, entry)),
  );
}

/** Plans whose text is unchanged but whose recorded file mark is not current: without a new mark every hook reads them. */
export function sourcesToRefingerprint(
  records: SourceRecords,
  sources: readonly SourceFile[],
): readonly SourceFile[] {
  return sources.filter(({ kind, path, fingerprint }) => {
    if (kind !== 'plan' || fingerprint?.mark === undefined) return false;
    const recorded = recordOfPlan(records, path)?.basis;
    return recorded?.digest === fingerprint.digest && recorded.mark !== fingerprint.mark;
  });
}

export function withFingerprints(
  records: SourceRecords,
  sources: readonly SourceFile[],
): SourceRecords {
  const updated = sourcesToRefingerprint(records, sources).map(
    ({ path, fingerprint }): [string, unknown] => [
      path,
      { ...recordOfPlan(records, path), basis: fingerprint },
    ],
  );
  return updated.length === 0 ? records : { ...records, ...Object.fromEntries(updated) };
}

/** Removes the records of every source that was merged into the run. */
export function forgetRun(records: SourceRecords, runId: string): SourceRecords {
  return Object.fromEntries(
    Object.entries(records).filter(([, entry]) => parseRecord(entry)?.run_id !== runId),
  );
}

export function hasRecord(records: SourceRecords, source: SourceFile): boolean {
  return source.kind === 'plan'
    ? Object.hasOwn(records, source.path)
    : Object.keys(records).some((key) => isKeyOf(key, source));
}

/** After this the source can start a run again, even if it declares the same as before. */
export function forgetSource(records: SourceRecords, source: SourceFile): SourceRecords {
  return Object.fromEntries(Object.entries(records).filter(([key]) => !isKeyOf(key, source)));
}

/** Each section of the local file has a key of its own, so that forgetting one leaves the others. */
function isKeyOf(key: string, source: SourceFile): boolean {
  const { kind, path, reading } = source;
  if (kind === 'plan') return key === path;
  const declared = reading.state === 'finished' ? reading.said : undefined;
  return declared === undefined ? key.startsWith(`${path}#`) : key === keyOf(source, declared);
}

/** Valid entries are returned without a copy, because there may be thousands. */
function parseRecord(entry: unknown): SourceRecord | undefined {
  if (isRecord(entry)) return entry;
  return isObject(entry) && typeof entry['run_id'] === 'string' && isObject(entry['said'])
    ? {
        run_id: entry['run_id'],
        said: entry['said'],
        ...(entry['away'] === true && { away: true }),
      }
    : undefined;
}

function isRecord(entry: unknown): entry is SourceRecord {
  return (
    isObject(entry) &&
    typeof entry['run_id'] === 'string' &&
    isObject(entry['said']) &&
    (entry['away'] === undefined || typeof entry['away'] === 'boolean') &&
    (entry['basis'] === undefined || isFingerprint(entry['basis']))
  );
}

function isFingerprint(json: unknown): json is SourceFingerprint {
  return (
    isObject(json) &&
    typeof json['digest'] === 'string' &&
    (json['mark'] === undefined || typeof json['mark'] === 'string') &&
    (json['outline'] === undefined || typeof json['outline'] === 'string') &&
    (json['ticks'] === undefined || typeof json['ticks'] === 'number') &&
    isRecordOfBooleans(json['exists'])
  );
}

function isRecordOfBooleans(value: unknown): value is Record<string, boolean> {
  return isObject(value) && Object.values(value).every((entry) => typeof entry === 'boolean');
}

function keyOf(source: SourceFile, declared: DeclaredWorkflow): string {
  return source.kind === 'plan' ? source.path : `${source.path}#${slugOf(declared.workflow)}`;
}

/**
 * True if the source still declares what it declared then, or has only been ticked off since. A plan is compared by
 * its text, so that an edit which adds work counts as a change even in a phase that is listed already.
 */
export function isUnchangedSince(
  { source, declared }: SourceUpdate,
  record: SourceRecord,
): boolean {
  const { basis } = record;
  const { digest, outline, ticks = 0 } = source.fingerprint ?? {};
  if (digest !== undefined && digest === basis?.digest) return true;
  if (outline !== undefined && basis?.outline !== undefined)
    return outline === basis.outline && ticks >= (basis.ticks ?? 0);
  if (sameJson(record.said, declared)) return true;
  const before = parseDeclared(record.said);
  if (declared.phase?.status !== 'completed' || before === undefined) return false;
  return sameJson(withoutStatus(before), withoutStatus(declared));
}

function withoutStatus({ phase, ...declared }: DeclaredWorkflow): unknown {
  const { status: _status, ...position } = phase ?? {};
  return { ...declared, phase: position };
}
