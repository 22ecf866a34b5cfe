import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sandbox } from '../support/cli.ts';
import { preCompact, sessionStart } from '../support/hooks.ts';
import { onlyRun, stateFiles, writeTree } from '../support/state.ts';
import { stories } from '../support/story.ts';

const local = (phase: string, more = ''): Record<string, string> => ({
  'CLAUDE.local.md': `# Current Workflow State\n\nWorkflow: SEO Optimisation\nPhase: ${phase}\n${more}`,
});
const plan = (
  status: string,
  phases = '### Phase 1: Design ✅\n### Phase 2: Build 🔄\n',
): string => `# Plan 042: User Auth\n\n**Status**: ${status}\n\n${phases}`;
const planPath = 'CLAUDE/Plan/00042-user-auth/PLAN.md';

describe('PreCompact', () => {
  it('makes a state file of a workflow declared in CLAUDE.local.md', () => {
    const box = sandbox(
      local(
        '4/10 - SEO Generation',
        '@CLAUDE/SEO.md\nKey Reminders:\n- skip phase 3\nContext:\n- site: shop\n',
      ),
    );
    expect(preCompact(box, 's1')).toMatchObject({ code: 0, stderr: '' });
    expect(onlyRun(box.root)).toMatchObject({
      workflow: 'SEO Optimisation',
      workflow_type: 'custom',
      phase: {
        current: 4,
        total: 10,
        name: 'SEO Generation',
        status: 'in_progress',
      },
      required_reading: ['@CLAUDE/SEO.md'],
      key_reminders: ['skip phase 3'],
      context: { site: 'shop' },
      source: { kind: 'local-file', path: 'CLAUDE.local.md' },
      revision: 2,
    });
  });

  it('gives a phase line that it does not understand as it stands, and invents no number', () => {
    const box = sandbox(local('2a/3 - Middle'));
    expect(preCompact(box, 's1').stdout).toContain('- Phase: 2a/3 - Middle\n');
    const { context } = sessionStart(box, 's1', 'compact');
    expect(context).toContain('Phase: 2a/3 - Middle\n');
    expect(context).toMatch(/: ✅ Workflow restored: SEO Optimisation$/m);
    expect(`${context}${box.run(['list']).stdout}`).not.toMatch(/\b\d+\/1\b/);

    const session = { session: 's1' };
    expect(box.run(['advance'], { ...session, code: 1 }).stderr).toContain(
      '--name "<next phase>"',
    );
    expect(box.run(['advance', '--name', 'End'], session).stdout).toContain(
      'Now: phase End.',
    );
    expect(onlyRun(box.root)).toMatchObject({
      phase: { name: 'End', total_known: false },
    });
  });

  it('makes a state file of every active plan', () => {
    const box = sandbox({
      [planPath]: plan('🔄 In Progress'),
      'CLAUDE/Plan/00043-billing/PLAN.md':
        '# Plan 043: Billing\n\n🔄 In Progress\n\n## Phase 1: Model\n',
      'CLAUDE/Plan/00041-old/PLAN.md': plan('✅ Complete').replace(
        'User Auth',
        'Old',
      ),
      'CLAUDE/PlanWorkflow.md': 'rules',
    });
    preCompact(box, 's1');
    expect(stateFiles(box.root).map((path) => path.split('/')[2])).toEqual([
      'billing',
      'user-auth',
    ]);
    expect(box.json(['show', 'user-auth'])).toMatchObject({
      run: {
        phase: { current: 2, total: 2, name: 'Build' },
        context: { plan_number: 42, plan_name: '00042-user-auth' },
        required_reading: [`@${planPath}`, '@CLAUDE/PlanWorkflow.md'],
        source: { kind: 'plan', path: planPath },
      },
    });
  });
});

const section = (name: string, phase = '1/3 - A', more = ''): string =>
  String.raw`# Workflow State\n\nWorkflow: ${name}\nPhase: ${phase}\n${more}`;
const inPlan = (
  status: string,
  phases = String.raw`## Phase 1: A ✅\n## Phase 2: B 🔄\n## Phase 3: C\n`,
) => String.raw`# Plan 042: Auth\n\n**Status**: ${status}\n\n${phases}`;
const onBranch = (name: string): string =>
  `write .git/HEAD ref: refs/heads/${name}`;

