import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hook } from '../support/hooks.ts';
import { stories, story } from '../support/story.ts';

stories(
  'the run that is meant',
  `
# is the one that the session holds, whatever else there is; in a terminal, --session names the session
s1$ start Mine
$ start Free
s2$ start Theirs
s1$ status --json
  @ run.workflow "Mine"
$ status --session s2 --json
  @ run.workflow "Theirs"
s2$ pause --json
  @ run.workflow "Theirs"
# in a terminal is the most recent to read, whoever holds it, and the only one to change
s1$ start Mine
$ update --set a=b
  ~ session s1 holds mine-
$ update --set a=b --json
  > session s1 holds mine-
s1$ start Two --switch
$ status --json
  @ run.workflow "Two"
  @ others.0.workflow "Mine"
$ advance
  ! two-…, mine-
$ show
  ~ this is about two-…; also active: mine-
s1$ status
  - advance two-
s3$ note hello
  ! holdfast note hello --run mine-
# of history is also one that is only declared
write CLAUDE.local.md ## Workflow State\\nWorkflow: Later\\nPhase: 1/2\\n
$ history
  ! later-
`,
);

it('a name means the run of the project that the session stands in', () => {
  const box = story(
    'write sub/.claude/holdfast.json {}\n$ start Same --phases X,Y\ns1$ start Mine --phases A,B\n$ --cwd sub start Same --phases C,D\n$ --cwd sub start Mine --phases E,F',
  );
  const cwd = join(box.root, 'sub');
  expect(box.run(['status', 'same'], { session: 's1', cwd }).stdout).toContain(
    '1/2 C',
  );
  for (const own of [[], ['mine']])
    expect(
      box.run(['status', ...own], { session: 's1', cwd }).stdout,
    ).toContain('1/2 A');
});

it('the session of a hook without one is that of the environment', () => {
  const box = story('s1$ start Mine\ns2$ start Theirs');
  const { stdout } = hook(
    box,
    'precompact-auto',
    { session_id: undefined },
    { session: 's1' },
  );
  expect(stdout).toContain('- Workflow: Mine');
});
