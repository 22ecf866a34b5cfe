/** For waiting until a condition holds. Long enough for a busy machine: only a real failure reaches it. */
export const PATIENCE = { timeout: 120_000, interval: 20 };
