// Generated from schemas/settings.schema.json by `npm run generate`.
/**
 * A path from the project root that stays inside the project.
 */
export type ProjectPath = string

/**
 * Settings of holdfast for one project: .claude/holdfast.json. Every key is optional.
 */
export interface HoldfastSettings {
$schema?: string
detect?: DetectSettings
restore?: RestoreSettings
reading?: ReadingSettings
todo?: TodoSettings
/**
 * For runs that have no template.
 */
critical_artifacts?: {
[k: string]: unknown
}
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
}
export interface RestoreSettings {
/**
 * What a new session is given about a run that nobody holds.
 */
startup?: ("offer" | "full" | "off")
max_chars?: number
inline_chars?: number
}
export interface ReadingSettings {
enforce?: ("off" | "remind" | "block")
}
export interface TodoSettings {
/**
 * A path from the project root that stays inside the project.
 */
file?: string
}
