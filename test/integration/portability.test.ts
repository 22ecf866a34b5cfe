import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sandbox, type Sandbox } from '../support/cli.ts';
import { preCompact, sessionStart } from '../support/hooks.ts';
import { archived, onlyRun, stateFiles } from '../support/state.ts';

const STATE = 'untracked/workflow-state';

function begun(): Sandbox {
  const box = sandbox({ 'docs/spec.md': 'THE-SPECIFICATION\n' });
  box.run(
    ['start', 'Shop', '--phases', 'Design,Build', '--read', 'docs/spec.md'],
    {
      session: 's1',
    },
  );
  box.run(
    ['update', '--artifact', 'spec=docs/spec.md', '--remind', 'keep it small'],
    {
      session: 's1',
    },
  );
  return box;
}

describe('a state folder that is copied to another checkout', () => {
  it('restores fully, and the session of the first is no obstacle', () => {
    const first = begun();
    const second = sandbox({ 'docs/spec.md': 'THE-SPECIFICATION\n' });
    cpSync(join(first.root, STATE), join(second.root, STATE), {
      recursive: true,
    });

    const resumed = second.run(['resume', 'shop'], { session: 's2' });
    expect(resumed.stdout).toContain('THE-SPECIFICATION');
    expect(resumed.stdout).not.toContain(first.root);
    second.run(['advance'], { session: 's2' });
    preCompact(second, 's2');
    expect(sessionStart(second, 's2', 'compact').context).toContain(
      'Phase: 2/2 - Build',
    );
    second.run(['advance'], { session: 's2' });

    const record = archived(second.root).find(
      (name) => !name.includes('events'),
    );
    const path = join(second.root, 'untracked/workflow-archive', record ?? '');
    const state = JSON.parse(readFileSync(path, 'utf8'));
    expect(state.sessions.session_history).toMatchObject([
      { session_id: 's1' },
      { session_id: 's2', phases_completed: ['Design', 'Build'] },
    ]);
    expect(state.artifacts).toEqual({ spec: '{project_root}/docs/spec.md' });
    expect(state.key_reminders).toEqual(['keep it small']);
    expect(JSON.stringify(state)).not.toContain(first.root);
  });
});

