import { describe, expect, it } from 'vitest';
import { makeHub, type Hub, type TestClone } from '../support/clones.ts';
import { onlyRun } from '../support/state.ts';

const SESSION = '0199b8a4-7c7e-7e5d-8f6d-3a5d5f0e9a11';
const OTHER = 'ffff0000-7c7e-7e5d-8f6d-3a5d5f0e9a22';
const TOKEN = ['ghp', 'abcdefghijklmnopqrstuvwxyz0123456789'].join('_');

function ok(result: { code: number | null; stdout: string; stderr: string }): string {
  if (result.code !== 0) throw new Error(`exit ${result.code}\n${result.stdout}\n${result.stderr}`);
  return result.stdout;
}

function refusal(result: { code: number | null; stderr: string }): string {
  expect(result.code).toBe(1);
  return result.stderr;
}

/** Two clones with sync on, and a run that a session of the first one holds. */
function pair(): { hub: Hub; a: TestClone; b: TestClone; runId: string; shown: string } {
  const hub = makeHub();
  const [a, b] = [hub.clone('a'), hub.clone('b')];
  ok(a.run(['start', 'Shop', '--phases', 'A,B,C'], { session: SESSION }));
  ok(a.run(['sync', 'on', 'origin']));
  ok(a.run(['sync']));
  const shown = ok(b.run(['sync', 'on', 'origin']));
  return { hub, a, b, runId: String(onlyRun(a.root).run_id), shown };
}

describe('`sync on` in a fresh clone', () => {
  it('reports the runs that came, not that there are none', () => {
    const { shown } = pair();
    expect(shown).not.toContain('no run');
    expect(shown).toMatch(
      /^Sync is on with origin in this clone\. Nothing was sent yet\.\n\nNew here/,
    );
  });

  it('names the slash command, and where nothing is installed yet what installs it', () => {
    const { hub, runId, shown } = pair();
    const slash = `\`/holdfast:resume ${runId}\` in Claude Code`;
    expect(shown).toContain(`  ${runId}: \`holdfast init\`, then ${slash} continues it`);
    expect(shown).toContain(`Next: \`holdfast init\`, then ${slash};`);
    const c = hub.clone('c');
    ok(c.run(['init']));
    const installed = ok(c.run(['sync', 'on', 'origin']));
    expect(installed).toContain(`  ${runId}: ${slash} continues it`);
    expect(installed).toContain(`Next: ${slash};`);
  });

  it('says so if there is none, here or on the remote', () => {
    const shown = ok(makeHub().clone('a').run(['sync', 'on', 'origin']));
    expect(shown).toContain('There is no run here yet, and none on origin.');
    expect(shown).toContain('Next: holdfast sync');
  });
});

describe('`sync on` while it is on', () => {
  it('says that nothing is waiting if everything is in step', () => {
    const { a, runId } = pair();
    const shown = ok(a.run(['sync', 'on', 'origin']));
    expect(shown).toMatch(
      /^Sync is already on with origin in this clone\. Nothing here is waiting to be sent\.\n\nNever/,
    );
    expect(shown).not.toContain(runId);
    expect(a.json(['sync', 'on', 'origin'])).toMatchObject({ runs: [], arrived: [] });
  });

  it('shows only the runs that are not in step', () => {
    const { a, runId } = pair();
    ok(a.run(['start', 'Later', '--phases', 'A,B'], { session: OTHER }));
    const shown = ok(a.run(['sync', 'on', 'origin']));
    expect(shown).toContain('Nothing was sent now.');
    expect(shown).toContain('Leaves with the next sync: later-');
    expect(shown).not.toContain(runId);
  });

  it('shows the end of a run that the next sync sends', () => {
    const { a, runId } = pair();
    ok(a.run(['complete', runId]));
    const shown = ok(a.run(['sync', 'on', 'origin']));
    expect(shown).toContain(
      `Leaves with the next sync\n  ${runId}: phase, sessions, status, journal`,
    );
  });
});

