import { isObject } from '../../util/json.ts';

/** `workflow-state/sources.json`: what each source said when it last fed a run, or when that run ended. */
export type SourceMemory = Readonly<Record<string, unknown>>;

/** Entries are looked at one by one when they are asked for: there may be thousands. */
export function memoryFrom(json: unknown): SourceMemory {
  return isObject(json) && isObject(json['sources']) ? json['sources'] : {};
}
