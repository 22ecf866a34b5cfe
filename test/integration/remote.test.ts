import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeHub, prepareHub, serve, untouched, type TestClone } from '../support/clones.ts';
import { openServer } from '../support/mcp.ts';
import { archived, onlyRun, stateFiles } from '../support/state.ts';

const SESSION = '0199b8a4-7c7e-7e5d-8f6d-3a5d5f0e9a11';
const OTHER = 'ffff0000-7c7e-7e5d-8f6d-3a5d5f0e9a22';

function ok(result: { code: number | null; stdout: string; stderr: string }): string {
  if (result.code !== 0) throw new Error(`exit ${result.code}\n${result.stdout}\n${result.stderr}`);
  return result.stdout;
}

/** Two clones with sync on, and a run that both have. */
const pair = prepareHub((hub) => {
  const [a, b] = [hub.clone('a'), hub.clone('b')];
  ok(a.run(['start', 'User Auth', '--phases', 'Design,Build,Ship'], { session: SESSION }));
  ok(a.run(['sync', 'on', 'origin']));
  ok(a.run(['sync']));
  ok(b.run(['sync', 'on', 'origin']));
  return { a, b, runId: String(onlyRun(a.root).run_id) };
});

/** What the last one gets from the others, they get from it: it does not have to sync again. */
function exchange(...clones: TestClone[]): void {
  for (const clone of [...clones, ...clones.slice(0, -1)]) ok(clone.run(['sync']));
}

