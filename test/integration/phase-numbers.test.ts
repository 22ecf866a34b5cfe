import { stories } from '../support/story.ts';

const FROM_ZERO = `# Task Plan: Shed

### Phase 0: Clear
- [x] cut the grass
### Phase 1: Dig
- [x] mark the corners
- [ ] dig
### Phase 1.5: Drain
- [ ] lay the pipe
### Phase 2: Pour
- [ ] mix
`;

stories(
  'the number that a plan gives its phases',
  `
# is shown, said and typed
s1$ start --from task_plan.md
  > phase 1 (2nd of 4) Dig
  = phase.current 2
  = phase.total 4
  = phase.label "1"
s1 compacts
  > Phase: 1 (2nd of 4) - Dig (in_progress)
  > Begin your next message with one line, then go on: ✅ Workflow restored: Shed, Phase 1 (2nd of 4)
s1$ update --phase 1.5
  > phase 1.5 (3rd of 4) Drain
  = phase.current 3
  = phase.label "1.5"
s1$ update --phase 2
  > phase 2 (4th of 4) Pour
  = phase.current 4
s1$ update --phase 0
  > phase 0 (1st of 4) Clear
  = phase.current 1
  = phase.label "0"
s1$ update --phase 3
  ! there is no phase 3
s1$ validate
# is followed by advance and skip
s1$ start --from task_plan.md
s1$ skip --phase 1.5 --reason "dry ground"
  > Skipped phase 1.5 (3rd of 4) Drain: dry ground.
  = skipped {"3":"dry ground"}
s1$ advance
  > phase 2 (4th of 4) Pour
  = phase.label "2"
# goes with the plan
s1$ start --from task_plan.md
write task_plan.md ${FROM_ZERO.replace('- [ ] dig', '- [x] dig').replaceAll('\n', String.raw`\n`)}
s1 compacts
  > Phase: 1.5 (3rd of 4) - Drain (in_progress)
  = phase.label "1.5"
`,
  { 'task_plan.md': FROM_ZERO },
);

stories(
  'a run without such numbers',
  `
# has positions
s1$ start Shed --phases "Clear,Dig,Pour"
s1$ update --phase 2
  > phase 2/3 Dig
  = phase.current 2
s1$ skip --phase 3
  > Skipped phase 3/3 Pour.
s1$ update --phase 7.3
  ! there is no phase 7.3
`,
);

const STATE = `# Project State

Phase: 7.3 of 10 (Repair the roof)
Plan: 1 of 2 in current phase
Status: In progress
`;
const ROADMAP = `# Roadmap: House

- [x] **Phase 6: Walls**
- [x] **Phase 7: Roof**
- [ ] **Phase 8: Paint**

### Phase 7.3: Repair the roof (INSERTED)
- [ ] 07.3-01: Buy tiles
`;

stories(
  'a phase that was inserted later',
  `
# is the line of the file until a command moves the run
s1 compacts
  > Phase: 7.3 of 10 (Repair the roof)
  > ✅ Workflow restored: House, Phase 7.3
  > plan: 1 of 2 in current phase
  - next_item
  = phase.label "7.3"
  = phase.total_known false
s1$ update --phase 8
  > phase 8 (4th of 4) Paint
  = phase.current 4
s1$ update --phase 7.3
  > phase 7.3 (3rd of 4) "Repair the roof (INSERTED)"
  = phase.label "7.3"
`,
  { '.planning/STATE.md': STATE, '.planning/ROADMAP.md': ROADMAP },
);
