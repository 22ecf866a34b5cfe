import type { DeclaredWorkflow } from '../detect/types.ts';
import { PHASE_STATUSES } from '../state/types.ts';
import { isObject } from '../util/json.ts';

/** A declared workflow as a state file or record stores it, for a merge; invalid fields are dropped. */
export function parseDeclared(value: unknown): DeclaredWorkflow | undefined {
  if (!isObject(value) || typeof value['workflow'] !== 'string') return undefined;
  return {
    workflow: value['workflow'],
    ...(typeof value['workflow_type'] === 'string'
      ? { workflow_type: value['workflow_type'] }
      : {}),
    ...(isDeclaredPhase(value['phase']) ? { phase: value['phase'] } : {}),
    ...(isStringArray(value['phases']) ? { phases: value['phases'] } : {}),
    required_reading: stringsIn(value['required_reading']),
    key_reminders: stringsIn(value['key_reminders']),
    context: isObject(value['context']) ? value['context'] : {},
  };
}

/** True if every field is valid, so that the value can be used without a copy. */
export function isDeclaredWorkflow(value: unknown): value is DeclaredWorkflow {
  return (
    isObject(value) &&
    typeof value['workflow'] === 'string' &&
    isOptional(value['workflow_type'], 'string') &&
    (value['phase'] === undefined || isDeclaredPhase(value['phase'])) &&
    (value['phases'] === undefined || isStringArray(value['phases'])) &&
    isStringArray(value['required_reading']) &&
    isStringArray(value['key_reminders']) &&
    isObject(value['context']) &&
    (value['next_items'] === undefined || isObject(value['next_items']))
  );
}

function isDeclaredPhase(value: unknown): value is NonNullable<DeclaredWorkflow['phase']> {
  if (!isObject(value)) return false;
  const { current, total, name, status } = value;
  const isStatus = status === undefined || PHASE_STATUSES.some((known) => known === status);
  return (
    isOptional(current, 'number') &&
    isOptional(total, 'number') &&
    isOptional(name, 'string') &&
    isStatus
  );
}

function isOptional(value: unknown, type: 'string' | 'number'): boolean {
  return value === undefined || typeof value === type;
}

function isStringArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}

function stringsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}
