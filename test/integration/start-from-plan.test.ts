import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sandbox, type Sandbox } from '../support/cli.ts';
import { preCompact, sessionStart } from '../support/hooks.ts';
import { onlyRun, stateFiles } from '../support/state.ts';

const PLAN = `# Implementation Plan: Retry queue

## Context
Jobs get lost.

## Phase 1: Store jobs
- [x] Add a table

## Phase 2: Retry
- [x] Back off
- [ ] Give up after three tries

## Phase 3: Tell people
- [ ] Write to the list
`;
const PATH = 'docs/plan.md';

function write({ root }: Sandbox, path: string, text: string): void {
  writeFileSync(join(root, path), text);
}

function compact(box: Sandbox, session: string): string {
  preCompact(box, session);
  return sessionStart(box, session, 'compact').context;
}

describe('start --from-plan', () => {
  it('makes a run of the phases of a plan, at its first open box', () => {
    const box = sandbox({ [PATH]: PLAN });
    const result = box.run(['start', '--from-plan', PATH]);
    expect(result.code).toBe(0);
    expect(result.stdout).toContain('Now: phase 2/3 Retry.');
    expect(result.stdout).toContain(
      'Plan\n  docs/plan.md (markdown)\n  ✓ Store jobs  ▸ Retry  · Tell people\n  next item: Give up after three tries\n',
    );
    expect(result.stderr).toBe('');
    expect(box.run(['status']).stdout).toContain('Plan     docs/plan.md (markdown)');
    expect(onlyRun(box.root)).toMatchObject({
      workflow: 'Retry queue',
      phases: ['Store jobs', 'Retry', 'Tell people'],
      required_reading: ['@docs/plan.md'],
      source: { kind: 'plan', path: PATH, format: 'markdown', started: true },
      adopted: true,
    });
    expect(box.run(['validate']).code).toBe(0);
    expect(readFileSync(join(box.root, PATH), 'utf8')).toBe(PLAN);
  });

  it('adds the options to what the plan declares', () => {
    const box = sandbox({ [PATH]: PLAN, 'docs/spec.md': 'Spec.' });
    const words = ['--type', 'planning', '--read', 'docs/spec.md', '--remind', 'a', '--set', 'b=1'];
    const result = box.run(['start', 'My queue', '--from-plan', PATH, ...words]);
    expect(result.stderr).toBe('');
    expect(onlyRun(box.root)).toMatchObject({
      workflow: 'My queue',
      workflow_type: 'planning',
      required_reading: ['@docs/plan.md', '@docs/spec.md'],
      key_reminders: ['a'],
      context: { next_item: 'Give up after three tries', b: 1 },
    });
  });

  it('finds the file from the folder it is called in, and with an @', () => {
    const box = sandbox({ [PATH]: PLAN });
    expect(box.run(['start', '--from-plan', 'plan.md'], { cwd: join(box.root, 'docs') }).code).toBe(
      0,
    );
    expect(onlyRun(box.root).source?.path).toBe(PATH);
    box.run(['cancel', '--reason', 'again']);
    expect(box.run(['start', '--from-plan', `@${PATH}`]).code).toBe(0);
    expect(onlyRun(box.root).source?.path).toBe(PATH);
  });

  it('makes a run of a plan that its tool does not call in progress yet', () => {
    const tasks = '# Tasks: Export\n\n## Phase 1: Setup\n\n- [ ] T001 Begin\n';
    const box = sandbox({ 'specs/001-export/tasks.md': tasks, 'specs/001-export/spec.md': 'Spec' });
    expect(preCompact(box, 's1').stdout).toBe('');
    box.run(['start', '--from-plan', 'specs/001-export/tasks.md'], { session: 's1' });
    const context = compact(box, 's1');
    expect(context).toContain('next_item: T001 Begin');
    expect(context).toContain('@specs/001-export/spec.md');
    expect(context).not.toContain('no longer');
    expect(onlyRun(box.root).source).toMatchObject({ format: 'spec-kit', started: true });
  });
});

