import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isObject } from '../../src/text/json.ts';
import { sandbox } from '../support/cli.ts';
import { openServer } from '../support/mcp.ts';
import { stateFiles } from '../support/state.ts';
import { stories, story, using } from '../support/story.ts';

const LOCAL = {
  'CLAUDE.local.md':
    '## Workflow State\nWorkflow: Data migration\nPhase: 2/4 - Copy\n',
};
const TASKS =
  '# Tasks\n\n## Phase 1: Setup\n- [x] T001 a\n\n## Phase 2: Core\n- [ ] T002 b\n';

stories(
  'reopen',
  `
# brings a completed run back to its last phase
s1$ start Shop --phases Design,Build
s1$ advance
s1$ advance
  > Finished phase 2/2 Build, the last one.
  > Completed Shop
  > Its record is in untracked/workflow-archive/shop-…json.
  > Next: holdfast start …; or holdfast reopen shop-
s1$ reopen shop
  > Reopened shop-…, at phase 2/2 Build.
  = status "in_progress"
  = phase.current 2
  = sessions.current_session_id "s1"
$ list --all --json
  - archived": true
$ history
  > reopened
# drops the reason of a cancelled run
s1$ start Shop
s1$ cancel --reason "not wanted"
  > Cancelled Shop (shop-…): "not wanted"
$ history shop
  > cancelled: "not wanted"
s1$ reopen shop
  = status_reason
# of an unknown name lists the archived runs, of a misspelt one the run that is meant
$ reopen shop
  ! no run is archived here
$ start Shop
$ reopen shop
  ! has not ended
$ complete
$ reopen nothing
  ! available: shop-
$ reopen shopp
  ! did you mean shop-…?
$ show shopp
  ! did you mean shop-…?
# brings back a run that has ended in a file which is not in the archive
$ start Shop
edit {"status": "cancelled"}
$ reopen shop
  = status "in_progress"
s1$ resume shop
$ history
  / taken (?!over)
edit {"status": "completed", "status_reason": "x"}
s1$ resume shop
  > Workflow: Shop
  = status "in_progress"
  = status_reason
  = sessions.current_session_id "s1"
# frees a run that a live session has ended, for another session, and not for the same one
s1$ start Shop
s1$ complete
s2$ resume shop
  = sessions.current_session_id "s2"
s2$ complete
$ reopen shop
  = sessions.current_session_id null
s1$ resume shop
s1$ complete
s1$ reopen shop
  = sessions.current_session_id "s1"
# is part of resume, also in a terminal, where no session takes the run
s1$ start Shop
s1$ complete
$ resume shop
  > Resumed shop-
  > No session holds it: this terminal is not a Claude Code session.
  > Next: \`holdfast init\`, then \`/holdfast:resume shop-
  = status "in_progress"
`,
);

stories(
  'resume of',
  `
# a paused run takes it, and releases the run that the session held before
$ start Shop
$ pause --reason lunch
  > Paused shop-…: lunch.
s1$ start Own
s1$ resume shop
  ~ released own-
  > Own
$ status own
  > Held by  nobody
$ status shop
  > Held by  session s1
# no name means the run of this session, not the only one that is free
s2$ start Theirs
$ start Shop
s1$ resume
  ! has no run of its own…shop-…, theirs-… (held by another session)…\`holdfast resume shop-
$ status shop
  > Held by  nobody
s1$ resume shop
s1$ resume
  > Workflow: Shop
# a workflow that is only declared takes it by its name, and stores none where it is refused
${using(LOCAL)}
$ resume data
  ! this terminal is not a Claude Code session
s1$ resume
  ! has no run of its own…\`holdfast resume data-migration-
$ list
  > not stored yet
s1$ resume data
  > Workflow: Data migration
# no name is refused in a terminal where none or several are paused
$ start One
$ start Two
$ resume
  ! several runs are active
$ pause one
$ pause two
$ resume
  ! several runs are paused or failed
`,
);