/** What happens to a run because of what its source says; the rules themselves are in unit/sources/moves.test.ts. */
stories(
  '',
  `
# a plan in progress is offered in one line, at startup and after /clear, and nothing is written
write ${planPath} ${inPlan('In Progress')}
s1 starts
  > In progress here: Auth, Phase 2/3 - B, declared in ${planPath}, held by nobody; \`holdfast resume auth-…\` continues it here.
s1 clears as s2
  > In progress here: Auth, Phase 2/3 - B
$ list
  > not stored yet
s2$ resume auth
  > Phase: 2/3 - B
  = sessions.current_session_id "s2"
# paused: the session is told, a startup gets one line, and it goes on when the plan says so
write ${planPath} ${inPlan('In Progress')}
s1 compacts
  > Workflow: Auth
write ${planPath} ${inPlan('Paused')}
s1 compacts
  > ${planPath} says that Auth is paused, so its run is paused; \`holdfast resume auth-…\` continues it (just now).
  - Workflow: Auth
  = status "paused"
s2 starts
  > Paused, as ${planPath} says: Auth, Phase 2/3 - B; \`holdfast resume auth-
write ${planPath} ${inPlan('In Progress')}
s1 compacts
  > Workflow: Auth
  > is active, so its run is in progress again
  = status "in_progress"
# not started: the session no longer holds it until the plan goes on
write ${planPath} ${inPlan('In Progress')}
s1 compacts
write ${planPath} ${inPlan('Not started')}
s1 compacts
  > is not started, so this session no longer holds its run
  - Workflow: Auth
write ${planPath} ${inPlan('Not Started | In Progress | Complete')}
s1 compacts
  > Workflow: Auth
# finished: completed with a word to the session that holds it
write ${planPath} ${inPlan('In Progress')}
s1 compacts
write ${planPath} ${inPlan('✅ Complete')}
s1 compacts
  > says that Auth is finished, so its run has ended; \`holdfast reopen auth-
  - Workflow: Auth
$ list --all
  > completed
# all phases done, but the plan does not say finished: the hint to complete
write ${planPath} ${inPlan('In Progress', String.raw`## Phase 1: A ✅\n## Phase 2: B ✅\n`)}
s1 compacts
  > When done: holdfast complete
# gone: archived with a word, and restored with a sentence if somebody wrote to it
write CLAUDE.local.md ${section('Release')}
s1 compacts
write CLAUDE.local.md # Notes
s1 compacts
  > CLAUDE.local.md no longer declares Release, so its run has ended
write CLAUDE.local.md ${section('Release', '2/3 - B')}
s1 compacts
  > Phase: 2/3 - B
s1$ update --set a=b
delete CLAUDE.local.md
s1 compacts
  > CLAUDE.local.md no longer declares this workflow.
  > Workflow: Release
# a phase line without a number that says done or paused keeps the numbers and the name of the run
write CLAUDE.local.md ${section('Release', '2/5 - Build')}
s1 compacts
write CLAUDE.local.md ${section('Release', 'On hold')}
s1 compacts
  = phase.name "Build"
write CLAUDE.local.md ${section('Release', 'Build (DONE)')}
s1 compacts
  > Phase: 2/5 - Build (completed)
write CLAUDE.local.md ${section('Release', 'Sprint 3 - COMPLETE')}
s1 compacts
  > Phase: Sprint 3 - COMPLETE
write CLAUDE.local.md ${section('Release', 'All phases complete')}
s1 compacts
  > says that Release is finished
# recorded progress outlasts a branch with an older plan, and one line says what the plan says
${onBranch('feat')}
write ${planPath} ${inPlan('In Progress')}
s1 compacts
s1$ advance
  = phase_set_by "command"
${onBranch('main')}
write ${planPath} ${inPlan('In Progress', String.raw`## Phase 1: A 🔄\n## Phase 2: B\n## Phase 3: C\n`)}
s2 compacts
s1 compacts
  > Phase: 3/3 - C
  > ${planPath} says phase 1/3 - A; \`holdfast update auth-… --phase 1\` goes there.
# a completed run is offered, not started again
write CLAUDE.local.md ${section('Release', '3/3 - C')}
s1 compacts
s1$ complete
write CLAUDE.local.md ${section('Release', '1/3 - A')}
s1 compacts
  > CLAUDE.local.md declares Release, whose run was completed …; \`holdfast reopen release-…\` reopens it, \`holdfast start Release\` starts a new one.
  - Workflow: Release
# a phase inserted unmarked before the current one is open
write ${planPath} ${inPlan('In Progress')}
s1 compacts
write ${planPath} ${inPlan('In Progress', String.raw`## Phase 1: A ✅\n## Phase 2: New\n## Phase 3: B 🔄\n## Phase 4: C\n`)}
s1 compacts
  > Phase: 3/4 - B
  > Still open before it: 2 - New
s1$ status
  > ✓ A  · New  ▸ B  · C
`,
);

it('a command that names a declared workflow stores it, also behind more than one sync stores', () => {
  const names = Array.from(
    { length: 205 },
    (_, index) => `CLAUDE/Plan/${1000 + index}-p${index}`,
  );
  const phases = '**Status**: In Progress\n\n### Phase 1: A\n### Phase 2: B\n';
  const plans = names.map((name, index) => [
    `${name}/PLAN.md`,
    `# P${index} end\n\n${phases}`,
  ]);
  const box = sandbox(Object.fromEntries(plans));
  expect(box.run(['note', 'kept', '--run', 'p204-end']).stderr).toContain(
    'stored "P204 end"',
  );
});