describe('two clones', () => {
  it('a fresh clone goes on where the other stopped', () => {
    const { a, b, runId } = pair();
    expect(onlyRun(b.root)).toMatchObject({
      run_id: runId,
      workflow: 'User Auth',
      phase: { current: 1, total: 3, name: 'Design' },
    });
    ok(b.run(['resume', runId], { session: OTHER }));
    ok(b.run(['advance', '--output', 'the API is in src/api.ts'], { session: OTHER }));
    ok(b.run(['sync']));
    ok(a.run(['sync']));
    expect(onlyRun(a.root)).toMatchObject({
      phase: { current: 2, name: 'Build' },
      outputs: { '1': { text: 'the API is in src/api.ts' } },
    });
  });

  it('`sync on` sends nothing and shows every field that will leave', () => {
    const hub = makeHub();
    const a = hub.clone('a');
    ok(a.run(['start', 'User Auth', '--remind', 'ask first', '--set', 'ticket=42']));
    const shown = ok(a.run(['sync', 'on', 'origin']));
    expect(hub.git('for-each-ref', 'refs/holdfast')).toBe('');
    for (const text of [
      'workflow',
      'User Auth',
      'key_reminders',
      'ask first',
      'context.ticket',
      '42',
    ])
      expect(shown).toContain(text);
    expect(shown).toContain('Never leaves this machine');
  });

  it('a run that the remote does not have is called new, a changed one by what changed', () => {
    const a = makeHub().clone('a');
    ok(a.run(['start', 'User Auth', '--phases', 'Design,Build']));
    ok(a.run(['sync', 'on', 'origin']));
    for (const words of [['update', '--set', 'x=1'], ['advance']]) {
      expect(ok(a.run(['sync', 'status']))).toMatch(/user-auth-\S+ +to send +new\n/);
      expect(ok(a.run(['sync', '--dry-run']))).toMatch(/user-auth-\S+: new\n/);
      expect(a.json(['sync', '--dry-run'])).toMatchObject({ would_send: [{ is_new: true }] });
      ok(a.run(words));
    }
    ok(a.run(['sync']));
    ok(a.run(['update', '--set', 'x=2']));
    expect(ok(a.run(['sync', 'status']))).toMatch(/to send +context, journal\n/);
    expect(ok(a.run(['sync', '--dry-run']))).toMatch(/: context, journal\n/);
    expect(a.json(['sync', 'status'])).toMatchObject({
      runs: [{ is_new: false, fields: ['context', 'journal'] }],
    });
  });

  it('different fields merge and lists unite', () => {
    const { a, b } = pair();
    ok(a.run(['update', '--remind', 'from a', '--set', 'x=1']));
    ok(b.run(['update', '--remind', 'from b', '--set', 'y=2', '--read', 'b.md']));
    exchange(a, b);
    for (const clone of [a, b]) {
      const run = onlyRun(clone.root);
      expect(run.context).toEqual({ x: 1, y: 2 });
      expect(new Set(run.key_reminders)).toEqual(new Set(['from a', 'from b']));
      expect(run.required_reading).toEqual(['@b.md']);
    }
    expect(a.json(['sync', 'status'])).toMatchObject({ runs: [{ state: 'in_step' }] });
  });

  it('edits of both machines, synced in any order three times, meet at the last common commit', () => {
    const { a, b } = pair();
    for (const [round, order] of [
      [a, b],
      [b, a],
      [a, b],
    ].entries()) {
      ok(a.run(['update', '--set', `a=${round}`, '--remind', `a ${round}`]));
      ok(a.run(['update', '--set', `last=${round}`]));
      ok(b.run(['update', '--set', `b=${round}`, '--remind', `b ${round}`]));
      for (const clone of order) expect(ok(clone.run(['sync']))).not.toContain('two places');
      if (round === 1) ok(b.run(['update', '--forget', 'a 0']));
    }
    exchange(a, b);
    for (const clone of [a, b]) {
      const { context, key_reminders: reminders } = onlyRun(clone.root);
      expect(context).toEqual({ a: 2, b: 2, last: 2 });
      expect(reminders?.toSorted()).toEqual(['a 1', 'a 2', 'b 0', 'b 1', 'b 2']);
    }
  });

  it("for the same field the holder's value wins, and the other is told and in the history", () => {
    const { a, b, runId } = pair();
    ok(a.run(['update', '--set', 'owner=ann'], { session: SESSION }));
    ok(b.run(['update', '--set', 'owner=bob']));
    ok(b.run(['sync']));
    const told = ok(a.run(['sync']));
    expect(told).toContain('context.owner: kept "ann"');
    expect(told).toContain('"bob"');
    ok(b.run(['sync']));
    for (const clone of [a, b]) {
      expect(onlyRun(clone.root).context).toEqual({ owner: 'ann' });
      expect(ok(clone.run(['history', runId]))).toMatch(/context\.owner.*"ann".*"bob"/);
    }
  });

  it('a conflict is told once in status, on both machines', () => {
    const { a, b } = pair();
    ok(a.run(['update', '--set', 'owner=ann'], { session: SESSION }));
    ok(b.run(['update', '--set', 'owner=bob']));
    exchange(b, a);
    for (const clone of [a, b]) {
      expect(ok(clone.run(['status', '--look']))).toContain('context.owner');
      expect(ok(clone.run(['status']))).toMatch(/context\.owner.*kept "ann".*"bob"/);
      expect(ok(clone.run(['status']))).not.toContain('kept "ann"');
    }
  });

  it('equal content makes no commit', () => {
    const { a, b, runId } = pair();
    const ref = `refs/holdfast/runs/-/${runId}`;
    const before = a.git('rev-parse', ref);
    for (const clone of [a, b, a]) ok(clone.run(['sync']));
    ok(b.run(['status']));
    ok(b.run(['sync']));
    expect(a.git('rev-parse', ref)).toBe(before);
    expect(b.git('rev-parse', ref)).toBe(before);
    ok(a.run(['update', '--set', 'x=1']));
    ok(b.run(['update', '--set', 'x=1']));
    exchange(a, b);
    expect(onlyRun(b.root).context).toEqual({ x: 1 });
  });

  it('a run that ends on one machine ends on the other, and can be reopened there', () => {
    const { a, b, runId } = pair();
    ok(a.run(['complete', runId]));
    ok(a.run(['sync']));
    expect(ok(b.run(['sync']))).toContain('Ended on another machine');
    expect(stateFiles(b.root)).toEqual([]);
    expect(archived(b.root)).toContain(`${runId}.json`);
    ok(b.run(['reopen', runId]));
    exchange(b, a);
    expect(onlyRun(a.root)).toMatchObject({ run_id: runId, status: 'in_progress' });
    expect(archived(a.root)).toEqual([]);
  });

  it('a run that was reopened and ended again between two syncs ends at the later time', () => {
    const { a, b, runId } = pair();
    ok(a.run(['complete', runId]));
    exchange(a, b);
    ok(b.run(['reopen', runId]));
    ok(a.run(['reopen', runId]));
    ok(a.run(['update', runId, '--set', 'x=1']));
    ok(a.run(['complete', runId]));
    exchange(a, b);
    for (const clone of [a, b]) {
      expect(stateFiles(clone.root)).toEqual([]);
      const path = join(clone.root, `untracked/workflow-archive/${runId}.json`);
      expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ context: { x: 1 } });
    }
  });

  it('a purged run ends on the other machine, too', () => {
    const { a, b, runId } = pair();
    ok(a.run(['complete', runId, '--purge']));
    exchange(a, b);
    expect(stateFiles(a.root)).toEqual([]);
    expect(archived(a.root)).toEqual([]);
    expect(archived(b.root)).toContain(`${runId}.json`);
  });

  it('a run that was purged while sync was off does not come back, and ends on the other machine', () => {
    const { a, b, runId } = pair();
    ok(a.run(['sync', 'off']));
    ok(a.run(['complete', runId, '--purge']));
    ok(a.run(['sync', 'on', 'origin']));
    exchange(a, b);
    expect(stateFiles(a.root)).toEqual([]);
    expect(archived(b.root)).toContain(`${runId}.json`);
  });

  it('work goes on while the other machine completes the run: it stays finished, nothing is lost', () => {
    const { a, b, runId } = pair();
    ok(a.run(['complete', runId]));
    ok(b.run(['update', '--set', 'found=a bug']));
    exchange(a, b);
    for (const clone of [a, b]) {
      const record = JSON.parse(
        readFileSync(join(clone.root, `untracked/workflow-archive/${runId}.json`), 'utf8'),
      );
      expect(record).toMatchObject({ status: 'completed', context: { found: 'a bug' } });
    }
  });

  it('a state file that was deleted by hand stays away, and the others keep theirs', () => {
    const { a, b } = pair();
    rmSync(join(b.root, 'untracked'), { recursive: true });
    ok(a.run(['update', '--set', 'x=1']));
    exchange(a, b);
    expect(stateFiles(b.root)).toEqual([]);
    expect(onlyRun(a.root)).toMatchObject({ status: 'in_progress', context: { x: 1 } });
    expect(b.json(['sync', 'status'])).toMatchObject({ runs: [{ state: 'removed_here' }] });
    ok(b.run(['sync', 'on', 'origin']));
    expect(onlyRun(b.root).context).toEqual({ x: 1 });
  });

  it('a hand-written state file is synced like any other', () => {
    const { a, b } = pair();
    const path = 'untracked/workflow-state/release/state-release-20250101_000000.json';
    const state = { workflow: 'Release', workflow_type: 'custom', phase: '2/3 - Build', mine: [1] };
    rmSync(join(a.root, 'untracked/workflow-state'), { recursive: true });
    ok(a.run(['start', 'Release']));
    const [started = ''] = stateFiles(a.root);
    rmSync(join(a.root, started));
    writeFileSync(join(a.root, path), JSON.stringify({ ...state, run_id: '.odd.lock' }));
    exchange(a, b);
    const copy = stateFiles(b.root).find((file) => file.includes('.odd.lock')) ?? '';
    expect(JSON.parse(readFileSync(join(b.root, copy), 'utf8'))).toMatchObject({
      workflow: 'Release',
      phase: { current: 2, total: 3, name: 'Build' },
      mine: [1],
    });
  });
});