stories(
  'a workflow that is only declared',
  `
# is stored by the first command that changes it, which says so
${using(LOCAL)}
s1$ advance
  ! has no run of its own
$ list
  > not stored yet
s1$ advance data
  > Finished phase 2/4 Copy
  ~ stored "Data migration" as data-migration-…; it was only declared in CLAUDE.local.md
  = phase.current 3
$ history
  > detected
  > finished 2/4 Copy
# counts beside a stored run: without a name neither is meant, and another name leaves it alone
${using(LOCAL)}
$ start Shop --phases A
$ advance
  ! several runs are active
s1$ advance
  ! has no run of its own…data-migration-…, shop-
s1$ advance shop
  > Completed Shop
s1$ status data
  > not stored yet
$ list
  > not stored yet
`,
);

const LOGIN = 'specs/001-login/tasks.md';
const SEARCH = 'specs/002-search/tasks.md';
stories(
  'the name',
  `
# of a stored and a declared run means both
${using({ [LOGIN]: TASKS })}
$ update ${LOGIN} --remind x
write ${SEARCH} ${TASKS.replaceAll('\n', String.raw`\n`)}
$ update tasks --remind x
  ! (${SEARCH})
# of an archived run is found by commands that read, and refused with \`reopen\` by those that change
s1$ start Shop
s1$ cancel --reason x
$ status shop
  > Held by  nobody
$ guidance shop
  > archived runs are never restored; \`holdfast reopen shop-…\` brings this one back
s1$ advance shop
  ! is cancelled and in the archive; reopen it with \`holdfast reopen shop-
s1$ pause shop
  ! is cancelled and in the archive
s1$ start Shop --phases A
s1$ advance shop
  > Completed Shop
s1$ resume shop
  ! "shop" matches several runs
# that is whole means the archived run, not one that begins with it
$ start Shop
$ complete
$ start "Shop relaunch"
$ complete shop
  ! reopen it with
$ advance Shop
  ! reopen it with
$ status sho
  > Shop relaunch
$ guidance shop
  > archived runs are never restored
s1$ resume shop
  > Workflow: Shop
# of a run that has not ended is restored only while it is active
$ start Shop
$ guidance shop
  > Workflow: Shop
$ pause
$ guidance shop
  > paused runs are never restored; \`holdfast resume shop-…\` continues this one
edit {"status": "completed"}
$ guidance shop
  > completed runs are never restored; \`holdfast complete shop-…\` archives this one
`,
);

const AUTH = 's1$ start Auth --phases A,B,C,D,E\n';
stories(
  'the reply',
  `
# to a change by a session with another run: its next command takes this one
${AUTH}
s1$ release
s2$ start Own
s2$ advance auth
  > Next: holdfast resume auth-
  - --force
s2$ update --set k=1
  > Updated own-
# to a session that released the run, to the one that held it before, and to another: only the second may change it unnamed
${AUTH}
s1 ends
s2$ resume auth
s2$ release
  > Released auth-…: it stays active
s2$ update --remind x
  ! has no run of its own
s3$ update --remind y
  ! has no run of its own
s1$ update --remind z
  > : reminders.
# to a refused start repeats no text of the user as a command
${AUTH}
s1$ start "run \`id\` now"
  ! ; finish it with \`holdfast complete\`, or release it: the same command with --switch
`,
);

test('update reports what changed', () => {
  story(
    `$ start Auth
     $ update --remind r --set k=1
     $ update --remind r
       > Nothing changed in auth-…: it has all of this already.
     $ update --remind r --remind s
       > : reminders.
     $ update --read x.md --read x.md
       > : required files.
     $ update --set k=1 --set l=2
       > : facts.
     $ update --artifact spec=a.md
       > : named files.
     $ update --unset k --forget r
       > : reminders, facts.`,
  );
});

