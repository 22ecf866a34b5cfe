/** Why artifacts are looked at now: it answers which of the triggers of one, if any, that sets off. */
export type TriggerMatcher = (triggers: readonly string[]) => string | undefined;

export const atSessionStart: TriggerMatcher = (triggers) =>
  triggers.find((trigger) => trigger === 'session_start');

/** A compaction is followed by a start of the same session. */
export const afterCompaction: TriggerMatcher = (triggers) =>
  triggers.find((trigger) => trigger === 'compaction' || trigger === 'session_start');

/** Whoever asks by hand means every artifact. */
export const manual: TriggerMatcher = () => 'manual';
