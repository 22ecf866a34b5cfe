import type { SourceFingerprint, SourceFile } from './types.ts';
import type { SourceMemory } from '../state/store/source-memory-file.ts';
import type { DeclaredWorkflow } from '../detect/types.ts';
import { isObject } from '../util/json.ts';
import { slugOf } from '../util/slug.ts';

const MAX_REMEMBERED = 3_000;

export interface SourceRecord {
  run_id: string;
  said: unknown;
  /** Where the source still rests on the same, it says the same and need not be read again. */
  basis?: SourceFingerprint;
}

export function recordOfSource(
  memory: SourceMemory,
  source: SourceFile,
  said: DeclaredWorkflow,
): SourceRecord | undefined {
  return recallKey(memory, keyOf(source, said));
}

/** What a plan said, before it is known whether it still says anything. */
export function recordOfPlan(memory: SourceMemory, path: string): SourceRecord | undefined {
  return recallKey(memory, path);
}

function recallKey(memory: SourceMemory, key: string): SourceRecord | undefined {
  return Object.hasOwn(memory, key) ? asRemembered(memory[key]) : undefined;
}

/** Remembers what sources say at this moment, so that the end of their run is not undone by them. */
export function remember(memory: SourceMemory, fed: readonly MergedSource[]): SourceMemory {
  const now = fed.map(({ source, said, runId }): [string, SourceRecord] => [
    keyOf(source, said),
    { run_id: runId, said: { ...said }, ...(source.basis && { basis: source.basis }) },
  ]);
  const renewed = new Set(now.map(([key]) => key));
  const kept = Object.entries(memory).filter(([key]) => !renewed.has(key));
  return Object.fromEntries([...kept, ...now].slice(-MAX_REMEMBERED));
}

/** Sources whose files were touched, or were too new for a mark, and say the same: each is read again every time. */
export function sourcesToRefingerprint(
  memory: SourceMemory,
  sources: readonly SourceFile[],
): readonly SourceFile[] {
  return sources.filter(({ kind, path, basis }) => {
    if (kind !== 'plan' || basis?.mark === undefined) return false;
    const before = recordOfPlan(memory, path)?.basis;
    return before?.digest === basis.digest && before.mark !== basis.mark;
  });
}

/** With the marks that the files have now. */
export function withFingerprints(
  memory: SourceMemory,
  sources: readonly SourceFile[],
): SourceMemory {
  const touched = sourcesToRefingerprint(memory, sources).map(
    ({ path, basis }): [string, unknown] => [path, { ...recordOfPlan(memory, path), basis }],
  );
  return touched.length === 0 ? memory : { ...memory, ...Object.fromEntries(touched) };
}

/** A source, what it says, and the run that it says it to. */
export interface MergedSource {
  source: SourceFile;
  said: DeclaredWorkflow;
  runId: string;
}

/** Whatever the sources of a run said before it ended. */
export function forgetRun(memory: SourceMemory, runId: string): SourceMemory {
  return Object.fromEntries(
    Object.entries(memory).filter(([, entry]) => asRemembered(entry)?.run_id !== runId),
  );
}

export function isRemembered(memory: SourceMemory, source: SourceFile): boolean {
  return source.kind === 'plan'
    ? Object.hasOwn(memory, source.path)
    : Object.keys(memory).some((key) => isKeyOf(key, source));
}

/** A source that said finished may be taken up again with the same words. */
export function forget(memory: SourceMemory, source: SourceFile): SourceMemory {
  return Object.fromEntries(Object.entries(memory).filter(([key]) => !isKeyOf(key, source)));
}

/** A section of the local file has a key of its own, so that it does not speak for the others. */
function isKeyOf(key: string, source: SourceFile): boolean {
  const { kind, path, reading } = source;
  if (kind === 'plan') return key === path;
  const said = reading.state === 'finished' ? reading.said : undefined;
  return said === undefined ? key.startsWith(`${path}#`) : key === keyOf(source, said);
}

/** What is whole is not copied: there may be thousands. */
function asRemembered(entry: unknown): SourceRecord | undefined {
  if (isWhole(entry)) return entry;
  return isObject(entry) && typeof entry['run_id'] === 'string' && isObject(entry['said'])
    ? { run_id: entry['run_id'], said: entry['said'] }
    : undefined;
}

function isWhole(entry: unknown): entry is SourceRecord {
  return (
    isObject(entry) &&
    typeof entry['run_id'] === 'string' &&
    isObject(entry['said']) &&
    (entry['basis'] === undefined || isBasis(entry['basis']))
  );
}

function isBasis(json: unknown): json is SourceFingerprint {
  return (
    isObject(json) &&
    typeof json['digest'] === 'string' &&
    (json['mark'] === undefined || typeof json['mark'] === 'string') &&
    isAnswers(json['exists'])
  );
}

function isAnswers(value: unknown): value is Record<string, boolean> {
  return isObject(value) && Object.values(value).every((answer) => typeof answer === 'boolean');
}

function keyOf(source: SourceFile, said: DeclaredWorkflow): string {
  return source.kind === 'plan' ? source.path : `${source.path}#${slugOf(said.workflow)}`;
}
