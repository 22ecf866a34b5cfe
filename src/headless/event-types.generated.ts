// Generated from schemas/run-events.schema.json by `npm run generate`.
/**
 * One line of `holdfast run --json`, and of events.jsonl in untracked/workflow-logs/<run>/. New events and new keys may come; ignore what you do not know.
 */
export type RunEvent = (Started | TookOver | ClientStopped | Step | Session | Compacted | CompactionFailed | Activity | Tokens | Turn | Gate | Until | Retry | WaitingForReset | StepEnded | Stopped)
export type Time = string
/**
 * passed: left out, because its condition is false.
 */
export type State = ("done" | "current" | "open" | "skipped" | "passed")
/**
 * Of all steps, in the order of `steps` in `started`; empty if the run is gone.
 */
export type States = State[]

/**
 * The driver has the run to itself and begins.
 */
export interface Started {
at: Time
/**
 * The run id.
 */
run: string
event: "started"
workflow: string
template: string
/**
 * The version of Claude Code.
 */
client: (string | null)
steps: {
id: string
title: string
state: State
}[]
/**
 * The folder of the log, from the project root.
 */
log: string
}
/**
 * The last driver of the run no longer runs.
 */
export interface TookOver {
at: Time
/**
 * The run id.
 */
run: string
event: "took_over"
/**
 * Of that driver.
 */
pid: number
}
/**
 * A client of the dead driver was still at work, and was stopped. The step goes on in the same conversation.
 */
export interface ClientStopped {
at: Time
/**
 * The run id.
 */
run: string
event: "client_stopped"
pid: number
session: string
}
/**
 * A step, task, sub-step or iteration begins, or is tried again.
 */
export interface Step {
at: Time
/**
 * The run id.
 */
run: string
event: "step"
step: string
label: string
/**
 * Of the step, from 1.
 */
number: number
total: number
/**
 * From 1.
 */
attempt: number
states: States
}
/**
 * A client was started.
 */
export interface Session {
at: Time
/**
 * The run id.
 */
run: string
event: "session"
session: string
kind: ("fresh" | "resumed")
agent: (string | null)
/**
 * The file with its raw stream, from the project root.
 */
stream: string
}
/**
 * The client has proved that the conversation was compacted.
 */
export interface Compacted {
at: Time
/**
 * The run id.
 */
run: string
event: "compacted"
session: string
tokens_before: (number | null)
}
/**
 * It was not compacted; a fresh conversation takes its place.
 */
export interface CompactionFailed {
at: Time
/**
 * The run id.
 */
run: string
event: "compaction_failed"
reason: string
}
/**
 * The agent uses a tool.
 */
export interface Activity {
at: Time
/**
 * The run id.
 */
run: string
event: "activity"
tool: string
/**
 * A file, a command or a pattern; may be empty.
 */
target: string
sub_agent: boolean
}
/**
 * The agent has got an answer from the model.
 */
export interface Tokens {
at: Time
/**
 * The run id.
 */
run: string
event: "tokens"
/**
 * Of this turn so far.
 */
tokens: number
/**
 * Percent of the automatic-compaction threshold.
 */
context_percent: (number | null)
}
/**
 * A turn has ended.
 */
export interface Turn {
at: Time
/**
 * The run id.
 */
run: string
event: "turn"
step: string
result: ("moved" | "requested" | "reported" | "gave_up" | "ask_again" | "unfinished" | "try_again" | "stop")
usage: Usage
context_percent: (number | null)
}
export interface Usage {
turns: number
/**
 * Input, output and cache, as Claude Code counts them.
 */
tokens: number
/**
 * In US dollars; null if the cost of a part is unknown.
 */
cost_usd: (number | null)
seconds: number
}
/**
 * A gate was run.
 */
export interface Gate {
at: Time
/**
 * The run id.
 */
run: string
event: "gate"
step: string
result: ("passed" | "failed" | "timed_out")
command: string
/**
 * The end of what it printed, if it did not pass.
 */
output: string
}
/**
 * The command that ends the repetition of a ralph step was run.
 */
export interface Until {
at: Time
/**
 * The run id.
 */
run: string
event: "until"
step: string
command: string
met: boolean
}
/**
 * Something outside of the agent's work went wrong; the turn is repeated.
 */
export interface Retry {
at: Time
/**
 * The run id.
 */
run: string
event: "retry"
why: ("overloaded" | "rate_limit" | "connection" | "crash" | "silence")
message: string
wait_seconds: number
attempt: number
}
/**
 * The usage limit is reached, and --wait-limits is set.
 */
export interface WaitingForReset {
at: Time
/**
 * The run id.
 */
run: string
event: "waiting_for_reset"
resets_at: (string | null)
wait_seconds: number
}
/**
 * The run has left a step, task, sub-step or iteration.
 */
export interface StepEnded {
at: Time
/**
 * The run id.
 */
run: string
event: "step_ended"
summary: StepSummary
}
export interface StepSummary {
step: string
/**
 * In words: step 2 of 5 (build), iteration 1 of 3.
 */
label: string
/**
 * left: for an earlier step, or skipped.
 */
outcome: ("finished" | "failed" | "left" | "stopped")
turns: number
/**
 * Input, output and cache, as Claude Code counts them.
 */
tokens: number
/**
 * In US dollars; null if the cost of a part is unknown.
 */
cost_usd: (number | null)
seconds: number
}
/**
 * The last event of every call.
 */
export interface Stopped {
at: Time
/**
 * The run id.
 */
run: string
event: "stopped"
reason: ("done" | "step" | "approval" | "tasks" | "failed" | "blocked" | "limit" | "paused" | "waiting" | "budget" | "time" | "step_time" | "no_progress" | "permission" | "authentication" | "usage_limit" | "api" | "client" | "log" | "ended" | "cancelled" | "gone" | "taken" | "interrupted")
exit_code: number
message: string
/**
 * What to do next; may be empty.
 */
hint: string
/**
 * What waits for an answer, if the reason is approval: `holdfast approve --for` and `reject --for` take it.
 */
wait?: string
usage: Usage
states: States
steps: StepSummary[]
log: string
error?: {
code: string
message: string
hint: string
}
}