describe('the run of a plan', () => {
  function started(): Sandbox {
    const box = sandbox({ [PATH]: PLAN });
    box.run(['start', '--from-plan', PATH], { session: 's1' });
    return box;
  }

  it('follows the boxes of the plan', () => {
    const box = started();
    write(box, PATH, PLAN.replace('- [ ] Give', '- [x] Give'));
    expect(box.run(['status'], { session: 's1' }).stdout).toContain(
      'docs/plan.md has changed: at the next compaction this run becomes phase 3/3 Tell people.',
    );
    const context = compact(box, 's1');
    expect(context).toContain('Phase: 3/3 - Tell people (in_progress)');
    expect(context).toContain('next_item: Write to the list');
    expect(onlyRun(box.root).source).toMatchObject({ started: true, format: 'markdown' });
  });

  it('is kept when the plan is finished, without naming a next item', () => {
    const box = started();
    write(box, PATH, PLAN.replaceAll('- [ ]', '- [x]'));
    const context = compact(box, 's1');
    expect(context).toContain('Its plan docs/plan.md says that the work is finished.');
    expect(context).not.toContain('next_item');
    expect(preCompact(box, 's1').stdout).not.toContain('next_item');
  });

  it('is kept when the plan is gone', () => {
    const box = started();
    rmSync(join(box.root, PATH));
    expect(compact(box, 's1')).toContain('Its plan docs/plan.md is gone.');
  });

  it('is resumed in another session without a false word about its plan', () => {
    const box = started();
    box.run(['release'], { session: 's1' });
    const [run = ''] = stateFiles(box.root).map((path) => /state-(.*)\.json/.exec(path)?.[1] ?? '');
    const { stdout } = box.run(['resume', run], { session: 's2' });
    expect(stdout).toContain('Phase: 2/3 - Retry (in_progress)');
    expect(stdout).not.toMatch(/is gone|no longer/);
    expect(sessionStart(box, 's2', 'resume').context).not.toMatch(/is gone|no longer/);
  });

  it('does not come back after it was completed or deleted', () => {
    const box = started();
    box.run(['complete'], { session: 's1' });
    expect(compact(box, 's1')).toBe('');
    box.run(['start', '--from-plan', PATH]);
    rmSync(join(box.root, 'untracked/workflow-state/retry-queue'), { recursive: true });
    expect(compact(box, 's1')).toBe('');
  });

  it('is the only run of its plan', () => {
    const box = started();
    const again = box.run(['start', '--from-plan', PATH], { session: 's1' });
    expect(again.stdout).toContain('This session already runs it: retry-queue-');
    const other = box.run(['start', '--from-plan', PATH, '--json'], { code: 1, session: 's2' });
    expect(other.code).toBe(1);
    expect(JSON.parse(other.stdout)).toMatchObject({
      error: {
        code: 'plan_has_run',
        hint: expect.stringContaining('holdfast resume retry-queue-'),
      },
    });
    expect(stateFiles(box.root)).toHaveLength(1);
  });

  it('does not replace the run of a session, unless that is released', () => {
    const box = sandbox({ [PATH]: PLAN });
    box.run(['start', 'Other'], { session: 's1' });
    const refused = box.run(['start', '--from-plan', PATH], { code: 1, session: 's1' });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('the same command with --switch');
    expect(box.run(['start', '--from-plan', PATH, '--switch'], { session: 's1' }).code).toBe(0);
  });

});

