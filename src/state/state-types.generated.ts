// Generated from schemas/state.schema.json by `npm run generate`.
export type Time = string
export type Filled = string
/**
 * Where the run comes from, and what that said when it was last merged.
 */
export type Source = { [k: string]: unknown } & ({ kind: 'cli'; path?: undefined; said?: undefined; status?: undefined } | { kind: 'template'; path?: string; said?: { [k: string]: unknown }; status?: undefined } | { kind: 'local-file' | 'plan'; path: string; said?: { [k: string]: unknown }; status?: 'paused' | 'cancelled' | 'not_started' | 'finished' | 'gone' })
/**
 * The todo list that this run wrote to.
 */
export type Todo = { [k: string]: unknown }
export type Feedback = unknown

/**
 * One run of a workflow: untracked/workflow-state/{slug}/state-{slug}-{YYYYMMDD_HHMMSS}.json. Keys that are not listed here are allowed and kept.
 */
export interface RunState {
/**
 * The workflow's name, as people say it.
 */
workflow: string
/**
 * Another value is read as custom and kept as written.
 */
workflow_type: string
phase: Phase
/**
 * Files that must be in the agent's context, each as @path from the project root.
 */
required_reading: string[]
/**
 * Set once, never changed.
 */
created_at: string
/**
 * Facts of this run: names and values.
 */
context?: {
[k: string]: unknown
}
/**
 * Rules that must survive compaction.
 */
key_reminders?: string[]
/**
 * Decisions, and what was tried and failed.
 */
notes?: Note[]
/**
 * The highest number that a note of this run was ever given, also one that is gone.
 */
last_note?: number
/**
 * The names of all phases, in order.
 */
phases?: string[]
/**
 * The phases that were skipped, by number, each with the reason.
 */
skipped?: {
[k: string]: string
}
/**
 * The phases before the current one that nobody has passed, by number.
 */
undone?: number[]
/**
 * Who set the phase: a command, a person who wrote the state file, or the source.
 */
phase_set_by?: ("command" | "hand" | "source")
/**
 * The last phase that a command or a person set, while the source is further: it does not take the run back behind it.
 */
recorded_phase?: {
current: number
name: string
[k: string]: unknown
}
/**
 * The last failure of the current phase or step; it no longer counts once that is left.
 */
failure?: unknown
schema_version?: 1
/**
 * Counts the writes.
 */
revision?: number
run_id?: Filled
updated_at?: Time
status?: ("in_progress" | "paused" | "failed" | "completed" | "cancelled")
status_reason?: string
/**
 * The run was completed before its last phase was, or while its plan had open items.
 */
ended_early?: {
/**
 * The phase that it was in.
 */
at: string
/**
 * What was left.
 */
left: string[]
[k: string]: unknown
}
source?: Source
/**
 * A person or an agent wrote to this run.
 */
adopted?: boolean
hold?: Hold
todo?: Todo
/**
 * Named files of this run; {project_root} stands for the project's folder.
 */
artifacts?: {
[k: string]: string
}
/**
 * What each finished phase handed on, by phase number.
 */
outputs?: {
[k: string]: PhaseOutput
}
/**
 * What must be in the agent's context; an entry with the id of a declared one changes only what it says.
 */
critical_artifacts?: {[k: string]: unknown}
/**
 * As in #/definitions/template.
 */
template?: {
[k: string]: unknown
}
/**
 * As in #/definitions/machine; what other programs write is read as well: artefacts as a list, currentStepArtefacts as true or false.
 */
machine?: {
[k: string]: unknown
}
/**
 * Whether the module performs the context actions of this run; the setting context.perform decides otherwise.
 */
perform?: ("auto" | "ask")
/**
 * In a run driven by `holdfast run`: the agent wants to finish a step that has a gate, which the driver runs.
 */
requested_advance?: unknown
/**
 * Why the run went back to an earlier step, each time; kept whole.
 */
feedback?: Feedback[]
/**
 * The keys of context that stay on this machine; `holdfast sync` does not send them.
 */
local_facts?: string[]
/**
 * Fields that another machine changed as well, until `holdfast status` has named them.
 */
conflicts?: FieldConflict[]
/**
 * The run came by `holdfast sync`, and no session here has taken it yet.
 */
from_sync?: boolean
sessions?: Sessions
context_metadata?: ContextMetadata
[k: string]: unknown
}
export interface Phase {
/**
 * Counted from 1.
 */
current: number
total: number
name: string
status: ("not_started" | "in_progress" | "completed" | "blocked")
/**
 * The number that the source gives the phase where that is not its position, such as 7.3 or 0. Texts show it, and commands take it.
 */
label?: string
/**
 * False if nobody has said how many phases there are; the total then equals the current phase and is shown nowhere.
 */
total_known?: false
/**
 * What the source says about the phase, where its numbers are not known; shown in their place.
 */
line?: string
/**
 * When a command entered the phase without beginning it: it is not_started until the user's word.
 */
waits_since?: string
[k: string]: unknown
}
export interface Note {
/**
 * Its number, which no other note of the run ever gets. A note without one is given the next number.
 */
n?: number
at: Time
/**
 * The phase that the run was in.
 */
phase: string
text: Filled
/**
 * Who noted it: a person, an agent, or the model when it was asked before a compaction. An agent can replace or forget only what an agent or the model noted.
 */
by?: ("person" | "agent" | "model")
[k: string]: unknown
}
/**
 * Why a session holds the run, or did.
 */
export interface Hold {
/**
 * A command that names the run, a /clear, a /clear that a step asked for, what the transcript or the summary shows, or that there was no other run.
 */
by: ("command" | "clear" | "asked_clear" | "evidence" | "only")
/**
 * The session has changed the run by a command.
 */
touched?: boolean
/**
 * This session, or one that it follows by /clear, started or resumed the run.
 */
own?: boolean
[k: string]: unknown
}
export interface PhaseOutput {
text?: string
artefacts?: string[]
[k: string]: unknown
}
export interface FieldConflict {
field: string
kept: unknown
other: unknown
[k: string]: unknown
}
export interface Sessions {
/**
 * The session that holds the run.
 */
current_session_id?: (string | null)
session_history?: SessionRecord[]
[k: string]: unknown
}
export interface SessionRecord {
session_id: string
started_at: Time
last_seen_at?: Time
ended_at?: Time
end_reason?: string
/**
 * The session that took over across /clear.
 */
handed_to?: string
/**
 * The session let go of the run and is not given it again by itself.
 */
released_at?: string
phases_completed?: string[]
environment?: Environment
hold?: Hold
[k: string]: unknown
}
export interface Environment {
hostname?: string
platform?: string
cwd?: string
/**
 * Tells one checkout of a project from another, without its path.
 */
checkout?: string
/**
 * The process of the host, where it tells.
 */
claude_pid?: string
/**
 * When that process was started, where it can be read.
 */
claude_start?: string
/**
 * The agent, if it is not Claude Code.
 */
host?: string
/**
 * Changes when the machine restarts.
 */
boot?: string
git_commit?: string
/**
 * The machine of a session that came by `holdfast sync`: an id, not its name.
 */
machine?: string
[k: string]: unknown
}
export interface ContextMetadata {
last_artifact_reload?: Time
reload_count?: number
compaction_count?: number
artifacts_in_context?: ArtifactInContext[]
/**
 * The artifacts of the current step that the session has not been given, because the user or `holdfast run` has moved the run.
 */
artifacts_due?: string[]
[k: string]: unknown
}
export interface ArtifactInContext {
artifact_id: string
loaded_at: Time
load_trigger?: string
digest?: string
[k: string]: unknown
}
