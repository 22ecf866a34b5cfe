import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  fakeGit,
  makeHub,
  prepareHub,
  serve,
  silentPort,
  type Hub,
  type TestClone,
} from '../support/clones.ts';
import { onlyRun, stateFiles } from '../support/state.ts';
import { sandbox } from '../support/cli.ts';

function ok(result: { code: number | null; stdout: string; stderr: string }): string {
  if (result.code !== 0) throw new Error(`exit ${result.code}\n${result.stdout}\n${result.stderr}`);
  return result.stdout;
}

/** A clone with sync on and a run that was not sent yet. */
const unsent = prepareHub((hub) => {
  const a = hub.clone('a');
  ok(a.run(['start', 'Shop', '--phases', 'A,B,C']));
  ok(a.run(['sync', 'on', 'origin']));
  return { a, runId: String(onlyRun(a.root).run_id) };
});

/** Refused in one line, and the run is still there and is sent once the cause is gone. */
function refused(result: { code: number | null; stderr: string }, sentence: RegExp): void {
  expect(result.code).toBe(1);
  expect(result.stderr.trim().split('\n')).toHaveLength(1);
  expect(result.stderr).toMatch(sentence);
}

describe('bad input gets a sentence, and nothing is lost', () => {
  it('no git', () => {
    const { a } = unsent();
    const empty = join(a.home, 'empty');
    mkdirSync(empty);
    for (const words of [['sync'], ['sync', 'on', 'origin'], ['sync', 'status'], ['sync', 'off']])
      refused(a.run(words, { code: 1, env: { PATH: empty } }), /git is not on the PATH/);
    ok(a.run(['advance'], { env: { PATH: empty } }));
    expect(onlyRun(a.root).phase.name).toBe('B');
  });

  it('a dry run of a switch, which would switch anyway', () => {
    const { a } = unsent();
    const off = a.run(['sync', 'off', '--dry-run'], { code: 2 });
    expect(off.code).toBe(2);
    expect(off.stderr).toContain("unknown option '--dry-run'");
    expect(ok(a.run(['sync', 'status']))).toContain('origin');
  });

  it.each([
    ['on origin', '--dry-run'],
    ['off', '--dry-run'],
    ['off', '--timeout=5s'],
    ['status', '--dry-run'],
    ['status', '--timeout=5s'],
  ])('`sync %s` with %s, which its help does not have', (command, option) => {
    const { a } = unsent();
    const words = ['sync', ...command.split(' ')];
    const [name = ''] = option.split('=');
    const { code, stderr } = a.run([...words, option], { code: 2 });
    expect(code).toBe(2);
    expect(stderr).toContain(`unknown option '${name}'`);
    expect(ok(a.run([...words, '--help']))).not.toContain(name);
  });

  it('the help of `sync prune` has each option once', () => {
    const help = ok(unsent().a.run(['sync', 'prune', '--help']));
    expect(help.match(/^ +--(?:dry-run|timeout)/gm)).toHaveLength(2);
  });

  it('a git that is too old', () => {
    const { a } = unsent();
    const script = 'case "$*" in *" version") echo "git version 2.20.1"; exit 0;; esac';
    const PATH = fakeGit(join(a.home, 'old'), script);
    refused(a.run(['sync'], { code: 1, env: { PATH } }), /git 2\.20\.1 is too old.*2\.29/);
  });

  it('no repository', () => {
    const box = sandbox();
    rmSync(join(box.root, '.git'), { recursive: true });
    for (const words of [['sync'], ['sync', 'on', 'origin']])
      refused(box.run(words, { code: 1 }), /not in a git repository.*export/);
  });

  it('a repository of another user, which git does not use', () => {
    const { a } = unsent();
    const script = `case "$*" in *" rev-parse "*)
echo "fatal: detected dubious ownership in repository at '${a.root}'" >&2
echo "To add an exception for this directory, call:" >&2
echo "	git config --global --add safe.directory ${a.root}" >&2
exit 128;; esac`;
    const PATH = fakeGit(join(a.home, 'foreign'), script);
    for (const words of [['sync'], ['sync', 'status'], ['sync', 'on', 'origin']])
      refused(
        a.run(words, { code: 1, env: { PATH } }),
        /another user owns it.*safe\.directory \/.*\/a`/,
      );
    ok(a.run(['advance'], { env: { PATH } }));
  });

  it('no such remote, none at all, and one that was removed', () => {
    const { a } = unsent();
    refused(a.run(['sync', 'on', 'backup'], { code: 1 }), /no remote "backup".*origin/);
    a.git('remote', 'remove', 'origin');
    refused(a.run(['sync'], { code: 1 }), /no remote "origin".*git remote add/);
    refused(a.run(['sync', 'on', 'origin'], { code: 1 }), /git remote add/);
    ok(a.run(['sync', 'off']));
    expect(ok(a.run(['sync', 'status']))).toContain('git remote add origin');
  });

  it('an address instead of the name of a remote, and a subcommand that does not exist', () => {
    const { a } = unsent();
    const added = /git remote add runs https:\/\/example\.org\/x\.git.*holdfast sync on runs/;
    refused(a.run(['sync', 'on', 'https://example.org/x.git'], { code: 1 }), added);
    const slip = a.run(['sync', 'onn', 'origin'], { code: 2 });
    expect(slip.code).toBe(2);
    expect(slip.stderr).toMatch(/unknown command 'sync onn'; did you mean `holdfast sync on`\?/);
    expect(a.run(['sync', 'push'], { code: 2 }).stderr).toMatch(
      /unknown command 'sync push'; .*holdfast sync --help/,
    );
  });

  it('sync that is off', () => {
    const a = makeHub().clone('a');
    refused(a.run(['sync'], { code: 1 }), /sync is off.*holdfast sync on origin/);
    refused(a.run(['sync', '--dry-run'], { code: 1 }), /sync is off/);
    expect(ok(a.run(['sync', 'status']))).toContain('holdfast sync on origin');
  });

  it('a timeout that is not one', () => {
    const { a } = unsent();
    for (const time of ['soon', '0s', '5', '-1m'])
      expect(a.run(['sync', `--timeout=${time}`], { code: 2 }).code).toBe(2);
  });

  it('--json has the failure and what was done before it', () => {
    const { a, hub } = unsent();
    rmSync(hub.path, { recursive: true });
    const result = a.run(['sync', '--json'], { code: 1 });
    expect(result.code).toBe(1);
    expect(JSON.parse(result.stdout)).toMatchObject({
      error: { code: 'sync_transport' },
      sync: { sent: [] },
    });
  });
});

describe('a ref that is not a run', () => {
  it('that holds something else stays as it is, and the others are synced', () => {
    const { hub, a, runId } = unsent();
    const b = hub.clone('b');
    const commit = b.git('rev-parse', 'HEAD').trim();
    b.git('push', '-q', 'origin', `${commit}:refs/holdfast/runs/-/notes`);
    expect(ok(a.run(['sync']))).toMatch(/notes: its ref holds something else/);
    expect(hub.git('rev-parse', 'refs/holdfast/runs/-/notes').trim()).toBe(commit);
    expect(hub.git('for-each-ref')).toContain(runId);
    expect(stateFiles(a.root)).toHaveLength(1);
  });

  it('of a newer version is named and left alone', () => {
    const { hub, a, runId } = unsent();
    ok(a.run(['sync']));
    const b = hub.clone('b');
    const ref = `refs/holdfast/runs/-/${runId}`;
    b.git('fetch', '-q', 'origin', `${ref}:refs/heads/run`);
    b.git('checkout', '-q', 'run');
    const run = JSON.parse(readFileSync(join(b.root, 'run.json'), 'utf8'));
    writeFileSync(join(b.root, 'run.json'), JSON.stringify({ ...run, format: 2 }));
    b.git('commit', '-qam', 'newer');
    b.git('push', '-q', 'origin', `HEAD:${ref}`);
    ok(a.run(['update', '--set', 'x=1']));
    expect(ok(a.run(['sync']))).toMatch(/a newer version of holdfast.*update holdfast here/);
    expect(hub.git('rev-parse', ref)).toBe(b.git('rev-parse', 'HEAD'));
    expect(onlyRun(a.root).context).toEqual({ x: 1 });
    expect(a.json(['sync', 'status'])).toMatchObject({ runs: [{ state: 'unreadable' }] });
  });

  it('whose state is of a newer version, and a state file of one, are named and left alone', () => {
    const { hub, a, runId } = unsent();
    ok(a.run(['sync']));
    const [path = ''] = stateFiles(a.root);
    const file = join(a.root, path);
    const newer = readFileSync(file, 'utf8').replace('"schema_version": 1', '"schema_version": 2');
    writeFileSync(file, newer.replace('"workflow": "Shop"', '"workflow": "Shop 2"'));
    const before = hub.git('for-each-ref', 'refs/holdfast');
    for (const words of [['sync'], ['sync', 'status']])
      expect(ok(a.run(words))).toMatch(/a newer version of holdfast wrote it; update holdfast/);
    expect(hub.git('for-each-ref', 'refs/holdfast')).toBe(before);
    expect(readFileSync(file, 'utf8')).toContain('"schema_version": 2');

    const b = hub.clone('b');
    const ref = `refs/holdfast/runs/-/${runId}`;
    b.git('fetch', '-q', 'origin', `${ref}:refs/heads/run`);
    b.git('checkout', '-q', 'run');
    writeFileSync(join(b.root, 'state.json'), newer);
    b.git('commit', '-qam', 'newer');
    b.git('push', '-q', 'origin', `HEAD:${ref}`);
    const c = hub.clone('c');
    expect(c.json(['sync', 'on', 'origin'])).toMatchObject({ arrived: [] });
    expect(ok(c.run(['sync']))).toMatch(/update holdfast here/);
    expect(stateFiles(c.root)).toEqual([]);
  });

  it('that is no commit at all stays as it is', () => {
    const { hub, a, runId } = unsent();
    const blob = a.git('hash-object', '-w', 'README.md').trim();
    a.git('update-ref', `refs/holdfast/runs/-/${runId}`, blob);
    a.git('push', '-q', 'origin', `${blob}:refs/holdfast/runs/-/notes`);
    const synced = ok(a.run(['sync']));
    expect(synced).toMatch(/notes: its ref holds something else/);
    expect(synced).toContain(`${runId}: its ref holds something else`);
    expect(hub.git('rev-parse', 'refs/holdfast/runs/-/notes').trim()).toBe(blob);
    ok(a.run(['advance']));
    expect(a.git('rev-parse', `refs/holdfast/runs/-/${runId}`).trim()).toBe(blob);
    expect(onlyRun(a.root).phase.name).toBe('B');
  });

  it('whose name would lead out of the state folder is ignored', () => {
    const { hub, a } = unsent();
    const b = hub.clone('b');
    b.git('push', '-q', 'origin', 'HEAD:refs/holdfast/runs/-/x`y', 'HEAD:refs/holdfast/runs/-/a/b');
    ok(a.run(['sync']));
    expect(stateFiles(a.root)).toHaveLength(1);
  });
});

describe('a remote', () => {
  /** After the cause is gone, everything is sent. */
  function recovers(a: TestClone, hub: Hub, runId: string): void {
    ok(a.run(['sync']));
    expect(hub.git('for-each-ref', 'refs/holdfast')).toContain(runId);
    expect(onlyRun(a.root).phase.name).toBe('B');
  }

  it('that is offline: the run goes on, is committed here, and is sent later', () => {
    const { hub, a, runId } = unsent();
    const url = a.git('remote', 'get-url', 'origin').trim();
    a.git('remote', 'set-url', 'origin', 'http://127.0.0.1:9/none.git');
    ok(a.run(['advance']));
    refused(a.run(['sync'], { code: 1 }), /origin cannot be reached.*nothing is lost/);
    expect(a.git('show', `refs/holdfast/runs/-/${runId}:state.json`)).toContain('"name": "B"');
    a.git('remote', 'set-url', 'origin', url);
    recovers(a, hub, runId);
  });

  it('that refuses the namespace is quoted', () => {
    const { hub, a, runId } = unsent();
    ok(a.run(['advance']));
    const hook = join(hub.path, 'hooks/pre-receive');
    writeFileSync(hook, '#!/bin/sh\necho "only branches, please" >&2\nexit 1\n', { mode: 0o755 });
    refused(
      a.run(['sync'], { code: 1 }),
      /refused what was sent.*only branches, please.*refs\/holdfast/,
    );
    rmSync(hook);
    recovers(a, hub, runId);
  });

  it('that hides the namespace: who may not push is told so, and who may not see it as well', () => {
    const { hub, a, runId } = unsent();
    ok(a.run(['advance']));
    hub.git('config', 'receive.hideRefs', 'refs/holdfast');
    refused(a.run(['sync'], { code: 1 }), /refused what was sent \(deny updating a hidden ref\)/);
    hub.git('config', '--unset', 'receive.hideRefs');
    hub.git('config', 'uploadpack.hideRefs', 'refs/holdfast');
    ok(a.run(['sync']));
    const told = ok(a.run(['sync']));
    expect(told).toContain(`${runId}: origin has it, but does not list it`);
    expect(told).not.toContain('1 sent');
    hub.git('config', '--unset', 'uploadpack.hideRefs');
    expect(ok(a.run(['sync']))).not.toContain('list it');
    recovers(a, hub, runId);
  });

  it('that is read-only', async () => {
    const { hub, a, runId } = unsent();
    ok(a.run(['advance']));
    const path = a.git('remote', 'get-url', 'origin').trim();
    hub.git('config', 'http.receivepack', 'false');
    a.git('remote', 'set-url', 'origin', await serve(hub));
    refused(
      await a.runAsync(['sync'], { code: 1 }),
      /origin refused what was sent.*nothing is lost/,
    );
    a.git('remote', 'set-url', 'origin', path);
    recovers(a, hub, runId);
  });

  it('that needs a password: nobody is asked, and a credential helper is used', async () => {
    const { hub, a, runId } = unsent();
    ok(a.run(['advance']));
    hub.git('config', 'http.receivepack', 'true');
    const url = await serve(hub, { password: 'hunter2' });
    a.git('remote', 'set-url', 'origin', url);
    const asked = join(a.home, 'asked');
    const askpass = join(a.home, 'askpass');
    writeFileSync(askpass, `#!/bin/sh\ntouch ${asked}\necho hunter2\n`, { mode: 0o755 });
    const env = { GIT_ASKPASS: askpass, SSH_ASKPASS: askpass, DISPLAY: ':0' };
    refused(await a.runAsync(['sync'], { code: 1, env }), /origin asks for a login.*never prompts/);
    expect(() => readFileSync(asked)).toThrow();
    a.git('config', 'credential.helper', '!f() { echo username=ann; echo password=hunter2; }; f');
    ok(await a.runAsync(['sync']));
    expect(hub.git('for-each-ref', 'refs/holdfast')).toContain(runId);
  });

  it('that is too slow is given up', async () => {
    const { a } = unsent();
    a.git('remote', 'set-url', 'origin', `http://127.0.0.1:${await silentPort()}/hub.git`);
    refused(a.run(['sync', '--timeout', '1s'], { code: 1 }), /did not answer in time.*--timeout/);
  });

  it('whose history was replaced is merged again, and what it had is not lost', () => {
    const { hub, a, runId } = unsent();
    ok(a.run(['sync']));
    const ref = `refs/holdfast/runs/-/${runId}`;
    const old = hub.git('rev-parse', ref).trim();
    ok(a.run(['advance']));
    ok(a.run(['sync']));
    hub.git('update-ref', ref, old);
    const b = hub.clone('b');
    ok(b.run(['sync', 'on', 'origin']));
    ok(b.run(['update', '--set', 'from=b']));
    ok(b.run(['sync']));
    expect(ok(a.run(['sync']))).toContain('History replaced on the remote');
    ok(b.run(['sync']));
    for (const clone of [a, b])
      expect(onlyRun(clone.root)).toMatchObject({ phase: { name: 'B' }, context: { from: 'b' } });
  });

  it('that is fetched with a forced refspec: doctor names it, its fix protects every ref, and without it nothing is lost', () => {
    const { hub, a, runId } = unsent();
    ok(a.run(['sync']));
    a.git('checkout', '-q', '--detach');
    a.git('config', '--add', 'remote.origin.fetch', '+refs/*:refs/*');
    const refs = (): string => a.git('for-each-ref', 'refs/holdfast', 'refs/worktree');
    ok(a.run(['advance']));
    a.git('fetch', '-q', '--prune', 'origin');
    expect(refs()).not.toContain('refs/worktree');
    expect(ok(a.run(['sync']))).toContain('1 sent');
    recovers(a, hub, runId);
    const finding = (): string => a.run(['doctor'], { code: 1 }).stdout;
    const [fix = ''] = /(?<=fix: )git config --add remote\.origin\.fetch.*/.exec(finding()) ?? [];
    execFileSync('sh', ['-c', fix], { cwd: a.root });
    expect(finding()).not.toContain('can replace runs');
    ok(a.run(['update', '--set', 'x=1']));
    const before = refs();
    a.git('fetch', '-q', '--prune', 'origin');
    expect(refs()).toBe(before);
  });

  it('that lost a run gets it back', () => {
    const { hub, a, runId } = unsent();
    ok(a.run(['sync']));
    hub.git('update-ref', '-d', `refs/holdfast/runs/-/${runId}`);
    ok(a.run(['advance']));
    recovers(a, hub, runId);
  });

  it('that another machine writes to during each try is given up after three, and nothing is lost', () => {
    const { hub, a, runId } = unsent();
    ok(a.run(['sync']));
    const b = hub.clone('b');
    ok(b.run(['sync', 'on', 'origin']));
    const ref = `refs/holdfast/runs/-/${runId}`;
    const url = b.git('remote', 'get-url', 'origin').trim();
    b.git('remote', 'set-url', 'origin', join(hub.base, 'away.git'));
    for (const n of [1, 2, 3]) {
      ok(b.run(['update', '--set', `n=${n}`]));
      refused(b.run(['sync'], { code: 1 }), /cannot be reached/);
      b.git('tag', `change-${n}`, ref);
    }
    b.git('remote', 'set-url', 'origin', url);
    ok(a.run(['advance']));
    // Before each push of a, b pushes its next change.
    const script = `case "$*" in *" push "*) n=$(($(cat ${a.home}/n 2>/dev/null || echo 0)+1)); echo $n > ${a.home}/n
"$real" -C ${b.root} push -q origin change-$n:${ref} || exit 99;; esac`;
    const PATH = fakeGit(join(a.home, 'busy'), script);
    refused(
      a.run(['sync'], { code: 1, env: { PATH } }),
      /other machines changed .* each of 3 tries/,
    );
    ok(a.run(['sync']));
    ok(b.run(['sync']));
    for (const clone of [a, b])
      expect(onlyRun(clone.root)).toMatchObject({ phase: { name: 'B' }, context: { n: 3 } });
    expect(hub.git('for-each-ref')).toContain(runId);
  });
});

/** Each call can be killed before and after git has done its work: both in CI, otherwise one of seven, in turn. */
const STRIDE = process.env['HOLDFAST_TEST_SCALE'] === '1' ? 1 : 7;

describe('killed at any call of git', () => {
  /** Both have changed the run, and a has sent its change. */
  const diverged = prepareHub((hub) => {
    const [a, b] = [hub.clone('a'), hub.clone('b')];
    ok(a.run(['start', 'Shop', '--phases', 'A,B,C']));
    ok(a.run(['sync', 'on', 'origin']));
    ok(a.run(['sync']));
    ok(b.run(['sync', 'on', 'origin']));
    ok(a.run(['update', '--set', 'a=1', '--set', 'both=a']));
    ok(a.run(['sync']));
    ok(b.run(['update', '--set', 'b=1', '--set', 'both=b']));
    return { a, b };
  });

  it('nothing is lost, and the next sync finishes', () => {
    let isKilled = true;
    let moment = 0;
    for (; isKilled && moment < 160; moment += STRIDE) {
      const { a, b, hub } = diverged();
      const counter = join(b.home, 'count');
      writeFileSync(counter, '0');
      // Kills holdfast itself as well.
      const call = 1 + Math.floor(moment / 2);
      const after = moment % 2 === 1 ? '"$real" "$@" >/dev/null 2>&1 <&0;' : '';
      const script = `n=$(($(cat ${counter})+1)); echo $n > ${counter}
if [ $n -eq ${call} ]; then ${after} kill -9 $PPID; kill -9 $$; fi`;
      const PATH = fakeGit(join(b.home, 'deadly'), script);
      const { code } = b.run(['sync'], { code: 'any', env: { PATH } });
      isKilled = code === null;
      ok(b.run(['sync']));
      ok(a.run(['sync']));
      for (const clone of [a, b]) expect(onlyRun(clone.root).context).toMatchObject({ a: 1, b: 1 });
      expect(onlyRun(a.root).context).toEqual(onlyRun(b.root).context);
      expect(b.json(['sync', 'status'])).toMatchObject({ runs: [{ state: 'in_step' }] });
      b.git('fsck', '--strict');
      rmSync(hub.base, { recursive: true });
    }
    expect(isKilled).toBe(false);
    expect(moment).toBeGreaterThan(20);
  }, 600_000);
});
