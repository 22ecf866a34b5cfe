import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sandbox } from '../support/cli.ts';
import { preCompact, sessionStart } from '../support/hooks.ts';
import { archived, onlyRun, stateFiles, writeTree } from '../support/state.ts';

const local = (phase: string, more = ''): Record<string, string> => ({
  'CLAUDE.local.md': `# Current Workflow State\n\nWorkflow: SEO Optimisation\nPhase: ${phase}\n${more}`,
});
const plan = (status: string, phases = '### Phase 1: Design ✅\n### Phase 2: Build 🔄\n'): string =>
  `# Plan 042: User Auth\n\n**Status**: ${status}\n\n${phases}`;
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
      phase: { current: 4, total: 10, name: 'SEO Generation', status: 'in_progress' },
      required_reading: ['@CLAUDE/SEO.md'],
      key_reminders: ['skip phase 3'],
      context: { site: 'shop' },
      source: { kind: 'local-file', path: 'CLAUDE.local.md' },
      revision: 2,
    });
  });

  it('makes a state file of every active plan', () => {
    const box = sandbox({
      [planPath]: plan('🔄 In Progress'),
      'CLAUDE/Plan/00043-billing/PLAN.md':
        '# Plan 043: Billing\n\n🔄 In Progress\n\n## Phase 1: Model\n',
      'CLAUDE/Plan/00041-old/PLAN.md': plan('✅ Complete').replace('User Auth', 'Old'),
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

  it('makes a run of every section of CLAUDE.local.md, each with its own phase', () => {
    const section = (name: string, phase: string): string =>
      `## Workflow State\n\nWorkflow: ${name}\nPhase: ${phase}\n\n`;
    const box = sandbox({
      'CLAUDE.local.md': `${section('One', '1/3 - A')}${section('Two', '2/3 - B')}## Notes\n@c.md\n`,
    });
    preCompact(box, 's1');
    expect(box.json(['show', 'one'])).toMatchObject({
      run: { phase: { current: 1, total: 3, name: 'A' } },
    });
    expect(box.json(['show', 'two'])).toMatchObject({
      run: { phase: { current: 2, total: 3, name: 'B' }, required_reading: [] },
    });

    writeTree(box.root, {
      'CLAUDE.local.md': `${section('One', '3/3 - C (completed)')}${section('Two', '3/3 - C')}`,
    });
    preCompact(box, 's1');
    expect(box.json(['show', 'two'])).toMatchObject({ run: { phase: { current: 3, name: 'C' } } });
  });

  it('changes nothing, not even the revision, if nothing changed', () => {
    const box = sandbox(local('4/10'));
    for (let count = 0; count < 3; count += 1) preCompact(box, 's1');
    // The first one created the run and took it for the session.
    expect(onlyRun(box.root).revision).toBe(2);
  });

  it('a stale marker does not pull the phase back, and an edited one moves it', () => {
    const box = sandbox(local('2/5 - Build'));
    preCompact(box, 's1');
    box.run(['advance']);
    writeTree(box.root, local('2/5 - Build', 'Key Reminders:\n- new\n'));
    preCompact(box, 's1');
    expect(onlyRun(box.root)).toMatchObject({ phase: { current: 3 }, key_reminders: ['new'] });
    writeTree(box.root, local('5/5 - Ship'));
    preCompact(box, 's1');
    expect(onlyRun(box.root)).toMatchObject({ phase: { current: 5, name: 'Ship' } });
  });

  it('keeps what the agent wrote into the state file', () => {
    const box = sandbox(local('2/5'));
    preCompact(box, 's1');
    box.run(['update', '--remind', 'noted', '--set', 'key=value']);
    writeTree(box.root, local('3/5'));
    preCompact(box, 's1');
    expect(onlyRun(box.root)).toMatchObject({
      phase: { current: 3 },
      key_reminders: ['noted'],
      context: { key: 'value' },
    });
  });

  it('a run started by a command is fed by the file that names the same workflow', () => {
    const box = sandbox();
    box.run(['start', 'SEO optimisation', '--phases', 'A,B,C,D']);
    writeTree(box.root, local('3/4'));
    preCompact(box, 's1');
    expect(onlyRun(box.root)).toMatchObject({
      phase: { current: 3 },
      adopted: true,
      source: { path: 'CLAUDE.local.md' },
    });
  });

  it('writes nothing into a project without a workflow', () => {
    const box = sandbox({ 'CLAUDE.local.md': 'Our workflow: we talk. Phase: whatever.' });
    expect(preCompact(box, 's1')).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(existsSync(join(box.root, 'untracked'))).toBe(false);
  });
});

describe('no zombies', () => {
  it('a run that only hooks wrote is archived when its plan is finished', () => {
    const box = sandbox({ [planPath]: plan('In Progress') });
    preCompact(box, 's1');
    writeTree(box.root, { [planPath]: plan('✅ Complete') });
    preCompact(box, 's1');
    expect(stateFiles(box.root)).toEqual([]);
    expect(archived(box.root)).toHaveLength(2);
  });

  it('a run that somebody wrote to stays', () => {
    const box = sandbox({ [planPath]: plan('In Progress') });
    preCompact(box, 's1');
    box.run(['update', '--set', 'a=b']);
    writeTree(box.root, { [planPath]: plan('✅ Complete') });
    preCompact(box, 's1');
    expect(stateFiles(box.root)).toHaveLength(1);
  });

  it.each([
    ['completed', (box: ReturnType<typeof sandbox>) => box.run(['complete'])],
    [
      'deleted by hand',
      (box: ReturnType<typeof sandbox>) =>
        rmSync(join(box.root, 'untracked/workflow-state/user-auth'), { recursive: true }),
    ],
  ])('a run that was %s is not created again while its plan says the same', (_, end) => {
    const box = sandbox({ [planPath]: plan('In Progress') });
    preCompact(box, 's1');
    end(box);
    preCompact(box, 's1');
    expect(stateFiles(box.root)).toEqual([]);
    writeTree(box.root, {
      [planPath]: plan(
        'In Progress',
        '### Phase 1: Design ✅\n### Phase 2: Build ✅\n### Phase 3: Ship\n',
      ),
    });
    preCompact(box, 's1');
    expect(stateFiles(box.root)).toHaveLength(1);
  });

  it('uses the plan as it is on completion, not as it was at the last compaction', () => {
    const box = sandbox({ [planPath]: plan('In Progress') });
    preCompact(box, 's1');
    writeTree(box.root, {
      [planPath]: plan('In Progress', '### Phase 1: Design ✅\n### Phase 2: Build ✅\n'),
    });
    box.run(['complete']);
    preCompact(box, 's1');
    expect(stateFiles(box.root)).toEqual([]);
  });

  it('a run whose source is gone is archived, and comes back with its source', () => {
    const box = sandbox({ [planPath]: plan('In Progress') });
    preCompact(box, 's1');
    const runId = onlyRun(box.root).run_id;
    mkdirSync(join(box.root, 'away'));
    renameSync(join(box.root, 'CLAUDE/Plan'), join(box.root, 'away/Plan'));
    expect(preCompact(box, 's1').stdout).toBe('');
    expect(stateFiles(box.root)).toEqual([]);
    renameSync(join(box.root, 'away/Plan'), join(box.root, 'CLAUDE/Plan'));
    expect(preCompact(box, 's1').stdout).toContain('User Auth');
    expect(onlyRun(box.root)).toMatchObject({ run_id: runId, status: 'in_progress' });
    expect(archived(box.root)).toEqual([]);
  });

  it('ticking off the plan after the run was completed does not start it again', () => {
    const boxes = '### Phase 1: Design\n- [x] a\n- [ ] b\n### Phase 2: Build\n- [ ] c\n';
    const box = sandbox({ [planPath]: plan('In Progress', boxes) });
    preCompact(box, 's1');
    box.run(['complete']);
    writeTree(box.root, { [planPath]: plan('In Progress', boxes.replace('[ ] b', '[x] b')) });
    preCompact(box, 's1');
    expect(stateFiles(box.root)).toEqual([]);
    writeTree(box.root, { [planPath]: plan('In Progress', boxes.replace('[x] a', '[ ] a')) });
    preCompact(box, 's1');
    expect(stateFiles(box.root)).toHaveLength(1);
  });

  it('a plan that nobody has touched for 14 days is not taken by itself', () => {
    const box = sandbox({ [planPath]: plan('In Progress') });
    utimesSync(join(box.root, planPath), new Date('2024-01-01'), new Date('2024-01-01'));
    expect(preCompact(box, 's1').stdout).toBe('');
    expect(onlyRun(box.root)).toMatchObject({
      run_id: 'user-auth-20240101_000000',
      created_at: '2024-01-01T00:00:00.000Z',
    });
  });

  it('a run untouched for 14 days is listed, never taken automatically', () => {
    const box = sandbox();
    box.run(['start', 'Old']);
    const [path = ''] = stateFiles(box.root);
    const state = onlyRun(box.root);
    writeTree(box.root, {
      [path]: JSON.stringify({ ...state, updated_at: '2024-01-01T00:00:00Z' }),
    });
    utimesSync(join(box.root, path), new Date('2024-01-01'), new Date('2024-01-01'));
    expect(preCompact(box, 's1').stdout).toContain('nothing shows whether this conversation');
    expect(onlyRun(box.root).sessions).toBeUndefined();
    expect(box.run(['list']).stdout).toContain('old-');
  });

  it('stays ended although a file that its plan names has come or gone since', () => {
    const text = plan('In Progress').replace('**Status**', 'See CLAUDE/Notes.md.\n\n**Status**');
    const box = sandbox({ [planPath]: text });
    preCompact(box, 's1');
    box.run(['complete']);
    writeTree(box.root, { 'CLAUDE/PlanWorkflow.md': 'rules', 'CLAUDE/Notes.md': 'notes' });
    preCompact(box, 's1');
    expect(stateFiles(box.root)).toEqual([]);
  });

  it.each(['✅ Complete', '⏸ On Hold'])(
    'a plan that said %s when its run ended creates a new run when it is resumed',
    (status) => {
      const box = sandbox({ [planPath]: plan('In Progress') });
      preCompact(box, 's1');
      writeTree(box.root, { [planPath]: plan(status) });
      box.run(['complete']);
      writeTree(box.root, { [planPath]: plan('In Progress') });
      preCompact(box, 's1');
      expect(stateFiles(box.root)).toHaveLength(1);
    },
  );

  it('a plan that was finished after its run had ended makes a new one when it is taken up again', () => {
    const box = sandbox({ [planPath]: plan('In Progress') });
    preCompact(box, 's1');
    box.run(['complete']);
    writeTree(box.root, { [planPath]: plan('✅ Complete') });
    preCompact(box, 's1');
    writeTree(box.root, { [planPath]: plan('In Progress') });
    preCompact(box, 's1');
    expect(stateFiles(box.root)).toHaveLength(1);
  });
});

describe('a source that changed, in the session that holds the run', () => {
  const start = (files: Record<string, string>): ReturnType<typeof sandbox> => {
    const box = sandbox(files);
    preCompact(box, 's1');
    compacted(box, 's1');
    expect(onlyRun(box.root)).toMatchObject({ sessions: { current_session_id: 's1' } });
    return box;
  };
  const section = (name: string, more = ''): Record<string, string> => ({
    'CLAUDE.local.md': `# Workflow State\n\nWorkflow: ${name}\nPhase: 2/5 - Build\n${more}`,
  });

  it('finished: the run is completed and not restored', () => {
    const box = start({ [planPath]: plan('In Progress') });
    writeTree(box.root, { [planPath]: plan('✅ Complete') });
    expect(preCompact(box, 's1').stdout).toBe('');
    expect(compacted(box, 's1').stdout).toBe('');
    expect(stateFiles(box.root)).toEqual([]);
  });

  it('moved to Completed: the run is completed', () => {
    const box = start({ [planPath]: plan('In Progress') });
    mkdirSync(join(box.root, 'CLAUDE/Plan/Completed'));
    renameSync(
      join(box.root, 'CLAUDE/Plan/00042-user-auth'),
      join(box.root, 'CLAUDE/Plan/Completed/00042-user-auth'),
    );
    expect(preCompact(box, 's1').stdout).toBe('');
    expect(archivedRun(box)).toMatchObject({ status: 'completed' });
  });

  it('finished, but edited by the agent: restored with a sentence that says so', () => {
    const box = start({ [planPath]: plan('In Progress') });
    box.run(['update', '--set', 'a=b']);
    writeTree(box.root, { [planPath]: plan('✅ Complete') });
    const { run_id: runId } = onlyRun(box.root);
    for (const { stdout } of [preCompact(box, 's1'), compacted(box, 's1')]) {
      expect(stdout).toContain(`Its plan ${planPath} says that the work is finished.`);
      expect(stdout).toContain(`holdfast complete ${runId}`);
    }
  });

  it('gone: archived, or restored with a sentence if somebody edited the run', () => {
    const untouched = start(section('Release'));
    writeTree(untouched.root, { 'CLAUDE.local.md': '# Notes\n' });
    expect(preCompact(untouched, 's1').stdout).toBe('');
    expect(archivedRun(untouched)).toMatchObject({
      status: 'cancelled',
      status_reason: 'CLAUDE.local.md no longer declares this workflow',
    });

    const edited = start(section('Release'));
    edited.run(['update', '--set', 'a=b']);
    rmSync(join(edited.root, 'CLAUDE.local.md'));
    preCompact(edited, 's1');
    expect(compacted(edited, 's1').stdout).toContain(
      'CLAUDE.local.md no longer declares this workflow.',
    );
  });

  it('another workflow: the session goes on with that one, the former stays', () => {
    const box = start(section('Release'));
    writeTree(box.root, section('Billing'));
    for (const { stdout } of [preCompact(box, 's1'), compacted(box, 's1')]) {
      expect(stdout).toContain('Billing');
      expect(stdout).not.toContain('Workflow: Release');
    }
    expect(box.json(['show', 'billing'])).toMatchObject({
      run: { sessions: { current_session_id: 's1' } },
    });
    expect(box.json(['show', 'release'])).toMatchObject({
      run: { status: 'in_progress', sessions: { current_session_id: null } },
    });
  });

  it('a corrected name: the same run under its new name', () => {
    const box = start(section('Relaese', '@CLAUDE/Release.md\n'));
    const { run_id: runId } = onlyRun(box.root);
    writeTree(box.root, section('Release', '@CLAUDE/Release.md\n'));
    expect(preCompact(box, 's1').stdout).toContain('Release');
    expect(onlyRun(box.root)).toMatchObject({ workflow: 'Release', run_id: runId });
  });

  it('a state file written by hand and the plan it names are one run', () => {
    const state = {
      workflow: 'My own name',
      workflow_type: 'custom',
      phase: { current: 1, total: 2, name: 'Design', status: 'in_progress' },
      required_reading: [`@${planPath}`],
      created_at: '2025-01-01T00:00:00Z',
    };
    const box = sandbox({
      [planPath]: plan('In Progress'),
      'untracked/workflow-state/mine/state-mine-20250101_000000.json': JSON.stringify(state),
    });
    preCompact(box, 's1');
    expect(onlyRun(box.root)).toMatchObject({ workflow: 'My own name', phase: { current: 2 } });
  });
});

function compacted(box: ReturnType<typeof sandbox>, session: string): { stdout: string } {
  return { stdout: sessionStart(box, session, 'compact').context };
}

function archivedRun(box: ReturnType<typeof sandbox>): unknown {
  const name = archived(box.root).find((path) => !path.endsWith('.jsonl')) ?? '';
  return JSON.parse(readFileSync(join(box.root, 'untracked/workflow-archive', name), 'utf8'));
}
