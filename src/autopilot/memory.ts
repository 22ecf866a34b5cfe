/** Counts what has begun and ended in this client: if a count has changed, something happened since. */
export interface Moment {
  readonly turns: number;
  readonly sessionEnds: number;
}

/** What the module remembers while its client runs, across the sessions of that client. */
export interface Memory {
  moment: Moment;
  /** The position that the agent was last prompted for; null if it was not prompted for one in this session. */
  promptedFor: string | null;
  /** The position of a step that waits for the user's word, for which the context was compacted or cleared here. */
  preparedFor: string | null;
  /** Whether the user sent a prompt while a turn ran, and no turn has begun since. */
  hasQueuedPrompt: boolean;
  /** Whether the module has continued a run: only then the user is told where it stops. */
  hasActed: boolean;
  /** What the user was last told about a run that has stopped; empty if nothing. */
  announcedStop: string;
  /** What waited for an answer when that was last shown on the screen here. */
  shownWait: string | null;
  /** The thresholds of the project, in percent of the context, as `holdfast status` last told them. */
  warnAt: readonly number[];
  /** Those of them that the context had passed when its fill was last measured. */
  passedThresholds: readonly number[];
  /** Ends when everything that was enqueued is done. */
  jobs: Promise<void>;
  /** Ends when the run of a session that has begun is known. */
  firstLook: Promise<void>;
  /** What proves to holdfast that a person typed something here; null until the client starts, or if holdfast does not take it. */
  secret: Promise<string | null> | null;
  /** The template that a person named → the hash of the content whose commands they have seen. */
  readonly seenTemplates: Map<string, string>;
}

export function newMemory(): Memory {
  const nothingToDo = Promise.resolve();
  return {
    moment: { turns: 0, sessionEnds: 0 },
    promptedFor: null,
    preparedFor: null,
    hasQueuedPrompt: false,
    hasActed: false,
    announcedStop: '',
    shownWait: null,
    warnAt: [],
    passedThresholds: [],
    jobs: nothingToDo,
    firstLook: nothingToDo,
    secret: null,
    seenTemplates: new Map(),
  };
}

/** Runs one job at a time, in the order of the events. The promise ends with the job, and never fails. */
export function enqueue(
  memory: Memory,
  job: () => Promise<void>,
): Promise<void> {
  // A call that this client does not have, or holdfast being gone, leaves the step asking the user as it always does.
  memory.jobs = memory.jobs.then(job).catch(() => undefined);
  return memory.jobs;
}

/** Whether no turn has begun and no session has ended since that moment. */
export function isStillNow({ moment }: Memory, since: Moment): boolean {
  return (
    moment.turns === since.turns && moment.sessionEnds === since.sessionEnds
  );
}
