import type { Said } from '../detect/types.ts';
import { isObject, type JsonObject } from './json.ts';
import { slugOf } from './slug.ts';
import type { SourceFile } from './sync.ts';

const MAX_REMEMBERED = 3_000;

/** `workflow-state/sources.json`: what each source said when it last fed a run, or when that run ended. */
export type SourceMemory = Record<string, Remembered>;

export interface Remembered {
  run_id: string;
  said: JsonObject;
}

export function recall(
  memory: SourceMemory,
  source: SourceFile,
  said: Said,
): Remembered | undefined {
  const key = keyOf(source, said);
  return Object.hasOwn(memory, key) ? memory[key] : undefined;
}

/** Remembers what sources say at this moment, so that the end of their run is not undone by them. */
export function remember(
  memory: SourceMemory,
  fedBy: readonly { source: SourceFile; said: Said }[],
  runId: string,
): SourceMemory {
  const now = fedBy.map(({ source, said }): [string, Remembered] => [
    keyOf(source, said),
    { run_id: runId, said: { ...said } },
  ]);
  const renewed = new Set(now.map(([key]) => key));
  const kept = Object.entries(memory).filter(([key]) => !renewed.has(key));
  return Object.fromEntries([...kept, ...now].slice(-MAX_REMEMBERED));
}

/** A source that said finished may be taken up again with the same words. */
export function forget(memory: SourceMemory, source: SourceFile): SourceMemory {
  return Object.fromEntries(
    Object.entries(memory).filter(
      ([key]) => key !== source.path && !key.startsWith(`${source.path}#`),
    ),
  );
}

export function memoryFrom(json: unknown): SourceMemory {
  if (!isObject(json) || !isObject(json.sources)) return {};
  const entries = Object.entries(json.sources).flatMap(([key, entry]) =>
    isObject(entry) && typeof entry.run_id === 'string' && isObject(entry.said)
      ? [[key, { run_id: entry.run_id, said: entry.said }] as const]
      : [],
  );
  return Object.fromEntries(entries);
}

function keyOf(source: SourceFile, said: Said): string {
  return source.kind === 'plan' ? source.path : `${source.path}#${slugOf(said.workflow)}`;
}
