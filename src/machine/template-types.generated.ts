// Generated from schemas/template.schema.json by `npm run generate`.
export type Filled = string
export type Step = {
id: Id
/**
 * Done once; done for each task; done up to n times; answered by the user.
 */
type: ("action" | "loop" | "ralph" | "approval")
title?: Filled
/**
 * The phase that this step belongs to (default: the step itself).
 */
phase?: string
/**
 * The agent that does it, of those under agents.
 */
agent?: string
/**
 * What to do. {inputs.name} and {outputs.step} are replaced by the values of this run.
 */
instructions?: string
/**
 * How many iterations a ralph step has at most.
 */
n?: number
/**
 * A command that ends the iterations of a ralph step when it exits 0. It runs only if the user has trusted this template.
 */
until?: string
/**
 * The step is passed by unless this condition holds, for example state.inputs.target == "production".
 */
when?: string
/**
 * The files that this step must leave, from the project root; true records those that the session writes.
 * 
 * @maxItems 100
 */
artefacts?: boolean | Filled[]
/**
 * The earlier step that an approval step goes back to when the user rejects (default: the step before).
 */
on_reject?: string
context?: ContextAction
/**
 * The loop that this step walks, of those under loops.
 */
loop?: string
gate?: Gate
on_fail?: OnFail
}
export type Id = string
/**
 * What happens to the conversation before this begins.
 */
export type ContextAction = ("compact" | "clear")
/**
 * A command that must exit 0 before the run moves on. It runs only if the user has trusted this template.
 */
export type Gate = string
/**
 * What follows when this fails (default abort).
 */
export type OnFail = ("retry" | "skip" | "abort")

/**
 * A workflow template: the steps that a run walks through. YAML or JSON, in .claude/holdfast/workflows/.
 */
export interface Template {
$schema?: string
/**
 * The name of the workflow; its runs are named after it.
 */
name: string
/**
 * What the workflow is for, in a sentence.
 */
description: string
/**
 * The template that this one builds on; steps, loops and agents are merged by id.
 */
extends?: string
/**
 * A new session takes the only run of this template that nobody holds, without being asked.
 */
resume?: "auto"
/**
 * How often a run may go back with feedback (default 6).
 */
max_pivots?: number
/**
 * How often a failed step with on_fail: retry is tried again (default 3).
 */
max_retries?: number
/**
 * The agents that steps can be given to.
 */
agents?: {
[k: string]: Agent
}
/**
 * What a run is given when it starts: holdfast start --template <name> --set <input>=<value>.
 */
inputs?: {
[k: string]: Input
}
/**
 * @minItems 1
 * @maxItems 5000
 */
steps: Step[]
/**
 * What is done for each task of a loop step.
 */
loops?: {
/**
 * @minItems 1
 * @maxItems 1000
 */
[k: string]: SubStep[]
}
/**
 * @maxItems 5000
 */
transitions?: Transition[]
/**
 * What must be in the agent's context.
 */
critical_artifacts?: {[k: string]: unknown}
}
export interface Agent {
description: Filled
}
export interface Input {
description?: Filled
/**
 * The value if the start gives none.
 */
default?: (string | number | boolean)
/**
 * The start is refused without a value, unless there is a default.
 */
required?: boolean
}
export interface SubStep {
id: Id
/**
 * What to do for a task. {task.id}, {task.title} and {task.description} are replaced by the task's own, {inputs.name} and {outputs.step} by the values of this run.
 */
instructions: string
agent?: Filled
on_fail?: OnFail
context?: ContextAction
gate?: Gate
}
export interface Transition {
from: Filled
to: Filled
context: ("clear" | "compact" | "keep")
/**
 * What the guidance after it carries: summary, feedback, or the key of an output, a context fact or an artifact.
 * 
 * @maxItems 100
 */
preserve?: Filled[]
}