describe('taking a run', () => {
  it('a run that came by sync is only offered', () => {
    const { b, runId } = pair();
    const started = ok(
      b.run(['hook', 'SessionStart'], {
        input: JSON.stringify({ session_id: OTHER, source: 'startup', cwd: b.root }),
      }),
    );
    expect(started).toContain(`holdfast resume ${runId}`);
    expect(onlyRun(b.root).sessions?.current_session_id).not.toBe(OTHER);
    const compacted = ok(
      b.run(['hook', 'SessionStart'], {
        input: JSON.stringify({ session_id: OTHER, source: 'compact', cwd: b.root }),
      }),
    );
    expect(compacted).toContain(`holdfast resume ${runId}`);
    expect(compacted).not.toContain('ACTION REQUIRED');
    expect(onlyRun(b.root).sessions?.current_session_id).not.toBe(OTHER);
  });

  it('so is one that no session ever held, even with startup: full', () => {
    const hub = makeHub();
    const [a, b] = [hub.clone('a'), hub.clone('b')];
    ok(a.run(['start', 'Shop']));
    ok(a.run(['sync', 'on', 'origin']));
    ok(a.run(['sync']));
    mkdirSync(join(b.root, '.claude'));
    writeFileSync(join(b.root, '.claude/holdfast.json'), '{"restore": {"startup": "full"}}');
    ok(b.run(['sync', 'on', 'origin']));
    for (const source of ['startup', 'compact'])
      ok(
        b.run(['hook', 'SessionStart'], {
          input: JSON.stringify({ session_id: OTHER, source, cwd: b.root }),
        }),
      );
    expect(onlyRun(b.root).sessions?.current_session_id ?? null).toBeNull();
  });

  it('a run taken elsewhere is told to the former holder, which does not get it back by itself', () => {
    const { a, b, runId } = pair();
    ok(b.run(['resume', runId, '--force'], { session: OTHER }));
    ok(b.run(['sync']));
    expect(ok(a.run(['sync']))).toContain('Taken over on another machine');
    const advance = a.run(['advance'], { code: 1, session: SESSION });
    expect(advance.code).toBe(1);
    expect(advance.stderr).toMatch(/taken over on another machine.*session ffff0000/);
    expect(a.run(['list'], { session: SESSION }).stderr).not.toContain('taken over');
    const restored = ok(
      a.run(['hook', 'SessionStart'], {
        input: JSON.stringify({ session_id: SESSION, source: 'compact', cwd: a.root }),
      }),
    );
    expect(restored).toContain('taken over on another machine');
    expect(restored).not.toContain('ACTION REQUIRED');
    ok(a.run(['resume', runId, '--force'], { session: SESSION }));
    exchange(a, b);
    expect(onlyRun(a.root).sessions?.current_session_id).toBe(SESSION);
    expect(onlyRun(b.root).sessions?.current_session_id).toBe(SESSION.slice(0, 8));
  });
});

