// Generated from schemas/settings.schema.json by `npm run generate`.
/**
 * A path from the project root that stays inside the project.
 */
export type ProjectPath = string
export type PlanFormat = ("spec-kit" | "openspec" | "planning-with-files" | "gsd" | "superpowers" | "kiro" | "taskmaster" | "conductor" | "bmad")
export type Id = string
export type Filled = string
/**
 * @maxItems 1000
 */
export type Artifacts = DeclaredArtifact[]

/**
 * Settings of holdfast for one project: .claude/holdfast.json. Every key is optional.
 */
export interface HoldfastSettings {
$schema?: string
detect?: DetectSettings
restore?: RestoreSettings
reading?: ReadingSettings
context?: ContextSettings
/**
 * Whether a sub-agent of a session that holds a run is told about it in brief.
 */
subagents?: ("brief" | "off")
todo?: TodoSettings
critical_artifacts?: CriticalArtifacts
}
/**
 * Where workflows are declared, inside the project only.
 */
export interface DetectSettings {
/**
 * A path from the project root that stays inside the project.
 */
local_file?: string
/**
 * Paths from the project root; * and ? match within one folder or file name.
 */
plans?: ProjectPath[]
/**
 * The tools whose plans are read, each from its own paths. An empty list turns all of them off.
 */
formats?: PlanFormat[]
}
export interface RestoreSettings {
/**
 * What a new session is given about a run that nobody holds.
 */
startup?: ("offer" | "full" | "off")
/**
 * After a compaction the agent names the phase and waits for the user's word.
 */
confirm?: boolean
max_chars?: number
inline_chars?: number
}
export interface ReadingSettings {
enforce?: ("off" | "remind" | "block")
}
/**
 * Context actions, and warnings about a full context.
 */
export interface ContextSettings {
/**
 * Whether the module performs a step's /compact or /clear and continues the run, or the step asks.
 */
perform?: ("auto" | "ask")
/**
 * Whether the module asks the model before a compaction what is not recorded yet, and keeps the answer as a note.
 */
record?: ("on" | "off")
/**
 * Percent of the automatic-compaction threshold at which the session is warned.
 * 
 * @maxItems 10
 */
warn?: number[]
}
export interface TodoSettings {
/**
 * A path from the project root that stays inside the project.
 */
file?: string
}
/**
 * What must be in the agent's context, for runs that have no template.
 */
export interface CriticalArtifacts {
always_load?: Artifacts
conditional_load?: Artifacts
phase_specific?: Artifacts
}
export interface DeclaredArtifact {
id: Id
type: ("json" | "markdown" | "directory" | "work_plugin" | "skill" | "git_info")
/**
 * From the project root; {project_root}, {run_id}, {plan_id}, {work_id} and {state_file} are filled in.
 */
path?: string
/**
 * Where in the run's state the path stands.
 */
path_from_state?: string
/**
 * A command for the agent; holdfast never runs it.
 */
command?: string
description?: Filled
required?: boolean
/**
 * Loaded only where this holds, for example state.phase.current > 1.
 */
condition?: string
/**
 * session_start, compaction, phase_start:X, phase_transition, phase_transition:A->B, manual. Where it is left out: session_start and compaction; in phase_specific manual only.
 * 
 * @maxItems 100
 */
reload_triggers?: string[]
load_strategy?: ("all" | "latest_only" | "summary")
}
