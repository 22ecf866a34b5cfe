import type { DeclaredWorkflow } from '../detect/types.ts';
import { PHASE_STATUSES } from '../state/types.ts';
import { isObject } from '../util/json.ts';

/** A declared workflow as a state file or record stores it, for a merge; invalid fields are dropped. */
export function parseDeclared(value: unknown): DeclaredWorkflow | undefined {
  if (!isObject(value) || typeof value['workflow'] !== 'string') return undefined;
  const { workflow_type: type, phase, phases, context, skipped, undone } = value;
  return {
    workflow: value['workflow'],
    ...(typeof type === 'string' && { workflow_type: type }),
    ...(isDeclaredPhase(phase) && { phase }),
    ...(isListOf<string>('string', phases) && { phases }),
    required_reading: stringsIn(value['required_reading']),
    key_reminders: stringsIn(value['key_reminders']),
    context: isObject(context) ? context : {},
    ...(isSkipped(skipped) && { skipped }),
    ...(isListOf<number>('number', undone) && { undone }),
  };
}

function isDeclaredPhase(value: unknown): value is NonNullable<DeclaredWorkflow['phase']> {
  if (!isObject(value)) return false;
  const { current, total, name = '', status, total_known: isKnown = false, line = '' } = value;
  return (
    isListOf('number', [current ?? 1, total ?? 1]) &&
    isListOf('string', [name, line]) &&
    isKnown === false &&
    (status === undefined || PHASE_STATUSES.some((known) => known === status))
  );
}

function isSkipped(value: unknown): value is Record<string, string> {
  return isObject(value) && isListOf('string', Object.values(value));
}

function isListOf<T>(type: 'string' | 'number', value: unknown): value is T[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === type);
}

function stringsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}