describe('export and import', () => {
  const exported = (box: Sandbox): string => box.run(['export', 'shop']).stdout;

  it('move a run as one file, with its journal', () => {
    const first = begun();
    first.run(['advance', '--output', 'the design'], { session: 's1' });
    const second = sandbox();
    const imported = second.run(['import', '-'], { input: exported(first) });
    expect(imported.stderr).toBe('');
    const { run_id: runId, revision = 0 } = onlyRun(first.root);
    expect(onlyRun(second.root)).toMatchObject({
      run_id: runId,
      revision: revision + 1,
      phase: { current: 2, name: 'Build' },
      sessions: {
        current_session_id: null,
        session_history: [{ session_id: 's1' }],
      },
    });
    expect(second.run(['history', 'shop']).stdout).toMatch(
      /started, phase 1\/2 Design[^]*finished 1\/2 Design: "the design"[^]*imported from/,
    );
    second.run(['resume', 'shop'], { session: 's2' });
  });

  it('put a run that has ended into the archive, and continue one that was archived here, in one place only', () => {
    const first = begun();
    first.run(['cancel', '--reason', 'not wanted'], { session: 's1' });
    const second = sandbox();
    const { stdout } = second.run(['import', '-'], { input: exported(first) });
    const runId = archived(second.root)[0]?.replace(/\..*/, '') ?? '';
    expect(stdout).toContain(
      `Imported ${runId}, which is cancelled: its record is in`,
    );
    expect(stdout).toContain(`Next: holdfast reopen ${runId}`);
    expect(stateFiles(second.root)).toEqual([]);
    expect(second.run(['history', 'shop']).stdout).toMatch(
      /cancelled: "not wanted"[^]*imported/,
    );
    second.run(['reopen', runId]);
    second.run(['advance']);
    first.run(['import', '-'], { input: exported(second) });
    expect(stateFiles(first.root)).toHaveLength(1);
    expect(archived(first.root)).toEqual([]);
    expect(first.json(['list', '--all'])).toMatchObject({
      runs: [{ status: 'in_progress' }],
    });
  });

  it('accept a newer state, and refuse an older one with both revisions', () => {
    const first = begun();
    const old = exported(first);
    const second = sandbox();
    second.run(['import', '-'], { input: old });
    second.run(['advance']);
    writeFileSync(join(first.root, 'run.json'), exported(second));
    first.run(['import', 'run.json']);
    expect(stateFiles(first.root)).toHaveLength(1);
    expect(onlyRun(first.root).phase.current).toBe(2);
    const refused = first.run(['import', '-'], { code: 1, input: old });
    expect(refused.stderr).toMatch(
      /shop-\S+ is newer here: here it has revision \d+ of .*; the file has revision 2 of/,
    );
    expect(onlyRun(first.root).phase.current).toBe(2);
  });

  it('refuse a run that moved on in both places, and with --force keep the replaced state in the archive', () => {
    const first = begun();
    const second = sandbox();
    second.run(['import', '-'], { input: exported(first) });
    second.run(['update', '--remind', 'made on the second']);
    second.run(['update', '--remind', 'twice']);
    first.run(['advance', '--output', 'made on the first'], { session: 's1' });
    const file = exported(second);
    const before = onlyRun(first.root);
    const refused = first.run(['import', '-'], { code: 1, input: file });
    expect(refused.stderr).toMatch(
      /shop-\S+ moved on in both places: here it has revision 3 of \S+, at 2\/2 Build; the file has revision 5 of \S+, at 1\/2 Design; .*--force/,
    );
    expect(onlyRun(first.root)).toEqual(before);

    const imported = first.run(['import', '-', '--force'], { input: file });
    expect(onlyRun(first.root)).toMatchObject({
      phase: { current: 1 },
      key_reminders: ['keep it small', 'made on the second', 'twice'],
    });
    const [replaced = '', ...more] = archived(first.root)
      .filter((name) => !name.includes('events'))
      .map((name) => name.replace('.json', ''));
    expect(more).toEqual([]);
    expect(replaced).toMatch(/^shop-\d{8}_\d{6}\.replaced-\d{8}_\d{6}$/);
    expect(imported.stdout).toContain(`archived as ${replaced}`);
    expect(first.json(['show', replaced])).toMatchObject({
      run: { phase: { current: 2 } },
    });
    expect(first.run(['history', replaced]).stdout).toContain(
      'made on the first',
    );
    expect(first.json(['show', 'shop'])).toMatchObject({
      run: { phase: { current: 1 } },
    });
    const listedAs = (status: string): object => ({
      runs: expect.arrayContaining([
        expect.objectContaining({ run_id: replaced, status }),
      ]),
    });
    expect(first.json(['list', '--all'])).toMatchObject(listedAs('replaced'));
    first.run(['reopen', replaced]);
    expect(first.json(['list'])).toMatchObject(listedAs('in_progress'));
  });

  it('take back a run that was only edited by hand since', () => {
    const [first, second] = [begun(), sandbox()];
    second.run(['import', '-'], { input: exported(first) });
    second.run(['resume', 'shop'], { session: 's2' });
    const path = join(second.root, stateFiles(second.root)[0] ?? '');
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace('"current": 1', '"current": 2'),
    );
    const imported = first.run(['import', '-'], { input: exported(second) });
    expect(imported.stderr).not.toContain('moved on in both places');
    expect(onlyRun(first.root)).toMatchObject({ phase: { current: 2 } });
  });

  it('roll a run back only by a person while a live session holds it, which is told', () => {
    const box = sandbox();
    box.run(['start', 'Shop', '--phases', 'Design,Build'], { session: 's1' });
    const file = exported(box);
    box.run(['advance'], { session: 's1' });
    const words = ['import', '-', '--force'];
    const refused = box.run(words, { session: 's2', input: file, code: 1 });
    expect(refused.stderr).toMatch(/shop-\S+ is held by session s1/);
    expect(box.run(words, { input: file }).stderr).toMatch(
      /session s1 held shop-\S+; it is told/,
    );
    expect(box.run(['status'], { session: 's1' }).stderr).toMatch(
      /`holdfast import`, by the user, released Shop .* it is at phase 1\/2 Design/,
    );
    box.run(['resume', 'shop'], { session: 's1' });
    const { state, ...rest } = JSON.parse(file);
    box.run(words, {
      input: JSON.stringify({
        ...rest,
        state: { ...state, status: 'cancelled' },
      }),
    });
    expect(box.run(['status'], { session: 's1' }).stderr).toMatch(
      /ended Shop .* it is cancelled/,
    );
  });

  it('write nothing outside the state folder, whatever the file says', () => {
    const box = begun();
    const file = JSON.parse(exported(box));
    const bad = JSON.stringify({ ...file, slug: '..', run_id: '..-x' });
    const refused = box.run(['import', '-'], { code: 1, input: bad });
    expect(refused.stderr).toContain('"slug" is not the name of a run');
    expect(existsSync(join(box.root, 'untracked/state-..-x.json'))).toBe(false);
  });
});
