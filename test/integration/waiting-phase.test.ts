import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sandbox, type Sandbox } from '../support/cli.ts';
import { preCompact } from '../support/hooks.ts';
import { writeTree } from '../support/state.ts';
import { stories, using } from '../support/story.ts';

const FLOW = `name: Flow
description: Builds it
steps:
  - { id: plan, type: action, instructions: Plan it. }
  - { id: build, type: action, instructions: Build it., context: compact }
  - { id: check, type: approval, instructions: Check it. }
`;

stories(
  'a phase that waits for the word of the user',
  `
# is entered by advance --wait, is said to wait wherever the run is shown, and begins by resume
s1$ start Auth --phases Design,Build,Ship
  > When this phase is done: holdfast advance (2 phases to go after this one); with --wait if the user wants to see it
s1$ note x
  - When this phase
  - Next:
s1$ status
  - When this phase
  - Next:
s1$ advance --wait
  > Finished phase 1/3 Design.
  > Now: phase 2/3 Build, not begun.
  > Next: wait for the user's word; then holdfast resume begins the phase
  = phase.status "not_started"
  = phase.current 2
s1$ status
  > Phase    2/3 Build (waits for the user's word)
  > Next: wait for the user's word; then holdfast resume begins the phase
  - in progress
  - Begun
$ status
  > Phase    2/3 Build (waits for your word)
  > Next: …holdfast resume auth
s1 compacts
  > Phase: 2/3 - Build (waits for the user's word)
  > This phase waits for the user's word and has not begun: name it and stop; \`holdfast resume\` begins it once the user says so.
  - in_progress
  - When done
s1 resumes
  > Phase: 2/3 - Build (waits for the user's word)
  > \`holdfast resume\` begins it
  - When done
$ list
  > waits for you: to begin the phase
s1$ resume
  > Phase: 2/3 - Build (in_progress)
  = phase.status "in_progress"
  = phase.waits_since
$ history
  > began phase 2/3 Build
s1$ advance
  = phase.current 3
  = phase.status "in_progress"
  - --wait
# is neither finished nor failed before it has begun
s1$ start Auth --phases Design,Build,Ship
s1$ advance --wait
s1$ advance
  ! phase 2/3 Build of auth-… has not begun…\`holdfast resume auth
  = phase.current 2
s1$ fail --reason slow
  ! phase 2/3 Build of auth-… has not begun…\`holdfast resume auth
  = phase.status "not_started"
s1$ update --status in_progress
  = phase.status "in_progress"
  = phase.waits_since
s1$ advance
  = phase.current 3
# begins by hand in a terminal, although a live session holds the run, which is told
s1$ start Auth --phases Design,Build,Ship
s1$ advance --wait
$ resume auth
  > Began phase 2/3 Build of auth-
  = phase.status "in_progress"
  = sessions.current_session_id "s1"
s1 prompts
  > \`holdfast resume\`, by the user, changed Auth …it is at phase 2/3 Build
# waits also where a command has marked it as not started
s1$ start Auth --phases Design,Build
s1$ update --status not_started
s1$ advance
  ! has not begun
s1$ resume
s1$ advance
  = phase.current 2
# that was written by hand is finished as ever, because nobody has made it wait
s1$ start Auth --phases Design,Build
set phase.status "not_started"
s1$ advance
  = phase.current 2
# is left by skip, and the next one begins
s1$ start Auth --phases Design,Build,Ship
s1$ advance --wait
s1$ skip --reason "no need"
  = phase.current 3
  = phase.status "in_progress"
  = phase.waits_since
# is a step of a template, whose context action may be performed meanwhile
${using({ flow: FLOW })}
s1$ start --template flow
s1$ advance --wait
  > Please run \`/compact\` first
  = phase.status "not_started"
$ status --json
  @ context_action.state "requested"
s1 compacts
  > This step waits for the user's word and has not begun
  = phase.status "not_started"
  = machine.contextAction.command "/compact"
s1$ status --json
  @ next.stop "waiting"
  @ next.perform "none"
  @ next.prompt
  @ context_action.state "performed"
s1$ update --status in_progress
  ! whose template defines its phases
s1$ advance
  ! has not begun
s1$ resume
  = phase.status "in_progress"
s1$ advance
  = machine.step "check"
# is not made of a step that asks the user anyway, nor after the last one
${using({ flow: FLOW })}
s1$ start --template flow
s1$ advance
s1$ status
s1$ advance --wait
  = phase.status "in_progress"
$ approve
s1$ start Small --phases One
s1$ advance --wait
  > Completed Small
`,
);

