/** Given the triggers of an artifact, returns the one that fires now, if any. */
export type TriggerMatcher = (triggers: readonly string[]) => string | undefined;

export const atSessionStart: TriggerMatcher = (triggers) =>
  triggers.find((trigger) => trigger === 'session_start');

/** A compaction is followed by a start of the same session. */
export const afterCompaction: TriggerMatcher = (triggers) =>
  triggers.find((trigger) => trigger === 'compaction' || trigger === 'session_start');

/** A request by hand means every artifact. */
export const manual: TriggerMatcher = () => 'manual';
