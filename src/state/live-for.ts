/** How long a session counts as live after it was last seen, and how long is kept what its next event needs, in milliseconds. */
export const LIVE_FOR = 12 * 3_600_000;
