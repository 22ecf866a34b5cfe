/**
 * The time of a call: what it records, and what it compares with recorded times. Locks and durations use the system's clock.
 * Tests set it; the build that is published defines the variable away.
 */
export const currentTime = (): Date => {
  const set = process.env['HOLDFAST_NOW'];
  return set === undefined ? new Date() : new Date(set);
};
