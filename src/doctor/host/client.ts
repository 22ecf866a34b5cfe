import { readVersion } from '../trial/environment.ts';
import type { DoctorContext } from '../types.ts';

/** The versions of Claude Code with which hooks and settings were tested. */
export const OLDER_CLIENT = '2.1.197';
export const NEWER_CLIENT = '2.1.325';

/** The first client with everything that `holdfast run` needs. */
export const LEAST_DRIVEN_CLIENT = '2.1.139';
export const DRIVING_NEEDS =
  'hooks that start without a shell, and no --max-budget-usd that counts a whole session';

export type Client = { version: string } | { version: null; why: string };

export function clientOnPath(context: Pick<DoctorContext, 'environment'>): Client {
  const answer = readVersion('claude', context);
  const version = answer.kind === 'ended' ? /\d+\.\d+\.\d+/.exec(answer.stdout)?.[0] : undefined;
  if (version !== undefined) return { version };
  const why = answer.kind === 'not there' ? 'is not on the PATH' : 'did not report its version';
  return { version: null, why };
}

export function isAtLeast(version: string, least: string): boolean {
  const [numbers, wanted] = [numbersIn(version), numbersIn(least)];
  const at = wanted.findIndex((number, index) => (numbers[index] ?? 0) !== number);
  return at < 0 || (numbers[at] ?? 0) > (wanted[at] ?? 0);
}

function numbersIn(version: string): number[] {
  return (version.match(/\d+/g) ?? []).map(Number);
}
