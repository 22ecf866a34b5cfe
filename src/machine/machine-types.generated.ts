// Generated from schemas/state.schema.json by `npm run generate`.
/**
 * The template that the run walks through, as it was when the run was started. Only what the steps need is checked: template.schema.json is for those who write one.
 */
export type Template = unknown
export type Text = string
/**
 * Beyond the maximum, adding one changes nothing.
 */
export type Count = number
/**
 * Beyond the maximum, adding one changes nothing.
 */
export type Positive = number
/**
 * The steps whose `when` was false when the run came by: they are neither done nor skipped.
 */
export type Texts = Text[]
export type Texts1 = Text[]
/**
 * What the current step must make, and what it has made so far.
 */
export type Texts2 = Text[]
/**
 * What the transition into the current step carries over: `summary`, `feedback`, or the key of something.
 */
export type Texts3 = Text[]
/**
 * Digests of what there was when a clear led to the current step: of that, only what the transition preserves counts.
 */
export type Texts4 = Text[]

export interface Parts {
template?: Template
machine?: MachineState
}
/**
 * Where a run of a template stands. Keys that are not listed here are kept.
 */
export interface MachineState {
status: ("running" | "complete" | "failed")
step: Text
stepType: 'action' | 'loop' | 'ralph' | 'approval'
/**
 * A loop step without one waits for its tasks.
 */
task?: {
index: Count
id: Text
title: Text
}
subStep?: Text
ralphIteration?: Positive
inputs?: { [k: string]: string | number | boolean }
passedBy?: Texts
/**
 * By loop, or by step where several steps walk the same loop.
 */
tasks: {
[k: string]: Task[]
}
outputs: Outputs
summary?: Text
/**
 * What each step made.
 */
artefacts: {
[k: string]: Texts1
}
currentStepArtefacts?: Texts2
contextActionExecuted: boolean
contextAction?: {
command: ("/compact" | "/clear")
requestedAt?: Text
performedAt?: Text
}
/**
 * Beyond the maximum, adding one changes nothing.
 */
retries?: number
pivots?: Count
/**
 * The last answers to approval steps, each with what it answered: the same answer again changes nothing.
 */
answered?: Answer[]
sentBack?: Outputs1
/**
 * The step that was left for the current one.
 */
cameFrom?: string
preserved?: Texts3
notCarriedOver?: Texts4
reason?: Text
}
export interface Task {
id: Text
title: Text
description?: Text
status: ("pending" | "in_progress" | "done" | "failed")
reason?: Text
}
/**
 * By `step`, `step.iteration` or `step.task.subStep`.
 */
export interface Outputs {
[k: string]: Text
}
export interface Answer {
wait: Text
as: ("approved" | "rejected")
}
/**
 * The outputs of the work that a pivot sent back, marked as such, while the step that it went to is under way.
 */
export interface Outputs1 {
[k: string]: Text
}
