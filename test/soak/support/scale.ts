/** How much of each suite is run: 1 is all of it. */
export const scale = positive('HOLDFAST_SOAK_SCALE', 1);

export function scaled(count: number, atLeast = 1): number {
  return Math.max(atLeast, Math.round(count * scale));
}

/** The number of child processes that run at once. Each has a project to prepare: too much for a few tries. */
export const WORKERS = positive('HOLDFAST_SOAK_WORKERS', scale < 0.1 ? 1 : 2);

function positive(name: string, fallback: number): number {
  const text = process.env[name];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (!(value > 0))
    throw new Error(`${name} must be a number above 0, not ${text}`);
  return value;
}
