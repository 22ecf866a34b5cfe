/** The share of repetitions that is run: a quarter by default, half of them in a step of `.ci/run`. */
export const scale = Number(process.env['HOLDFAST_TEST_SCALE'] ?? 0.25);

/** How often a property or a cycle is repeated; at least 10 times. */
export function repetitions(count: number): number {
  return Math.max(Math.min(count, 10), Math.round(count * scale));
}
