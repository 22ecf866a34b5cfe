import { HoldfastError } from '../../errors/holdfast-error.ts';
import { isObject } from '../../util/json.ts';

/** The first thing that is not as it should be; `field` is the way to it, as `.steps[2].id`. */
interface ShapeError {
  field: string;
  expected: string;
}

export type Check = (value: unknown) => ShapeError | null;

/** Fails unless the value, which is called `name`, passes. */
export function requireShape(check: Check, value: unknown, name: string): void {
  const found = check(value);
  if (found !== null) throw brokenRunError(name + found.field, found.expected);
}

export function brokenRunError(field: string, expected: string): HoldfastError {
  return new HoldfastError({ code: 'broken_run', field, expected });
}

export const anything: Check = () => null;

export const text: Check = (value) => (typeof value === 'string' ? null : flaw('a text'));

export const flag: Check = (value) => (typeof value === 'boolean' ? null : flaw('true or false'));

export function wholeNumber(min: number): Check {
  return (value) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= min
      ? null
      : flaw(`a whole number from ${min} on`);
}

export function oneOf(allowed: readonly string[]): Check {
  return (value) =>
    allowed.some((known) => known === value) ? null : flaw(`one of ${allowed.join(', ')}`);
}

export function listOf(check: Check, min = 0): Check {
  return (value) => {
    if (!Array.isArray(value) || value.length < min)
      return flaw(min === 0 ? 'a list' : 'a list that is not empty');
    const entries: unknown[] = value;
    for (const [index, entry] of entries.entries()) {
      const found = check(entry);
      if (found !== null) return below(`[${index}]`, found);
    }
    return null;
  };
}

export function recordOf(check: Check): Check {
  return (value) => {
    if (!isObject(value)) return flaw('an object');
    for (const key of Object.keys(value)) {
      const found = check(value[key]);
      if (found !== null) return below(`.${key}`, found);
    }
    return null;
  };
}

/** Keys that are not named may be anything. */
export function fields(required: Record<string, Check>, optional: Record<string, Check>): Check {
  const checks = [
    ...Object.entries(required),
    ...Object.entries(optional).map(([key, check]): [string, Check] => [key, absentOr(check)]),
  ];
  return (value) => {
    if (!isObject(value)) return flaw('an object');
    for (const [key, check] of checks) {
      const found = check(Object.hasOwn(value, key) ? value[key] : undefined);
      if (found !== null) return below(`.${key}`, found);
    }
    return null;
  };
}

function absentOr(check: Check): Check {
  return (value) => (value === undefined ? null : check(value));
}

function flaw(expected: string): ShapeError {
  return { field: '', expected };
}

function below(part: string, { field, expected }: ShapeError): ShapeError {
  return { field: part + field, expected };
}