describe('taking a run from a session that uses MCP', () => {
  /** Clones of which b has taken the run that the session of a worked on. */
  async function taken() {
    const clones = pair();
    const server = await openServer(clones.a, { session: SESSION });
    await server.reply('workflow_status');
    ok(clones.b.run(['resume', clones.runId, '--force'], { session: OTHER }));
    ok(clones.b.run(['sync']));
    ok(clones.a.run(['sync']));
    const call = async (name: string) => {
      const reply = await server.ask('tools/call', { name, arguments: {} });
      const content = reply['content'] as { text: string }[];
      return { isError: reply['isError'] === true, texts: content.map(({ text }) => text) };
    };
    return { ...clones, call };
  }
  const NOTICE =
    /User Auth .*was taken over on another machine: session ffff0000.*holdfast resume user-auth/;

  it('its next call tells it, after the reply, and no later one does', async () => {
    const { call } = await taken();
    const told = await call('workflow_status');
    expect(JSON.parse(told.texts[0] ?? '')).toMatchObject({ workflow: 'User Auth' });
    expect(told.texts.slice(1)).toEqual([expect.stringMatching(NOTICE)]);
    expect((await call('workflow_status')).texts).toHaveLength(1);
  });

  it('a call that would move the run is refused, and tells it', async () => {
    const { a, call } = await taken();
    const refused = await call('workflow_advance');
    expect(refused.isError).toBe(true);
    expect(refused.texts.at(-1)).toMatch(NOTICE);
    expect(onlyRun(a.root).phase.current).toBe(1);
  });
});

