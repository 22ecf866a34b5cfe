/** How much of each suite is run: 1 is all of it. */
export const scale = positive('HOLDFAST_SOAK_SCALE', 1);

/** At least one, whatever the scale. */
export function scaled(count: number): number {
  return Math.max(1, Math.round(count * scale));
}

/** At most this many children do heavy work at once. */
export const WORKERS = positive('HOLDFAST_SOAK_WORKERS', 2);

function positive(name: string, otherwise: number): number {
  const given = process.env[name];
  if (given === undefined || given === '') return otherwise;
  const value = Number(given);
  if (!(value > 0)) throw new Error(`${name} must be a number above 0, not ${given}`);
  return value;
}
