/** A valid template to start from; its comments show the optional keys. */
export function templateSkeleton(name: string): string {
  return `# Check this file with \`holdfast validate\`. docs/reference/template-format.md of holdfast explains every key.
name: ${JSON.stringify(name)}
description: Say in one sentence what this workflow is for

# Values for a run: holdfast start --template … --set area=checkout
inputs:
  area:
    description: The part of the project that the work is about
    default: the whole project
    # required: true

steps:
  # An action runs once.
  - id: plan
    type: action
    title: Plan
    instructions: |
      Read the code that the request touches in {inputs.area}. Write down the goal, the tasks and how to verify each.
      Set the tasks of the next step, one per line: \`holdfast tasks build --file -\`.
    # artefacts: [docs/plan.md]   # files that the step must create

  # An approval waits for the user: \`holdfast approve\`, or \`holdfast reject --feedback "…"\`.
  # - id: agree
  #   type: approval
  #   on_reject: plan

  # A loop runs once for each of its tasks. Its sub-steps are under loops, below.
  - id: build
    type: loop
    title: Build
    # context: compact            # or clear: done to the conversation before the step

  # A ralph step runs up to n times.
  - id: polish
    type: ralph
    title: Polish
    n: 2
    # until: npm test             # ends the repetition when it exits 0; needs \`holdfast trust\`
    # when: state.inputs.area != "docs"   # the step runs only if this is true
    instructions: Make the one improvement that matters most.

  - id: report
    type: action
    title: Report
    # gate: npm test              # must exit 0 before the run advances; needs \`holdfast trust\`
    instructions: |
      The plan was: {outputs.plan}
      Tell the user what you did, how you verified it and what is left open.

loops:
  build:
    - id: implement
      on_fail: retry              # or skip, abort
      instructions: 'Task {task.id}: {task.title}. {task.description}'
    - id: review
      instructions: Review the change for {task.title} and fix defects.

# What happens to the conversation between two steps, and what is carried over.
transitions:
  - from: polish
    to: report
    context: keep                 # or clear, compact
    # preserve: [summary, plan]
`;
}
