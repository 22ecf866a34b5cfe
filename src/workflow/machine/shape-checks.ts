import type { ExpectedInRun } from '../../errors/expected.ts';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { isObject } from '../../util/json.ts';

/** The first field that does not fit; `field` is its path, such as `.steps[2].id`. */
interface ShapeError {
  field: string;
  expected: ExpectedInRun;
}

export type Check = (value: unknown) => ShapeError | null;

/** Throws unless the value passes; `name` is what messages call it. */
export function requireShape(check: Check, value: unknown, name: string): void {
  const found = check(value);
  if (found !== null) throw brokenRunError(name + found.field, found.expected);
}

export function brokenRunError(field: string, expected: ExpectedInRun): HoldfastError {
  return new HoldfastError({ code: 'broken_run', field, expected });
}

export const anything: Check = () => null;

export const text: Check = (value) => (typeof value === 'string' ? null : flaw({ kind: 'text' }));

export const flag: Check = (value) =>
  typeof value === 'boolean' ? null : flaw({ kind: 'boolean' });

export const scalar: Check = (value) =>
  ['string', 'number', 'boolean'].includes(typeof value) ? null : flaw({ kind: 'scalar' });

export const either =
  (...checks: Check[]): Check =>
  (value) => {
    const found = checks.map((check) => check(value));
    return found.includes(null) ? null : (found.at(-1) ?? null);
  };

export function wholeNumber(min: number): Check {
  return (value) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= min
      ? null
      : flaw({ kind: 'whole_number', min });
}

export function oneOf(allowed: readonly string[]): Check {
  return (value) =>
    allowed.some((known) => known === value) ? null : flaw({ kind: 'one_of', values: allowed });
}

export function listOf(check: Check, min = 0): Check {
  return (value) => {
    if (!Array.isArray(value) || value.length < min)
      return flaw({ kind: min === 0 ? 'list' : 'filled_list' });
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
    if (!isObject(value)) return flaw({ kind: 'object' });
    for (const key of Object.keys(value)) {
      const found = check(value[key]);
      if (found !== null) return below(`.${key}`, found);
    }
    return null;
  };
}

/** Other keys may have any value. */
export function fields(required: Record<string, Check>, optional: Record<string, Check>): Check {
  const checks = [
    ...Object.entries(required),
    ...Object.entries(optional).map(([key, check]): [string, Check] => [key, absentOr(check)]),
  ];
  return (value) => {
    if (!isObject(value)) return flaw({ kind: 'object' });
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

function flaw(expected: ExpectedInRun): ShapeError {
  return { field: '', expected };
}

function below(part: string, { field, expected }: ShapeError): ShapeError {
  return { field: part + field, expected };
}