/** A short text can be a part of an id or of a time by chance. */
function hasWord(text: string, word: string): boolean {
  const isPartOfWord = (character = ''): boolean => /\w/.test(character);
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (!isPartOfWord(text[at - 1]) && !isPartOfWord(text[at + word.length])) return true;
  }
  return false;
}

describe('what never leaves the machine', () => {
  it('no host name, path, process id, user or whole session id is in any object', () => {
    const { a, b, runId } = pair();
    ok(
      a.run(['update', '--remind', `logs are in ${a.root}/logs`, '--artifact', 'out=/etc/hosts'], {
        session: SESSION,
      }),
    );
    ok(a.run(['update', '--set-local', 'port=8080'], { session: SESSION }));
    ok(a.run(['advance'], { session: SESSION, env: { CLAUDE_PID: '48151' } }));
    exchange(a, b);
    const sent = b.everythingSent();
    expect(sent).toContain(runId);
    expect(sent).toContain('logs are in {project_root}/logs');
    for (const secret of [a.root, a.home, SESSION, 'ann@example.org'])
      expect(sent).not.toContain(secret);
    for (const secret of [hostname(), '48151', '8080']) expect(hasWord(sent, secret)).toBe(false);
    expect(onlyRun(a.root).context).toEqual({ port: 8080 });
    expect(onlyRun(b.root).context ?? {}).toEqual({});
  });

  it('commits carry a fixed author', () => {
    const { a, runId } = pair();
    expect(
      a.git('log', '-1', '--format=%an %ae %cn %ce', `refs/holdfast/runs/-/${runId}`).trim(),
    ).toBe('holdfast holdfast@localhost holdfast holdfast@localhost');
  });

  const token = ['ghp', 'abcdefghijklmnopqrstuvwxyz0123456789'].join('_');

  it('a value that looks like a secret stops the sync by name, and is never in a commit', () => {
    const { a, hub, runId } = pair();
    ok(a.run(['update', '--set', `deploy=${token}`]));
    const refused = a.run(['sync'], { code: 1 });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`context.deploy of ${runId} (a GitHub token)`);
    expect(refused.stderr).not.toContain(token);
    expect(a.run(['sync', '--dry-run'], { code: 1 }).code).toBe(1);
    ok(a.run(['update', '--set-local', `deploy=${token}`]));
    ok(a.run(['sync']));
    expect(a.everythingSent()).not.toContain(token);
    expect(hub.git('for-each-ref')).toContain(runId);
    const objects = a.git('cat-file', '--batch-all-objects', '--batch');
    expect(objects).not.toContain(token);
  });

  it('`sync on` is refused as long as there is one', () => {
    const a = makeHub().clone('a');
    ok(a.run(['start', 'Shop', '--remind', `use ${token}`]));
    const refused = a.run(['sync', 'on', 'origin'], { code: 1 });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('key_reminders[0]');
    expect(a.json(['sync', 'status'])).toMatchObject({ remote: null });
  });

  it("an agent's session cannot switch it on or off, nor prune", () => {
    const { a } = pair();
    for (const words of [['on', 'origin'], ['off'], ['prune']]) {
      for (const env of [{ CLAUDECODE: '1' }, { CLAUDE_CODE_SESSION_ID: SESSION }]) {
        const refused = a.run(['sync', ...words], { code: 1, env });
        expect(refused.code).toBe(1);
        expect(refused.stderr).toContain('is for the user');
      }
    }
    expect(a.run(['sync', 'on', 'origin', '--session', SESSION], { code: 1 }).code).toBe(1);
  });
});