describe('a plan outside the project', () => {
  const NAME = 'jolly-moth.md';
  function withPlan(): Sandbox {
    const box = sandbox();
    mkdirSync(join(box.home, '.claude/plans'), { recursive: true });
    writeFileSync(join(box.home, '.claude/plans', NAME), PLAN);
    return box;
  }

  it('gives its phases to the run, is listed as outside, and the agent is asked to open it', () => {
    const box = withPlan();
    const result = box.run(['start', '--from-plan', join(box.home, '.claude/plans', NAME)], {
      session: 's1',
    });
    expect(result.code).toBe(0);
    expect(result.stdout).toContain('Plan\n  ~/.claude/plans/jolly-moth.md (markdown)\n');
    expect(result.stderr).toContain('the run does not follow this plan when it changes');
    const context = compact(box, 's1');
    expect(context).toContain('Phase: 2/3 - Retry (in_progress)');
    expect(context).toContain('@~/.claude/plans/jolly-moth.md (outside the project)');
    expect(context).toContain(
      'The plan of this run is ~/.claude/plans/jolly-moth.md: open it with the Read tool.',
    );
    expect(onlyRun(box.root).source).toEqual({
      kind: 'cli',
      plan: '~/.claude/plans/jolly-moth.md',
      format: 'markdown',
    });
    expect(box.run(['validate']).code).toBe(0);
  });

  it('is no finding of doctor, and does not change the run later', () => {
    const box = withPlan();
    box.run(['start', '--from-plan=~/.claude/plans/jolly-moth.md'], { session: 's1' });
    const { stdout } = box.run(['doctor', '--verbose'], { code: 1 });
    expect(stdout).not.toContain('requires files that cannot be read');
    expect(stdout).toContain('from ~/.claude/plans/jolly-moth.md (markdown)');
    writeFileSync(join(box.home, '.claude/plans', NAME), PLAN.replaceAll('[ ]', '[x]'));
    expect(compact(box, 's1')).toContain('Phase: 2/3 - Retry (in_progress)');
  });

  it('is not followed through a link in the project, or through a state file', () => {
    const box = withPlan();
    symlinkSync(join(box.home, '.claude/plans', NAME), join(box.root, 'plan.md'));
    box.run(['start', '--from-plan', 'plan.md'], { session: 's1' });
    const state = onlyRun(box.root);
    expect(state.source).toMatchObject({ kind: 'cli', plan: 'plan.md' });
    const [path = ''] = stateFiles(box.root);
    const forged = { kind: 'plan', path: '../home/.claude/plans/jolly-moth.md', started: true };
    write(box, path, JSON.stringify({ ...state, source: forged }));
    writeFileSync(join(box.home, '.claude/plans', NAME), PLAN.replace('[ ] Give', '[x] Give'));
    expect(compact(box, 's1')).toContain('Phase: 2/3 - Retry (in_progress)');
  });
});

describe('a file that is no plan', () => {
  const files = {
    'prose.md': '# A\n\nOnly prose.\n',
    'done.md': '## A\n- [x] a\n',
    'binary.md': 'a\0b',
    'huge.md': '- [ ] a\n'.repeat(130_000),
    [PATH]: PLAN,
  };

  it.each([
    ['nothing.md', 'cannot read nothing.md: there is no such file'],
    ['docs', 'cannot read docs: not a file'],
    ['binary.md', 'cannot read binary.md: binary'],
    ['huge.md', 'cannot read huge.md: it is larger than 1 MB'],
    ['prose.md', 'prose.md has no phases: no check boxes and no numbered headings'],
    ['done.md', 'every item of done.md is done: there is nothing to start'],
  ])('is refused in a sentence: %s', (path, sentence) => {
    const box = sandbox(files);
    const result = box.run(['start', '--from-plan', path], { code: 1 });
    expect(result.code).toBe(1);
    expect(result.stderr).toContain(sentence);
    expect(result.stderr.trim().split('\n')).toHaveLength(1);
    expect(stateFiles(box.root)).toEqual([]);
  });

  it.each([
    [['--phases', 'A,B'], 'as the plan of --from-plan says what the phases are'],
    [['--template', 'feature'], "option '--from-plan <file>' cannot be used with"],
  ])('is no excuse for options that contradict it: %j', (words, sentence) => {
    const box = sandbox(files);
    const result = box.run(['start', '--from-plan', PATH, ...words], { code: 2 });
    expect(result.code).toBe(2);
    expect(result.stderr).toContain(sentence);
    expect(stateFiles(box.root)).toEqual([]);
  });

  it('may have a long title and thousands of phases', () => {
    const phases = Array.from(
      { length: 5_000 },
      (_, index) => `## Phase ${index + 1}: p\n- [ ] a\n`,
    );
    const box = sandbox({ 'a.md': `# ${'x'.repeat(50_000)}\n${phases.join('')}` });
    expect(box.run(['start', '--from-plan', 'a.md'], { session: 's1' }).code).toBe(0);
    expect(onlyRun(box.root)).toMatchObject({ phase: { current: 1, total: 1_000 } });
    expect(compact(box, 's1').length).toBeLessThanOrEqual(8_000);
  });
});
