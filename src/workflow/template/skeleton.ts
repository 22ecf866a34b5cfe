/** A template to start from: it is valid, and its comments name what else a template can have. */
export function templateSkeleton(name: string): string {
  return `# Check this file with \`holdfast validate\`. docs/guide/templates.md of holdfast explains every key.
name: ${JSON.stringify(name)}
description: Say in one sentence what this workflow is for

# What a run is given when it starts: holdfast start --template … --set area=checkout
inputs:
  area:
    description: The part of the project that the work is about
    default: the whole project
    # required: true

steps:
  # An action is done once.
  - id: plan
    type: action
    title: Plan
    instructions: |
      Read what the request touches in {inputs.area}, and write down the goal, the tasks and how each is verified.
      Set the tasks of the next step, one a line: \`holdfast tasks build --file -\`.
    # artefacts: [docs/plan.md]   # files that the step must leave

  # An approval waits for the user: \`holdfast approve\`, or \`holdfast reject --feedback "…"\`.
  # - id: agree
  #   type: approval
  #   on_reject: plan

  # A loop is done once for each of its tasks; its sub-steps are below, under loops.
  - id: build
    type: loop
    title: Build
    # context: compact            # or clear: what happens to the conversation first

  # A ralph step is repeated, at most n times.
  - id: polish
    type: ralph
    title: Polish
    n: 2
    # until: npm test             # a command that ends the repetition when it exits 0; needs \`holdfast trust\`
    # when: state.inputs.area != "docs"   # the step is passed by unless this holds
    instructions: Find the one thing that would improve the result most, and do it.

  - id: report
    type: action
    title: Report
    # gate: npm test              # a command that must exit 0 before the run moves on; needs \`holdfast trust\`
    instructions: |
      The plan was: {outputs.plan}
      Tell the user what was done, how it was verified and what is left.

loops:
  build:
    - id: implement
      on_fail: retry              # or skip, abort
      instructions: 'Task {task.id}: {task.title}. {task.description}'
    - id: review
      instructions: Review the change for {task.title}, and fix what is wrong.

# What happens to the conversation between two steps, and what is carried over.
transitions:
  - from: polish
    to: report
    context: keep                 # or clear, compact
    # preserve: [summary, plan]
`;
}