describe('what sync says', () => {
  it('`sync off` while it is off is done already', () => {
    const a = makeHub().clone('a');
    expect(ok(a.run(['sync', 'off']))).toBe('Sync is off in this clone already.\n');
    expect(a.json(['sync', 'off'])).toEqual({ remote: null, was: null });
  });

  it('`sync off` names the command that continues, unless the remote is gone', () => {
    const a = makeHub().clone('a');
    ok(a.run(['sync', 'on', 'origin']));
    expect(ok(a.run(['sync', 'off']))).toContain('`holdfast sync on origin` continues');
    ok(a.run(['sync', 'on', 'origin']));
    a.git('remote', 'remove', 'origin');
    expect(ok(a.run(['sync', 'off']))).toContain('`holdfast sync on <remote>` continues');
  });

  it('while it is off, an agent is told that the user switches it on', () => {
    const a = makeHub().clone('a');
    const asked = 'ask the user to type `holdfast sync on origin` in a terminal';
    for (const words of [['sync'], ['sync', '--dry-run']])
      expect(refusal(a.run(words, { code: 1, session: SESSION }))).toContain(asked);
    expect(ok(a.run(['sync', 'status'], { session: SESSION }))).toContain(asked.slice(4));
    for (const told of [refusal(a.run(['sync'], { code: 1 })), ok(a.run(['sync', 'status']))])
      expect(told).toMatch(/witch it on with `holdfast sync on origin`/);
  });

  it('`sync on` that is stopped by a secret leaves sync as it was', () => {
    const { a, hub } = pair();
    ok(a.run(['update', '--set', `deploy=${TOKEN}`]));
    expect(refusal(a.run(['sync', 'on', 'origin'], { code: 1 }))).toContain(
      'sync stays on with origin, because',
    );
    const c = hub.clone('c');
    ok(c.run(['start', 'Shop', '--remind', TOKEN]));
    expect(refusal(c.run(['sync', 'on', 'origin'], { code: 1 }))).toContain(
      'sync stays off, because',
    );
    expect(c.json(['sync', 'status'])).toMatchObject({ remote: null });
  });

  it('a remote that does not exist comes with a command that works', () => {
    const a = makeHub().clone('a');
    expect(refusal(a.run(['sync', 'on', 'nope'], { code: 1 }))).toContain(
      '`holdfast sync on origin` uses it',
    );
    ok(a.run(['sync', 'on', 'origin']));
    a.git('remote', 'rename', 'origin', 'up');
    for (const words of [['sync'], ['sync', 'status']]) {
      expect(refusal(a.run(words, { code: 1 }))).toContain('or type `holdfast sync on up`');
      expect(refusal(a.run(words, { code: 1, session: SESSION }))).toContain(
        'ask the user to type `holdfast sync on up` in a terminal',
      );
    }
    a.git('remote', 'remove', 'up');
    for (const words of [['sync'], ['sync', 'status']])
      expect(refusal(a.run(words, { code: 1 }))).toContain(
        '`git remote add origin <address>`, or type `holdfast sync off`',
      );
    expect(refusal(a.run(['sync', 'on', 'nope'], { code: 1 }))).toContain(
      '`git remote add nope <address>`, then `holdfast sync on nope`',
    );
    ok(a.run(['sync', 'off']));
  });

  it('a purged run waits to be sent only if others have it', () => {
    const { a, runId } = pair();
    ok(a.run(['start', 'Unsent'], { session: OTHER }));
    ok(a.run(['complete', '--purge'], { session: OTHER }));
    expect(ok(a.run(['sync', '--dry-run']))).toContain('Nothing here is waiting');
    expect(ok(a.run(['complete', runId, '--purge']))).toContain('No record was kept.\n');
    const change = `${runId}: phase, status, journal\n`;
    expect(ok(a.run(['sync', '--dry-run']))).toContain(change);
    expect(ok(a.run(['sync', 'on', 'origin']))).toContain(change);
    expect(ok(a.run(['sync']))).toContain('1 sent');
    expect(ok(a.run(['sync', '--dry-run']))).toContain('Nothing here is waiting');
  });

  it('a takeover is answered by the same command in `sync` and `status`, and it works', () => {
    const { a, b, runId } = pair();
    ok(b.run(['resume', runId], { session: OTHER }));
    ok(b.run(['sync']));
    const command = `\`holdfast resume ${runId}\` takes it back`;
    const synced = a.run(['sync'], { session: SESSION });
    expect(ok(synced)).toContain(command);
    expect(a.run(['status'], { session: SESSION }).stderr).toContain(command);
    ok(a.run(['resume', runId], { session: SESSION }));
    ok(a.run(['sync']));
    expect(ok(b.run(['sync']))).toContain(
      `\`holdfast init\`, then \`/holdfast:resume ${runId}\` in Claude Code takes it back`,
    );
  });
});