it('what is kept of a plan that was read is used as long as nothing has changed', () => {
  const named = 'CLAUDE/Rules.md';
  const text = plan(
    '🔄 In Progress',
    `See ${named}.\n\n### Phase 1: Design ✅\n### Phase 2: Build 🔄\n`,
  );
  const box = sandbox({ [planPath]: text });
  const folder = join(box.home, '.claude/holdfast/cache');
  mkdirSync(folder, { recursive: true });
  const kept = (): string =>
    readdirSync(folder)
      .filter((name) => name.startsWith('readings-'))
      .map((name) => join(folder, name))[0] ?? '';
  // A file that was written a moment ago is read anew each time.
  const end = Date.now() + 20_000;
  while (kept() === '' && Date.now() < end) preCompact(box, 's1');
  const content = readFileSync(kept(), 'utf8');
  expect(content).toContain('"name":"Build"');
  expect(onlyRun(box.root)).toMatchObject({
    required_reading: [`@${planPath}`],
  });
  const compacted = (): object => {
    expect(preCompact(box, 's1')).toMatchObject({ code: 0, stderr: '' });
    return onlyRun(box.root);
  };

  for (const damaged of ['', '{', '{"build":1,"readings":7}']) {
    writeFileSync(kept(), damaged);
    expect(compacted(), 'damaged').toMatchObject({ phase: { name: 'Build' } });
  }
  writeFileSync(kept(), content.replaceAll('Build', 'Kept'));
  expect(compacted(), 'unchanged').toMatchObject({ phase: { name: 'Kept' } });
  writeTree(box.root, { [named]: 'rules' });
  expect(compacted(), 'a file that it names is there').toMatchObject({
    required_reading: [`@${planPath}`, `@${named}`],
  });
  writeTree(box.root, { [planPath]: text.replace('Build', 'Boost') });
  expect(compacted(), 'it says something else').toMatchObject({
    phase: { name: 'Boost' },
  });
});

it('gives a session its run back when the branch of its plan is back', () => {
  const on = (branch: string) => ({
    '.git/HEAD': `ref: refs/heads/${branch}\n`,
  });
  const onFeature = { ...on('feat'), [planPath]: plan('🔄 In Progress') };
  const box = sandbox(onFeature);
  preCompact(box, 's1');
  expect(sessionStart(box, 's1', 'compact').context).toContain(
    'Workflow: User Auth',
  );
  rmSync(join(box.root, 'CLAUDE'), { recursive: true });
  writeTree(box.root, on('main'));
  sessionStart(box, 's2', 'startup');
  expect(stateFiles(box.root)).toEqual([]);
  writeTree(box.root, onFeature);
  const { context } = sessionStart(box, 's1', 'resume');
  expect(context).toContain('This session works on "User Auth"');
  expect(context).not.toMatch(/gone|In progress here/);
});