const SESSION = 's1';
const REPLY = { type: 'assistant', isSidechain: false };

/** A line of the transcript: what the user typed, or what came from elsewhere. */
const prompt = (at: string, fields: object): object => ({
  type: 'user',
  timestamp: at,
  message: { role: 'user', content: 'Go on.' },
  ...fields,
});
const typed = (at: string): object =>
  prompt(at, { promptSource: 'typed', origin: { kind: 'human' } });

const edited = (at: string, file: string): object => ({
  ...REPLY,
  timestamp: at,
  message: {
    content: [
      { type: 'tool_use', id: at, name: 'Edit', input: { file_path: file } },
    ],
  },
});

/** A project whose second phase waits since 08:00, in which the session did this. */
function withTranscript(lines: (root: string) => object[]): Sandbox {
  const box = sandbox();
  const at = { session: SESSION, now: '2026-01-02T08:00:00Z' };
  box.run(['start', 'Auth', '--phases', 'Design,Build'], at);
  box.run(['advance', '--wait'], at);
  const folder = box.root.replaceAll(/[^A-Za-z0-9]/g, '-');
  const path = join('.claude/projects', folder, `${SESSION}.jsonl`);
  const text = lines(box.root).map((line) => JSON.stringify(line));
  writeTree(box.home, { [path]: text.join('\n') });
  return box;
}

const AT_NINE = { session: SESSION, now: '2026-01-02T09:00:00Z' };
const HINT =
  'It may have begun: src/auth.ts was edited 30 minutes ago, after a later prompt.';

test('a phase may have begun if the session edited a file after the user typed another prompt', () => {
  const box = withTranscript((root) => [
    edited('2026-01-02T08:10:00Z', join(root, 'src/early.ts')),
    typed('2026-01-02T08:20:00Z'),
    edited('2026-01-02T08:25:00Z', join(root, 'untracked/notes.md')),
    edited('2026-01-02T08:30:00Z', join(root, 'src/auth.ts')),
    edited('2026-01-02T08:40:00Z', join(root, 'src/later.ts')),
  ]);
  const { stdout: guidance } = box.run(['guidance'], AT_NINE);
  expect(guidance).toContain(`\`holdfast resume\` begins it. ${HINT}`);
  expect(guidance).not.toContain('has not begun');
  expect(box.run(['status'], AT_NINE).stdout).toContain(HINT);
  const summariser = preCompact(box, SESSION).stdout;
  expect(summariser).toContain('begins this phase. It may have begun: src/');
  // In a terminal the transcript is that of the session which holds the run.
  expect(box.run(['status'], { now: AT_NINE.now }).stdout).toContain(HINT);
});

test.each([
  ['no later prompt', {}],
  ['a schedule', { isMeta: true, turnOrigin: 'scheduled' }],
  ['a notification', { origin: { kind: 'task-notification' } }],
  ['the module', { origin: { kind: 'plugin', name: 'holdfast' } }],
])('a phase has not begun by what follows %s', (_who, fields) => {
  const box = withTranscript((root) => [
    typed('2026-01-02T07:59:00Z'),
    prompt('2026-01-02T08:20:00Z', fields),
    edited('2026-01-02T08:30:00Z', join(root, 'src/auth.ts')),
  ]);
  const { stdout } = box.run(['guidance'], AT_NINE);
  expect(stdout).toContain('has not begun');
  expect(stdout).not.toContain('may have begun');
});
