import { HoldfastError } from '../errors.ts';
import { digestOf } from '../io/digest.ts';
import { edit, original } from './edited-file.ts';
import { hookEntries } from './hook-entry.ts';
import type { Install } from './record.ts';
import {
  misshapenPart,
  placesOfOurs,
  unmarked,
  withHooks,
  withoutHooks,
} from './settings-hooks.ts';
import { strictJsonProblem } from './strict-json.ts';
import type { Change, Edits, InitRequest, Request } from './types.ts';

export function initSettings(
  request: InitRequest,
  path: string,
  former: Install | undefined,
): Edits {
  const before = request.disk.read(path);
  requireSettings(path, before);
  const isBlank = before === null || unmarked(before).trim() === '';
  const base = isBlank ? (before === null ? '{}\n' : '{}') : before;
  const after = withHooks(base, hookEntries(request.command, request.isBlocking));
  const without =
    isBlank || placesOfOurs(before).length === 0 ? before : withoutHooks(before, null);
  return edit(request, { path, before, after, without }, former);
}

export function removeFromSettings(
  { disk }: Request,
  path: string,
  former: Install | undefined,
): Change[] {
  const before = disk.read(path);
  if (before === null || unmarked(before).trim() === '') return [];
  const known = former?.edited.find((entry) => entry.path === path);
  const first = known === undefined ? undefined : original(disk, known);
  if (first !== undefined && digestOf(before) === known?.written) {
    return [{ path, before, after: first }];
  }
  requireSettings(path, before);
  if (placesOfOurs(before).length === 0) return [];
  const isFilled = typeof first === 'string' && unmarked(first).trim() !== '';
  const after = withoutHooks(before, isFilled ? JSON.parse(unmarked(first)) : null);
  const isOurs = first === null && unmarked(after).trim() === '{}';
  return [{ path, before, after: isOurs ? null : after }];
}

/** Settings that the host would not read are neither read nor repaired by us. */
function requireSettings(path: string, text: string | null): void {
  if (text === null || unmarked(text).trim() === '') return;
  const problem = strictJsonProblem(text);
  if (problem !== null) {
    const { line, why } = problem;
    throw new HoldfastError({ code: 'settings_not_json', path, line, why });
  }
  const part = misshapenPart(JSON.parse(unmarked(text)));
  if (part !== null) throw new HoldfastError({ code: 'settings_misshapen', path, part });
}