describe('the repository', () => {
  it('index, work tree, branches, stash, reflogs and FETCH_HEAD stay as they are', () => {
    const { a, b } = pair();
    for (const clone of [a, b]) {
      writeFileSync(join(clone.root, 'README.md'), '# changed\n');
      clone.git('stash', '-q');
      writeFileSync(join(clone.root, 'README.md'), '# again\n');
      writeFileSync(join(clone.root, 'new.txt'), 'x');
      clone.git('add', 'new.txt');
      clone.git('config', 'core.logAllRefUpdates', 'always');
    }
    const before = [a, b].map(untouched);
    ok(a.run(['update', '--set', 'x=1']));
    ok(b.run(['update', '--set', 'y=1']));
    exchange(a, b);
    expect([a, b].map(untouched)).toEqual(before);
  });

  it('no hook of the repository runs', () => {
    const { a, b } = pair();
    for (const clone of [a, b]) {
      for (const hook of ['pre-push', 'reference-transaction', 'post-commit', 'post-checkout']) {
        const path = join(clone.root, '.git/hooks', hook);
        writeFileSync(path, `#!/bin/sh\ntouch "${clone.root}/ran-${hook}"\nexit 1\n`, {
          mode: 0o755,
        });
      }
    }
    ok(a.run(['update', '--set', 'x=1']));
    exchange(a, b);
    expect(existsSync(join(a.root, 'ran-pre-push'))).toBe(false);
    expect(existsSync(join(a.root, 'ran-reference-transaction'))).toBe(false);
    expect(onlyRun(b.root).context).toEqual({ x: 1 });
  });

  it('whether it is on stands in the configuration of this clone only', () => {
    const { a } = pair();
    expect(a.git('status', '--porcelain')).toBe('');
    expect(a.git('config', '--local', 'holdfast.-.sync').trim()).toBe('origin');
    ok(a.run(['sync', 'off']));
    expect(a.run(['sync'], { code: 1 }).stderr).toContain('sync is off');
    expect(() => a.git('config', '--local', 'holdfast.-.sync')).toThrow();
  });

  it('before the first sync nothing is in refs, and later only a sync changes them', () => {
    const hub = makeHub();
    const a = hub.clone('a');
    const refs = (): string => a.git('for-each-ref', 'refs/holdfast', 'refs/worktree');
    ok(a.run(['start', 'User Auth', '--phases', 'Design,Build,Ship']));
    ok(a.run(['sync', 'on', 'origin']));
    ok(a.run(['advance']));
    expect(refs()).toBe('');
    ok(a.run(['sync']));
    const before = refs();
    expect(before).toContain('refs/holdfast/runs/-/user-auth-');
    ok(a.run(['advance']));
    expect(refs()).toBe(before);
    rmSync(hub.path, { recursive: true });
    expect(a.run(['sync'], { code: 1 }).code).toBe(1);
    const ref = `refs/holdfast/runs/-/${String(onlyRun(a.root).run_id)}`;
    expect(a.git('show', `${ref}:state.json`)).toContain('"name": "Ship"');
  });
});

describe('by http', () => {
  it('two clones exchange a run', async () => {
    const hub = makeHub();
    hub.git('config', 'http.receivepack', 'true');
    const url = await serve(hub);
    const [a, b] = [hub.clone('a'), hub.clone('b')];
    for (const clone of [a, b]) clone.git('remote', 'set-url', 'origin', url);
    ok(a.run(['start', 'Shop', '--phases', 'A,B']));
    ok(await a.runAsync(['sync', 'on', 'origin']));
    ok(await a.runAsync(['sync']));
    ok(await b.runAsync(['sync', 'on', 'origin']));
    ok(b.run(['advance']));
    ok(await b.runAsync(['sync']));
    ok(await a.runAsync(['sync']));
    expect(onlyRun(a.root).phase.name).toBe('B');
  });
});