stories(
  'it refuses',
  `
# a folder as required reading
${using({ 'docs/a b.md': '', 'docs/b.md': '', 'docs/c.md': '', 'docs/d.md': '' })}
$ start Auth
$ update --read docs/
  !2 this is a folder: name its files
# to trust a template for an agent
s1$ trust qa-loop --yes
  ! \`holdfast trust qa-loop\`
# loops and steps to go back to for a run that has none
s1$ start Auth
s2$ start Shop
$ tasks x --run auth --file none
  ! continue with \`holdfast advance auth-
s1$ release
s2$ pivot x --run auth --feedback no
  ! \`holdfast update auth-… --phase <n>\`…\`holdfast update auth-… --remind "…"\`
# to move a template run by --phase
$ start --template default x
$ update --phase 2
  ! \`holdfast pivot <step> --feedback "…" --run x-…\` or \`holdfast fail x-… --reason "…"\`
# blank values
$ start x --phases ""
  !2 --phases is blank
$ start x --artifact k=
  !2 --artifact k= is blank
# to go on with a run of this session that somebody ended
s1$ start Auth
$ complete auth
s1$ advance
  ! ended Auth (auth-…), which this session held: it is completed
s2$ advance
  ! no active workflow here; start one
$ resume
  ! no active workflow here
`,
);

stories(
  'a look shows',
  `
# a file that advance names and that does not exist as missing until it exists
${using({ 'docs/made.md': 'x' })}
s1$ start Auth --phases A,B
s1$ advance --artifact docs/gone.md --artifact docs/made.md
  ~ docs/gone.md does not exist yet
s1$ status
  > A: docs/gone.md (missing), docs/made.md
s1$ guidance
  > - files of phase 1: docs/gone.md (missing), docs/made.md
write docs/gone.md x
delete docs/made.md
s1$ guidance
  > - files of phase 1: docs/gone.md, docs/made.md (missing)
`,
);

test('a server without a session goes on with the run that it started', async () => {
  const box = sandbox();
  const server = await openServer(box);
  await server.call('workflow_start', { name: 'Mine' });
  expect(box.run(['start', 'Other']).code).toBe(0);
  expect(JSON.stringify(await server.call('workflow_status', {}))).toContain(
    'Mine',
  );
  expect(JSON.stringify(await server.call('workflow_complete', {}))).toContain(
    'Mine',
  );
});

const POLISH = `name: Polish
description: Repeats until a check passes.
steps:
  - { id: polish, type: ralph, n: 3, instructions: Improve it. }
  - { id: ship, type: action, instructions: Ship it. }
`;
/** What a user has written, and what MCP returns as well, has names of its own. */
const FOREIGN = new Set([
  'step',
  'machine',
  'template',
  'context',
  'artifacts',
  'exists',
  'env',
]);

function keysIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(keysIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    FOREIGN.has(key) ? [key] : [key, ...keysIn(inner)],
  );
}

test('--json prints keys in snake_case', () => {
  const box = story(
    '$ start "User Auth" --phases Design,Build --read docs/spec.md',
    {
      'docs/spec.md': 'spec',
      polish: POLISH,
    },
  );
  for (const words of [
    '',
    'status user-auth',
    'advance user-auth',
    'guidance --explain',
    'prime --dry-run',
    'prime',
    'templates',
    'templates new release',
    'todo add write tests',
    'todo',
    'validate',
    'history',
    'start gloss --template polish',
    'context gloss',
    'pause gloss',
    'complete user-auth',
    'list --all',
  ]) {
    const keys = keysIn(box.json(words.split(' ').filter(Boolean)));
    const odd = keys.filter((key) => !/^[a-z0-9]+(?:_[a-z0-9]+)*$/.test(key));
    expect({ words, odd, count: keys.length > 0 }).toEqual({
      words,
      odd: [],
      count: true,
    });
  }
});

test('a path of a source may be given as seen from the working directory, or in full', () => {
  const box = sandbox({ [LOGIN]: TASKS, [SEARCH]: TASKS });
  const cwd = join(box.root, 'specs/002-search');
  mkdirSync(cwd, { recursive: true });
  for (const [name, path] of [
    ['tasks.md', SEARCH],
    ['../001-login/tasks.md', LOGIN],
    [join(box.root, LOGIN), LOGIN],
  ] as const)
    expect(box.run(['status', name], { cwd }).stdout).toContain(
      `declared in ${path}`,
    );
  expect(stateFiles(box.root)).toEqual([]);
});
