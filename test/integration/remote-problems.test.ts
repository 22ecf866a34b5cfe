import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sandbox } from '../support/cli.ts';
import {
  exchange,
  expectRefusal as refused,
  fakeGit,
  makeHub,
  ok,
  prepareHub,
  serve,
  silentPort,
  unsentRun,
  type Hub,
  type TestClone,
} from '../support/clones.ts';
import { scale } from '../support/repetitions.ts';
import { onlyRun, stateFiles } from '../support/state.ts';

const unsent = prepareHub(unsentRun);

describe('bad input gets a sentence, and nothing is lost', () => {
  it('no git', () => {
    const { a } = unsent();
    const empty = join(a.home, 'empty');
    mkdirSync(empty);
    for (const words of [
      ['sync'],
      ['sync', 'on', 'origin'],
      ['sync', 'status'],
      ['sync', 'off'],
    ])
      refused(
        a.run(words, { code: 1, env: { PATH: empty } }),
        /git is not on the PATH/,
      );
    ok(a.run(['advance'], { env: { PATH: empty } }));
    expect(onlyRun(a.root).phase.name).toBe('B');
  });

  it('options that a subcommand does not have, and times that are none', () => {
    const { a } = unsent();
    for (const [command, option] of [
      ['on origin', '--dry-run'],
      ['off', '--dry-run'],
      ['off', '--timeout=5s'],
      ['status', '--dry-run'],
    ] as const) {
      const words = ['sync', ...command.split(' ')];
      const { stderr } = a.run([...words, option], { code: 2 });
      expect(stderr).toContain(`unknown option '${option.replace(/=.*/, '')}'`);
    }
    expect(ok(a.run(['sync', 'status']))).toContain('origin');
    const help = ok(a.run(['sync', 'prune', '--help']));
    expect(help.match(/^ +--(?:dry-run|timeout)/gm)).toHaveLength(2);
    for (const time of ['soon', '0s', '5', '-1m'])
      expect(a.run(['sync', `--timeout=${time}`], { code: 2 }).code).toBe(2);
  });

  it('a git that is too old', () => {
    const { a } = unsent();
    const script = `case "$*" in *" fetch "*) echo "error: unknown option \\\`no-write-fetch-head'" >&2; exit 129;; esac`;
    const PATH = fakeGit(join(a.home, 'old'), script);
    refused(
      a.run(['sync'], { code: 1, env: { PATH } }),
      /git is too old.*2\.29/,
    );
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
    for (const words of [
      ['sync'],
      ['sync', 'status'],
      ['sync', 'on', 'origin'],
    ])
      refused(
        a.run(words, { code: 1, env: { PATH } }),
        /another user owns it.*safe\.directory \/.*\/a`/,
      );
    ok(a.run(['advance'], { env: { PATH } }));
  });

  it('no such remote, none at all, an address, and one that was renamed or removed', () => {
    const { a } = unsent();
    refused(
      a.run(['sync', 'on', 'backup'], { code: 1 }),
      /no remote "backup".*sync on origin` uses origin/,
    );
    const added =
      /git remote add runs https:\/\/example\.org\/x\.git.*holdfast sync on runs/;
    refused(
      a.run(['sync', 'on', 'https://example.org/x.git'], { code: 1 }),
      added,
    );
    a.git('remote', 'rename', 'origin', 'up');
    for (const words of [['sync'], ['sync', 'status']])
      refused(
        a.run(words, { code: 1 }),
        /no remote "origin" any more.*type `holdfast sync on up` in/,
      );
    a.git('remote', 'remove', 'up');
    refused(
      a.run(['sync'], { code: 1 }),
      /git remote add origin <address>`, or type `holdfast sync off`/,
    );
    refused(
      a.run(['sync', 'on', 'nope'], { code: 1 }),
      /git remote add nope <address>/,
    );
    expect(ok(a.run(['sync', 'off']))).toContain(
      '`holdfast sync on <remote>` continues',
    );
    expect(ok(a.run(['sync', 'status']))).toContain('git remote add origin');
  });

  it('a subcommand that does not exist', () => {
    const { a } = unsent();
    const slip = a.run(['sync', 'onn', 'origin'], { code: 2 });
    expect(slip.stderr).toMatch(
      /unknown command 'sync onn'; did you mean `holdfast sync on`\?/,
    );
    expect(a.run(['sync', 'push'], { code: 2 }).stderr).toMatch(
      /holdfast sync --help/,
    );
  });

  it('sync that is off', () => {
    const a = makeHub().clone('a');
    const off = /sync is off.*`holdfast sync on origin` in a terminal/;
    for (const words of [['sync'], ['sync', '--dry-run']])
      refused(a.run(words, { code: 1 }), off);
    expect(ok(a.run(['sync', 'status']))).toContain('holdfast sync on origin');
    expect(
      JSON.parse(a.run(['sync', '--json'], { code: 1 }).stdout),
    ).toMatchObject({
      error: { code: 'sync_is_off' },
    });
  });
});

describe('a ref that is not a run', () => {
  /** Pushes a commit to the ref of a run, with another content of one of its files, or at another time. */
  function rewrite(
    b: TestClone,
    ref: string,
    file: string,
    edit: (text: string) => string,
  ): string {
    b.git('fetch', '-q', 'origin', ref);
    b.git('checkout', '-q', 'FETCH_HEAD');
    const path = join(b.root, file);
    writeFileSync(path, edit(readFileSync(path, 'utf8')));
    b.git('commit', '-qam', 'in_progress');
    b.git('push', '-q', 'origin', `HEAD:${ref}`);
    return b.git('rev-parse', 'HEAD');
  }

  it('stays as it is, is named, and never stops the others', () => {
    const { hub, a, runId, ref } = unsent();
    const b = hub.clone('b');
    const folder = ref.replace(/[^/]*$/, '');
    const commit = b.git('rev-parse', 'HEAD').trim();
    const blob = b.git('hash-object', '-w', 'README.md').trim();
    // A commit of a time that no calendar has, and a file that does not fit into memory a hundred times.
    const tree = b.git('rev-parse', 'HEAD^{tree}').trim();
    const late = `tree ${tree}\nauthor x <x@x> 99999999999999 +0000\ncommitter x <x@x> 99999999999999 +0000\n\nx\n`;
    writeFileSync(join(b.home, 'late'), late);
    const future = b.git(
      'hash-object',
      '-t',
      'commit',
      '-w',
      '--literally',
      join(b.home, 'late'),
    );
    writeFileSync(join(b.root, 'run.json'), '{"format":1}');
    writeFileSync(join(b.root, 'state.json'), ' '.repeat(21_000_000));
    b.git('add', 'run.json', 'state.json');
    b.git('commit', '-qm', 'large');
    b.git(
      'push',
      '-q',
      'origin',
      `${commit}:${folder}notes`,
      `${blob}:${folder}blob`,
      `${future.trim()}:${folder}future`,
      `HEAD:${folder}large`,
      `HEAD:${folder}x\`y`,
      `HEAD:${folder}a/b`,
    );
    const refs = hub.git('for-each-ref', folder);
    const synced = ok(a.run(['sync']));
    expect(synced).toContain('1 sent');
    for (const name of ['notes', 'blob', 'future'])
      expect(synced).toContain(
        `${name}: its ref holds something else, which stays as it is`,
      );
    expect(synced).toContain('large: it is larger than any run');
    expect(stateFiles(a.root)).toHaveLength(1);
    expect(hub.git('for-each-ref', folder).split('\n')).toEqual(
      expect.arrayContaining(refs.trim().split('\n')),
    );
    expect(a.json(['sync', 'prune', '--dry-run'])).toMatchObject({
      pruned: [],
    });
    // Here, too.
    a.git('update-ref', ref, blob, '--no-deref');
    expect(ok(a.run(['sync']))).toContain(
      `${runId}: its ref holds something else`,
    );
    ok(a.run(['advance']));
    expect(onlyRun(a.root).phase.name).toBe('B');
  });

  it('is printed with nine others at most; the rest is counted', () => {
    const { hub, a, ref } = unsent();
    const b = hub.clone('b');
    const names = Array.from({ length: 14 }, (_, at) =>
      ref.replace(/[^/]*$/, `foreign-${at}`),
    );
    b.git('push', '-q', 'origin', ...names.map((name) => `HEAD:${name}`));
    const report = a.json(['sync']);
    expect(report).toMatchObject({ sent: [expect.any(String)] });
    expect(report['skipped']).toHaveLength(14);
    for (const words of [['sync'], ['sync', 'status']]) {
      const printed = ok(a.run(words));
      expect(printed.match(/foreign-\d+/g)).toHaveLength(10);
      expect(printed).toContain('and 4 more');
    }
  });

  it('but lies below the name of a run is named as what is in the way of that run', () => {
    const { hub, a, runId, ref } = unsent();
    const b = hub.clone('b');
    b.git('push', '-q', 'origin', `HEAD:${ref}/notes`);
    ok(
      a.run(['start', 'Other', '--phases', 'A,B'], {
        session: 'another-session',
      }),
    );
    const inTheWay = `${runId}: origin has ${ref}/notes, and git allows no ref above another one; \`git push origin --delete ${ref}/notes\` removes it`;
    const synced = ok(a.run(['sync']));
    expect(synced).toContain('1 sent');
    expect(synced).toContain(inTheWay);
    expect(ok(a.run(['sync', 'status']))).toContain(
      `git push origin --delete ${ref}/notes`,
    );
    expect(hub.git('rev-parse', `${ref}/notes`)).toBe(
      b.git('rev-parse', 'HEAD'),
    );
    a.git('push', '-q', 'origin', '--delete', `${ref}/notes`);
    expect(ok(a.run(['sync']))).toContain('1 sent');
    expect(hub.git('for-each-ref', 'refs/holdfast')).toContain(`${ref}\n`);
  });

  it('but lies below the name of a run is no command that holdfast proposes', () => {
    const { hub, a, ref } = unsent();
    const below = `${ref}/\`curl\${IFS}x|sh\``;
    hub.clone('b').git('push', '-q', 'origin', `HEAD:${below}`);
    for (const words of [['sync'], ['sync', 'status']]) {
      const printed = ok(a.run(words));
      expect(printed).toContain(`origin has "${below.replaceAll('`', "'")}"`);
      expect(printed).not.toContain('`curl');
    }
  });

  it('and so are runs that are new here', () => {
    const { hub, a, ref, runId } = unsent();
    ok(a.run(['sync']));
    const b = hub.clone('b');
    b.git('fetch', '-q', 'origin', ref);
    b.git('checkout', '-q', 'FETCH_HEAD');
    const path = join(b.root, 'state.json');
    const text = readFileSync(path, 'utf8');
    for (let at = 0; at < 12; at += 1) {
      writeFileSync(path, text.replaceAll(runId, `foreign-${at}`));
      b.git('commit', '-qam', 'in_progress');
      b.git(
        'push',
        '-q',
        'origin',
        `HEAD:${ref.replace(runId, `foreign-${at}`)}`,
      );
    }
    const printed = ok(a.run(['sync']));
    expect(printed).toContain('12 new here');
    expect(printed.match(/^ +foreign-\d+:/gm)).toHaveLength(10);
    expect(printed).toContain('and 2 more');
  });

  it.each<[what: string, file: string, edit: (text: string) => string]>([
    [
      'format',
      'run.json',
      (text) => text.replace('"format": 1', '"format": 2'),
    ],
    [
      'state',
      'state.json',
      (text) => text.replace('"schema_version": 1', '"schema_version": 2'),
    ],
  ])(
    'but a run of a newer version, by its %s, is named and left alone',
    (_what, file, edit) => {
      const { hub, a, ref } = unsent();
      ok(a.run(['sync']));
      const newer = rewrite(hub.clone('b'), ref, file, edit);
      ok(a.run(['update', '--set', 'x=1']));
      expect(ok(a.run(['sync']))).toMatch(
        /a newer version of holdfast.*update holdfast here/,
      );
      expect(hub.git('rev-parse', ref)).toBe(newer);
      expect(onlyRun(a.root).context).toEqual({ x: 1 });
      expect(a.json(['sync', 'status'])).toMatchObject({
        runs: [{ state: 'unreadable' }],
      });
      const c = hub.clone('c');
      expect(c.json(['sync', 'on', 'origin'])).toMatchObject({ arrived: [] });
    },
  );

  it('but a run under the name of another does not come in', () => {
    const { hub, a, ref } = unsent();
    ok(a.run(['sync']));
    hub.git('update-ref', ref.replace(/[^/]*$/, 'other'), ref);
    const b = hub.clone('b');
    expect(ok(b.run(['sync', 'on', 'origin']))).toContain('New here');
    expect(stateFiles(b.root)).toHaveLength(1);
  });
});

describe('a remote', () => {
  /** After the cause is gone, everything is sent. */
  function recovers(a: TestClone, hub: Hub, runId: string): void {
    ok(a.run(['sync']));
    expect(hub.git('for-each-ref', 'refs/holdfast')).toContain(runId);
    expect(onlyRun(a.root).phase.name).toBe('B');
  }

  it('that is offline, or whose address starts a program: the run goes on and is sent later', () => {
    const { hub, a, runId } = unsent();
    const url = a.git('remote', 'get-url', 'origin').trim();
    ok(a.run(['advance']));
    a.git('remote', 'set-url', 'origin', 'http://127.0.0.1:9/none.git');
    refused(
      a.run(['sync'], { code: 1 }),
      /origin cannot be reached.*nothing is lost/,
    );
    const result = JSON.parse(a.run(['sync', '--json'], { code: 1 }).stdout);
    expect(result).toMatchObject({ error: { code: 'sync_transport' } });
    a.git('config', 'protocol.ext.allow', 'always');
    a.git('remote', 'set-url', 'origin', `ext::sh -c "touch ${a.home}/ran"`);
    refused(
      a.run(['sync'], { code: 1 }),
      /an address that `holdfast sync` does not use.*http/,
    );
    expect(existsSync(join(a.home, 'ran'))).toBe(false);
    a.git('remote', 'set-url', 'origin', url);
    recovers(a, hub, runId);
  });

  it('that refuses the namespace is quoted', () => {
    const { hub, a, runId } = unsent();
    ok(a.run(['advance']));
    const hook = join(hub.path, 'hooks/pre-receive');
    writeFileSync(
      hook,
      '#!/bin/sh\necho "only branches, please" >&2\nexit 1\n',
      { mode: 0o755 },
    );
    refused(
      a.run(['sync'], { code: 1 }),
      /refused what was sent.*only branches, please.*refs\/holdfast/,
    );
    rmSync(hook);
    recovers(a, hub, runId);
  });

  it('that has a ref where the folder of runs should be: the ref is named', () => {
    const { hub, a, runId } = unsent();
    ok(a.run(['advance']));
    hub.git('update-ref', 'refs/holdfast/runs', 'HEAD');
    refused(
      a.run(['sync'], { code: 1 }),
      /origin has a ref in the way.*'refs\/holdfast\/runs' exists.*git push origin --delete/,
    );
    hub.git('update-ref', '-d', 'refs/holdfast/runs');
    recovers(a, hub, runId);
  });

  it('that hides the namespace: who may not push is told so, and who may not see it as well', () => {
    const { hub, a, runId } = unsent();
    ok(a.run(['advance']));
    hub.git('config', 'receive.hideRefs', 'refs/holdfast');
    refused(
      a.run(['sync'], { code: 1 }),
      /refused what was sent \("deny updating a hidden ref"\)/,
    );
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
    writeFileSync(askpass, `#!/bin/sh\ntouch ${asked}\necho hunter2\n`, {
      mode: 0o755,
    });
    const env = { GIT_ASKPASS: askpass, SSH_ASKPASS: askpass, DISPLAY: ':0' };
    refused(
      await a.runAsync(['sync'], { code: 1, env }),
      /origin asks for a login.*never prompts/,
    );
    expect(() => readFileSync(asked)).toThrow();
    a.git(
      'config',
      'credential.helper',
      '!f() { echo username=ann; echo password=hunter2; }; f',
    );
    ok(await a.runAsync(['sync']));
    expect(hub.git('for-each-ref', 'refs/holdfast')).toContain(runId);
  });

  it('that is too slow is given up', async () => {
    const { a } = unsent();
    a.git(
      'remote',
      'set-url',
      'origin',
      `http://127.0.0.1:${await silentPort()}/hub.git`,
    );
    refused(
      a.run(['sync', '--timeout', '1s'], { code: 1 }),
      /did not answer in time.*--timeout/,
    );
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
      expect(onlyRun(clone.root)).toMatchObject({
        phase: { name: 'B' },
        context: { from: 'b' },
      });
  });

  it('that is fetched with a forced refspec: nothing is lost', () => {
    const { hub, a, runId } = unsent();
    ok(a.run(['sync']));
    a.git('checkout', '-q', '--detach');
    a.git('config', '--add', 'remote.origin.fetch', '+refs/*:refs/*');
    const refs = (): string =>
      a.git('for-each-ref', 'refs/holdfast', 'refs/worktree');
    ok(a.run(['advance']));
    a.git('fetch', '-q', '--prune', 'origin');
    expect(refs()).not.toContain('refs/worktree');
    expect(ok(a.run(['sync']))).toContain('1 sent');
    recovers(a, hub, runId);
  });

  it('that lost a run gets it back', () => {
    const { hub, a, runId } = unsent();
    ok(a.run(['sync']));
    hub.git('update-ref', '-d', `refs/holdfast/runs/-/${runId}`);
    ok(a.run(['advance']));
    recovers(a, hub, runId);
  });

  it('that another machine writes to during each try is given up after three, and nothing is lost', () => {
    const { hub, a, ref } = unsent();
    ok(a.run(['sync']));
    const b = hub.clone('b');
    ok(b.run(['sync', 'on', 'origin']));
    const away = join(hub.base, 'away.git');
    cpSync(hub.path, away, { recursive: true });
    b.git('remote', 'set-url', 'origin', away);
    for (const n of [1, 2, 3]) {
      ok(b.run(['update', '--set', `n=${n}`]));
      ok(b.run(['sync']));
      b.git('tag', `change-${n}`, ref);
    }
    b.git('remote', 'set-url', 'origin', hub.path);
    ok(a.run(['advance']));
    // Before each push of a, b pushes its next change.
    const script = `case "$*" in *" push "*) n=$(($(cat ${a.home}/n 2>/dev/null || echo 0)+1)); echo $n > ${a.home}/n
"$real" -C ${b.root} push -q origin change-$n:${ref} || exit 99;; esac`;
    const PATH = fakeGit(join(a.home, 'busy'), script);
    refused(
      a.run(['sync'], { code: 1, env: { PATH } }),
      /other machines changed .* each of 3 tries/,
    );
    exchange(a, b);
    for (const clone of [a, b])
      expect(onlyRun(clone.root)).toMatchObject({
        phase: { name: 'B' },
        context: { n: 3 },
      });
  });
});

/** Each call can be killed before and after git has done its work: one of three such moments in CI, else one of 27. */
const STRIDE = scale >= 1 ? 3 : 27;

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
      const { code } = b.run(['sync'], {
        code: 'any',
        ownProcess: true,
        env: { PATH },
      });
      isKilled = code === null;
      ok(b.run(['sync']));
      ok(a.run(['sync']));
      for (const clone of [a, b])
        expect(onlyRun(clone.root).context).toMatchObject({ a: 1, b: 1 });
      expect(onlyRun(a.root).context).toEqual(onlyRun(b.root).context);
      expect(b.json(['sync', 'status'])).toMatchObject({
        runs: [{ state: 'in_step' }],
      });
      b.git('fsck', '--strict');
      rmSync(hub.base, { recursive: true });
    }
    expect(isKilled).toBe(false);
    expect(moment).toBeGreaterThan(20);
  }, 600_000);
});
