import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  exchange,
  makeHub,
  ok,
  prepareHub,
  untouched,
  type TestClone,
} from '../support/clones.ts';
import { archived, onlyRun, stateFiles } from '../support/state.ts';

const SESSION = '0199b8a4-7c7e-7e5d-8f6d-3a5d5f0e9a11';
const OTHER = 'ffff0000-7c7e-7e5d-8f6d-3a5d5f0e9a22';
const TOKEN = ['ghp', 'abcdefghijklmnopqrstuvwxyz0123456789'].join('_');

/** Two clones with sync on, and a run that both have and a session of the first holds. */
const pair = prepareHub((hub) => {
  const [a, b] = [hub.clone('a'), hub.clone('b')];
  ok(
    a.run(['start', 'User Auth', '--phases', 'Design,Build,Ship'], {
      session: SESSION,
    }),
  );
  ok(a.run(['sync', 'on', 'origin']));
  ok(a.run(['sync']));
  const shown = ok(b.run(['sync', 'on', 'origin']));
  const runId = String(onlyRun(a.root).run_id);
  return { a, b, runId, shown, ref: `refs/holdfast/runs/-/${runId}` };
});

function recordOf(clone: TestClone, runId: string): unknown {
  const path = join(clone.root, `untracked/workflow-archive/${runId}.json`);
  return JSON.parse(readFileSync(path, 'utf8'));
}

describe('two clones', () => {
  it('a fresh clone goes on where the other stopped', () => {
    const { a, b, runId, shown } = pair();
    const slash = `\`/holdfast:resume ${runId}\` in Claude Code`;
    expect(shown).toMatch(
      /^Sync is on with origin in this clone\. Nothing was sent\.\n\nNew here/,
    );
    expect(shown).toContain(
      `  ${runId}: \`holdfast init\`, then ${slash} continues it`,
    );
    expect(shown).toContain(`Next: \`holdfast init\`, then ${slash};`);
    expect(onlyRun(b.root)).toMatchObject({
      run_id: runId,
      workflow: 'User Auth',
      phase: { current: 1, total: 3, name: 'Design' },
    });
    ok(b.run(['resume', runId], { session: OTHER }));
    ok(
      b.run(['advance', '--output', `wrote ${b.root}/src/api.ts`], {
        session: OTHER,
      }),
    );
    exchange(b, a);
    expect(onlyRun(a.root)).toMatchObject({
      phase: { current: 2, name: 'Build' },
      outputs: { '1': { text: 'wrote src/api.ts' } },
    });
  });

  it('a plan from outside the project, as one that was accepted in plan mode, goes with its run', () => {
    const hub = makeHub();
    const [a, b] = [hub.clone('a'), hub.clone('b')];
    const plan = '# Retry queue\n\n1. Store jobs\n2. Retry\n';
    writeFileSync(join(a.home, 'moth.md'), plan);
    ok(a.run(['start', '--from-plan=~/moth.md']));
    ok(a.run(['sync', 'on', 'origin']));
    ok(a.run(['sync']));
    ok(b.run(['sync', 'on', 'origin']));
    ok(b.run(['resume', 'retry-queue'], { session: OTHER }));
    const path = 'untracked/workflow-state/retry-queue/moth.md';
    expect(readFileSync(join(b.root, path), 'utf8')).toBe(plan);
    expect(ok(b.run(['guidance'], { session: OTHER }))).toContain(`@${path}`);
  });

  it('`sync on` shows every field that will leave and sends nothing; status and dry run say what changed', () => {
    const hub = makeHub();
    const a = hub.clone('a');
    const empty = ok(a.run(['sync', 'on', 'origin']));
    expect(empty).toMatch(
      /There is nothing new on origin\..*There is no run here yet\./s,
    );
    ok(
      a.run([
        'start',
        'User Auth',
        '--remind',
        'ask first',
        '--set',
        'ticket=42',
      ]),
    );
    const shown = ok(a.run(['sync', 'on', 'origin']));
    expect(shown).toMatch(
      /^Sync is on with origin in this clone\. Nothing was sent\./,
    );
    for (const text of [
      'workflow',
      'key_reminders',
      'ask first',
      'context.ticket',
      '42',
    ])
      expect(shown).toContain(text);
    expect(shown).toContain('Never leaves this machine');
    const refs = (): string =>
      a.git('for-each-ref', 'refs/holdfast', 'refs/worktree');
    expect(refs()).toBe('');
    expect(ok(a.run(['sync', 'status']))).toMatch(
      /user-auth-\S+ +to send +new\n/,
    );
    expect(a.json(['sync', '--dry-run'])).toMatchObject({
      would_send: [{ is_new: true }],
    });
    expect(ok(a.run(['sync']))).toBe('Synced with origin: 1 sent.\n');
    const before = refs();
    ok(a.run(['update', '--set', 'ticket=43']));
    expect(ok(a.run(['sync', 'status']))).toMatch(
      /to send +context, journal\n/,
    );
    expect(ok(a.run(['sync', '--dry-run']))).toMatch(
      /to send +context, journal\n/,
    );
    // Only a sync makes commits.
    expect(refs()).toBe(before);
    ok(a.run(['sync']));
    expect(ok(a.run(['sync', 'on', 'origin']))).toMatch(
      /user-auth-\S+ +in step\n/,
    );
  });

  it('different fields merge, lists unite, and of two values the holder’s wins; the other is told once and kept', () => {
    const { a, b, runId } = pair();
    const fromA = ['--remind', 'from a', '--set', 'x=1', '--set', 'owner=ann'];
    const fromB = [
      '--remind',
      'from b',
      '--set',
      'y=2',
      '--set',
      'owner=bob',
      '--read',
      'b.md',
    ];
    ok(a.run(['update', ...fromA], { session: SESSION }));
    ok(b.run(['update', ...fromB]));
    ok(b.run(['sync']));
    expect(ok(a.run(['sync']))).toMatch(/context\.owner: kept "ann".*"bob"/);
    ok(b.run(['sync']));
    for (const clone of [a, b]) {
      const run = onlyRun(clone.root);
      expect(run.context).toEqual({ x: 1, y: 2, owner: 'ann' });
      expect(new Set(run.key_reminders)).toEqual(new Set(['from a', 'from b']));
      expect(run.required_reading).toEqual(['@b.md']);
      expect(ok(clone.run(['status', '--look']))).toContain('context.owner');
      expect(ok(clone.run(['status']))).toMatch(
        /context\.owner.*kept "ann".*"bob"/,
      );
      expect(ok(clone.run(['status']))).not.toContain('kept "ann"');
      expect(ok(clone.run(['history', runId]))).toMatch(
        /context\.owner.*"ann".*"bob"/,
      );
    }
    expect(a.json(['sync', 'status'])).toMatchObject({
      runs: [{ state: 'in_step' }],
    });
  });

  it('the repository stays as it is, no hook of it runs, equal content makes no commit, and commits have a fixed author', () => {
    const { a, b, ref } = pair();
    for (const clone of [a, b]) {
      writeFileSync(join(clone.root, 'README.md'), '# changed\n');
      clone.git('stash', '-q');
      writeFileSync(join(clone.root, 'README.md'), '# again\n');
      writeFileSync(join(clone.root, 'new.txt'), 'x');
      clone.git('add', 'new.txt');
      clone.git('config', 'core.logAllRefUpdates', 'always');
      for (const hook of [
        'pre-push',
        'reference-transaction',
        'post-commit',
        'post-checkout',
      ])
        writeFileSync(
          join(clone.root, '.git/hooks', hook),
          `#!/bin/sh\ntouch "${clone.home}/ran"\nexit 1\n`,
          { mode: 0o755 },
        );
    }
    const before = [a, b].map(untouched);
    for (const clone of [a, b])
      rmSync(join(clone.home, 'ran'), { force: true });
    for (const clone of [a, b]) ok(clone.run(['update', '--set', 'x=1']));
    exchange(a, b);
    const sent = b.git('rev-parse', ref);
    ok(b.run(['status']));
    exchange(a, b);
    for (const { home, git } of [a, b]) {
      expect(existsSync(join(home, 'ran'))).toBe(false);
      expect(git('rev-parse', ref)).toBe(sent);
    }
    expect([a, b].map(untouched)).toEqual(before);
    expect(onlyRun(b.root).context).toEqual({ x: 1 });
    expect(
      new Set(a.git('log', '--format=%an %ae %cn %ce', ref).trim().split('\n')),
    ).toEqual(
      new Set(['holdfast holdfast@localhost holdfast holdfast@localhost']),
    );
  });

  it('a state file that was written by hand is synced, and one that was deleted by hand stays away', () => {
    const { a, b } = pair();
    rmSync(join(b.root, 'untracked'), { recursive: true });
    ok(a.run(['update', '--set', 'x=1']));
    const folder = join(a.root, 'untracked/workflow-state/release');
    const state = {
      workflow: 'Release',
      phase: '2/3 - Build',
      mine: [1],
      run_id: '.odd.lock',
    };
    mkdirSync(folder);
    writeFileSync(
      join(folder, 'state-release-20250101_000000.json'),
      JSON.stringify(state),
    );
    exchange(a, b);
    const [copy = '', ...others] = stateFiles(b.root);
    expect(others).toEqual([]);
    expect(JSON.parse(readFileSync(join(b.root, copy), 'utf8'))).toMatchObject({
      workflow: 'Release',
      phase: { current: 2, total: 3, name: 'Build' },
      mine: [1],
    });
    expect(stateFiles(a.root)).toHaveLength(2);
    expect(b.json(['sync', 'status'])).toMatchObject({
      runs: expect.arrayContaining([
        expect.objectContaining({ state: 'removed_here' }),
      ]),
    });
    ok(b.run(['sync', 'on', 'origin']));
    expect(stateFiles(b.root)).toHaveLength(2);
  });
});

describe('a run that ended', () => {
  it('ends on the other machine with the work done there, does not come to a fresh clone, and comes back when reopened', () => {
    const { hub, a, b, runId, ref } = pair();
    ok(a.run(['complete', runId]));
    expect(ok(a.run(['sync', 'on', 'origin']))).toMatch(
      /to send .*ended_early.*journal\n/,
    );
    ok(a.run(['sync']));
    ok(b.run(['update', '--set', 'found=a bug']));
    expect(ok(b.run(['sync']))).toContain('Ended on another machine');
    ok(a.run(['sync']));
    const fresh = hub.clone('fresh');
    ok(fresh.run(['sync', 'on', 'origin']));
    ok(fresh.run(['sync']));
    expect(stateFiles(fresh.root)).toEqual([]);
    for (const clone of [a, b]) {
      expect(stateFiles(clone.root)).toEqual([]);
      const kept = { status: 'completed', context: { found: 'a bug' } };
      expect(recordOf(clone, runId)).toMatchObject(kept);
      expect(ok(clone.run(['sync', 'status']))).toContain('1 run ended.');
    }
    expect(
      hub.git('for-each-ref', '--format=%(refname)', 'refs/holdfast').trim(),
    ).toBe(ref);
    ok(b.run(['reopen', runId]));
    expect(ok(b.run(['sync', 'status']))).toMatch(
      /to send .*\bstatus\b.*\bjournal\n/,
    );
    exchange(b, a, fresh);
    for (const clone of [a, fresh])
      expect(onlyRun(clone.root)).toMatchObject({
        run_id: runId,
        status: 'in_progress',
      });
    expect(archived(a.root)).toEqual([]);
  });

  it('and was purged, while sync was off and with a secret, ends on the other machine without it', () => {
    const { a, b, runId } = pair();
    ok(a.run(['sync', 'off']));
    ok(a.run(['advance', '--output', `key ${TOKEN}`], { session: SESSION }));
    ok(a.run(['complete', runId, '--purge'], { session: SESSION }));
    ok(a.run(['start', 'Unsent'], { session: OTHER }));
    ok(a.run(['complete', '--purge'], { session: OTHER }));
    ok(a.run(['sync', 'on', 'origin']));
    expect(ok(a.run(['sync', '--dry-run']))).toMatch(
      /to send +phase, status, journal\n/,
    );
    expect(ok(a.run(['sync']))).toContain('1 sent');
    expect(ok(a.run(['sync', '--dry-run']))).toContain('1 run ended.');
    expect(ok(b.run(['sync']))).toContain('Ended on another machine');
    expect(stateFiles(a.root)).toEqual([]);
    expect(archived(a.root)).toEqual([]);
    expect(archived(b.root)).toContain(`${runId}.json`);
    expect(a.git('cat-file', '--batch-all-objects', '--batch')).not.toContain(
      TOKEN,
    );
  });
});

describe('taking a run', () => {
  it('a run that came by sync is only offered, even with startup: full', () => {
    const { b, runId } = pair();
    mkdirSync(join(b.root, '.claude'));
    writeFileSync(
      join(b.root, '.claude/holdfast.json'),
      '{"restore": {"startup": "full"}}',
    );
    for (const source of ['startup', 'compact']) {
      const input = JSON.stringify({ session_id: OTHER, source, cwd: b.root });
      const told = ok(b.run(['hook', 'SessionStart'], { input }));
      expect(told).toContain(`holdfast resume ${runId}`);
      expect(told).not.toContain('ACTION REQUIRED');
      expect(onlyRun(b.root).sessions?.current_session_id).not.toBe(OTHER);
    }
  });

  const NOTICE =
    /session ffff0000 on machine \w+ took "User Auth" \(user-auth-\w+\).*`holdfast resume user-auth-\w+` takes it back/;

  it('on another machine is told to the former holder once, which gets it back only by resume', () => {
    const { a, b, runId } = pair();
    ok(b.run(['resume', runId], { session: OTHER }));
    ok(b.run(['sync']));
    const command = `\`holdfast resume ${runId}\` takes it back`;
    const synced = ok(a.run(['sync'], { session: SESSION }));
    expect(synced).toContain('Taken over on another machine');
    expect(synced).toContain(command);
    const advance = a.run(['advance'], { code: 1, session: SESSION });
    expect(advance.stderr).toMatch(NOTICE);
    expect(advance.stderr).toContain(
      'has no run of its own, so nothing was changed',
    );
    expect(onlyRun(a.root).phase.current).toBe(1);
    expect(a.run(['list'], { session: SESSION }).stderr).not.toContain('took');
    const input = JSON.stringify({
      session_id: SESSION,
      source: 'compact',
      cwd: a.root,
    });
    expect(ok(a.run(['hook', 'SessionStart'], { input }))).toBe('');
    ok(a.run(['resume', runId], { session: SESSION }));
    exchange(a, b);
    expect(onlyRun(a.root).sessions?.current_session_id).toBe(SESSION);
    expect(onlyRun(b.root).sessions?.current_session_id).toBe(
      SESSION.slice(0, 8),
    );
    ok(b.run(['cancel', runId]));
    exchange(b, a);
    expect(ok(a.run(['hook', 'UserPromptSubmit'], { input }))).toContain(
      `\\"User Auth\\" (${runId}), which this session held, was cancelled on another machine`,
    );
  });
});

describe('what never leaves the machine', () => {
  it('no host name, path, process id, user or whole session id is in any object', () => {
    const { a, b, runId } = pair();
    const remind = ['update', '--remind', `logs are in ${a.root}/logs`];
    ok(
      a.run([...remind, '--artifact', 'out=/etc/hosts'], { session: SESSION }),
    );
    ok(a.run(['update', '--set-local', 'port=8080'], { session: SESSION }));
    ok(a.run(['advance'], { session: SESSION, env: { CLAUDE_PID: '48151' } }));
    exchange(a, b);
    const sent = b.everythingSent();
    expect(sent).toContain(runId);
    expect(sent).toContain('logs are in logs');
    for (const secret of [a.root, a.home, SESSION, 'ann@example.org'])
      expect(sent).not.toContain(secret);
    // A short text can be a part of an id or of a time by chance.
    for (const secret of [hostname(), '48151', '8080'])
      expect(sent).not.toMatch(new RegExp(`\\b${secret}\\b`));
    expect(onlyRun(a.root)).toMatchObject({
      context: { port: 8080 },
      key_reminders: [`logs are in ${a.root}/logs`],
    });
    expect(onlyRun(b.root).context ?? {}).toEqual({});
    expect(ok(b.run(['status']))).toContain('logs are in logs');
    expect(ok(b.run(['sync']))).toContain('everything was in step');
  });

  /** What sync says about a value that it leaves out, by its field. */
  function leftOut(
    clone: TestClone,
    field: string,
  ): { fingerprint: string; remedy: string } {
    const { secrets } = clone.json(['sync', 'status']) as {
      secrets: { field: string; fingerprint: string; remedy: string }[];
    };
    const found = secrets.find((secret) => secret.field === field);
    if (found === undefined) throw new Error(`${field} is not left out`);
    return found;
  }

  /** Also in objects of git that no ref leads to. */
  const everStored = (clone: TestClone): string =>
    clone.git('cat-file', '--batch-all-objects', '--batch');

  it('a value that looks like a secret keeps its run here, and the others go', () => {
    const { hub, a, runId, ref } = pair();
    const before = hub.git('rev-parse', ref);
    ok(a.run(['update', runId, '--set', `deploy=${TOKEN}`]));
    ok(a.run(['start', 'Other'], { session: OTHER }));
    const named = new RegExp(
      `context\\.deploy of ${runId}: a GitHub token\n.*\n.*\`holdfast sync allow [0-9a-f]{16}\``,
    );
    for (const words of [['sync', '--dry-run'], ['sync', 'status'], ['sync']]) {
      const shown = ok(a.run(words));
      expect(shown).toMatch(named);
      expect(shown).not.toContain(TOKEN);
      if (words.length === 1)
        expect(shown).toContain('Synced with origin: 1 sent.');
      else expect(shown).toMatch(new RegExp(`${runId} +left out`));
    }
    expect(a.json(['sync'])).toMatchObject({
      sent: [],
      secrets: [
        { run: runId, field: 'context.deploy', kind: 'a GitHub token' },
      ],
    });
    expect(hub.git('rev-parse', ref)).toBe(before);
    expect(everStored(a)).not.toContain(TOKEN);
  });

  it('the commands that are named for such a value keep it here or change it', () => {
    const { a, runId } = pair();
    const update = (...words: string[]): string =>
      ok(a.run(['update', runId, ...words]));
    const secrets = ['--set', `deploy=${TOKEN}`, '--remind', `use ${TOKEN}`];
    update(...secrets, '--phases', `Design,Build,${TOKEN}`);
    const said = ok(a.run(['sync']));
    for (const [field, ...ways] of [
      ['context.deploy', '--set-local deploy=<value>', '--unset deploy'],
      ['key_reminders[0]', '--forget "<part of its text>"'],
      ['phases[2]', '--phases "<all names>"'],
    ] as const) {
      expect(said).toContain(`${field} of ${runId}: a GitHub token`);
      for (const way of ways)
        expect(said).toContain(`\`holdfast update ${runId} ${way}\``);
    }
    update('--set-local', `deploy=${TOKEN}`);
    update('--forget', TOKEN.slice(0, 12));
    update('--phases', 'Design,Build,Ship');
    expect(ok(a.run(['sync']))).toContain('1 sent');
    ok(a.run(['note', `log in with ${TOKEN}`], { session: SESSION }));
    expect(leftOut(a, 'notes[0].text').remedy).toMatch(
      new RegExp(`^\`holdfast note --forget \\S+ --run ${runId}\`$`),
    );
    expect(everStored(a)).not.toContain(TOKEN);
  });

  it('in an output or in the archive, such a value is changed with an editor', () => {
    const { a } = pair();
    ok(a.run(['advance', '--output', `key ${TOKEN}`], { session: SESSION }));
    for (const words of [['status'], ['complete']]) {
      ok(a.run(words, { session: SESSION }));
      const { remedy } = leftOut(a, 'outputs.1.text');
      const file =
        /^change \S+ in (\S+) with an editor$/.exec(remedy)?.[1] ?? '';
      const path = join(a.root, file);
      expect(readFileSync(path, 'utf8')).toContain(TOKEN);
      if (words[0] === 'complete')
        writeFileSync(
          path,
          readFileSync(path, 'utf8').replaceAll(TOKEN, 'removed'),
        );
    }
    expect(ok(a.run(['sync']))).toContain('1 sent');
    expect(everStored(a)).not.toContain(TOKEN);
  });

  it('`sync on` names such a value and does not print it', () => {
    const a = makeHub().clone('a');
    ok(a.run(['start', 'User Auth', '--set', `deploy=${TOKEN}`]));
    const shown = ok(a.run(['sync', 'on', 'origin']));
    expect(shown).toMatch(
      /look like secrets are left out\n +context\.deploy of/,
    );
    expect(shown).not.toContain(TOKEN);
    expect(shown).not.toContain('Leaves with the next sync');
  });

  it('a value that a person allows passes in this clone, and only this value', () => {
    const { a, b, runId } = pair();
    ok(
      a.run([
        'update',
        runId,
        '--set',
        `deploy=${TOKEN}`,
        '--set',
        `other=${TOKEN}X`,
      ]),
    );
    const { fingerprint } = leftOut(a, 'context.deploy');
    expect(leftOut(a, 'context.other').fingerprint).not.toBe(fingerprint);
    const unknown = a.run(['sync', 'allow', '0123456789abcdef'], {
      code: 1,
    }).stderr;
    expect(unknown).toMatch(
      /no value .* has this fingerprint; `holdfast sync status` names/,
    );
    const allowed = ok(a.run(['sync', 'allow', fingerprint]));
    expect(allowed).toMatch(
      /^Allowed in this clone: context\.deploy of .*\(a GitHub token\)\./,
    );
    expect(allowed).toContain(
      `\`git config --unset holdfast.allowed ${fingerprint}\``,
    );
    expect(() => leftOut(a, 'context.deploy')).toThrow();
    expect(ok(a.run(['sync']))).toContain('context.other');
    ok(a.run(['update', runId, '--unset', 'other']));
    expect(ok(a.run(['sync']))).toContain('1 sent');
    expect(ok(a.run(['sync', 'allow', fingerprint]))).toContain(
      'allowed in this clone already',
    );

    // Where it came from the remote, it keeps nothing back; in another run it does.
    ok(b.run(['sync']));
    ok(b.run(['update', runId, '--set', 'from=b']));
    expect(ok(b.run(['sync']))).toContain('1 sent');
    ok(
      b.run(['start', 'Other', '--set', `deploy=${TOKEN}`], { session: OTHER }),
    );
    // The fingerprint of one clone says nothing in another.
    expect(leftOut(b, 'context.deploy').fingerprint).not.toBe(fingerprint);
    ok(
      a.run(['start', 'Other', '--set', `deploy=${TOKEN}`], { session: OTHER }),
    );
    expect(ok(a.run(['sync']))).toContain('1 sent');
    a.git('config', '--unset', 'holdfast.allowed', fingerprint);
    ok(
      a.run(['update', '--set', `again=${TOKEN}`, '--unset', 'deploy'], {
        session: OTHER,
      }),
    );
    expect(ok(a.run(['sync']))).not.toContain('left out');
    ok(
      a.run(['start', 'Third', '--set', `deploy=${TOKEN}`], {
        session: 'third-session',
      }),
    );
    expect(leftOut(a, 'context.deploy').fingerprint).toBe(fingerprint);
  });

  it('the name of a phase that was renamed for such a value does not leave with the session that completed it', () => {
    const { a, runId } = pair();
    ok(a.run(['update', runId, '--phases', `${TOKEN},Build,Ship`]));
    ok(a.run(['advance'], { session: SESSION }));
    ok(a.run(['update', runId, '--phases', 'Design,Build,Ship']));
    expect(JSON.stringify(onlyRun(a.root).sessions)).toContain(TOKEN);
    expect(ok(a.run(['sync']))).toContain('1 sent');
    expect(everStored(a)).not.toContain(TOKEN);
    expect(ok(a.run(['sync']))).toContain('everything was in step');
  });

  it('a value that one remote has is left out for another remote, though nothing was changed here', () => {
    const { hub, a, b, runId } = pair();
    ok(a.run(['update', runId, '--set', `deploy=${TOKEN}`]));
    ok(a.run(['sync', 'allow', leftOut(a, 'context.deploy').fingerprint]));
    exchange(a, b);
    const open = join(hub.base, 'open.git');
    hub.git('init', '-q', '--bare', open);
    b.git('remote', 'add', 'open', open);
    expect(ok(b.run(['sync', 'on', 'open']))).toContain('context.deploy of');
    expect(ok(b.run(['sync']))).toContain('nothing was sent');
    expect(hub.git('-C', open, 'for-each-ref')).toBe('');
    // Nor with the history of the run, which the other remote has.
    ok(b.run(['update', runId, '--unset', 'deploy']));
    expect(ok(b.run(['sync']))).toContain('1 sent');
    expect(
      hub.git('-C', open, 'cat-file', '--batch-all-objects', '--batch'),
    ).not.toContain(TOKEN);
    expect(ok(b.run(['sync']))).toContain('everything was in step');
  });

  it('a value that was forgotten does not come back to a remote from which its ref was deleted', () => {
    const { hub, a, runId, ref } = pair();
    ok(a.run(['update', runId, '--set', `deploy=${TOKEN}`]));
    const { fingerprint } = leftOut(a, 'context.deploy');
    ok(a.run(['sync', 'allow', fingerprint]));
    ok(a.run(['sync']));
    a.git('config', '--unset', 'holdfast.allowed', fingerprint);
    ok(a.run(['update', runId, '--unset', 'deploy']));
    hub.git('update-ref', '-d', ref);
    expect(ok(a.run(['sync']))).toContain('1 sent');
    expect(hub.git('log', '-p', ref)).not.toContain(TOKEN);
  });

  it("an agent's session cannot switch it on or off, allow a value, nor prune", () => {
    const { a } = pair();
    for (const [words, env] of [
      [['on', 'origin'], { CLAUDECODE: '1' }],
      [['on', 'origin', '--session', SESSION], {}],
      [['off'], { CLAUDE_CODE_SESSION_ID: SESSION }],
      [['prune'], { CLAUDECODE: '1' }],
      [['allow', '0123456789abcdef'], { CLAUDECODE: '1' }],
    ] as const)
      expect(a.run(['sync', ...words], { code: 1, env }).stderr).toContain(
        'only a person can run',
      );
  });
});

it('a configuration that came with the clone switches nothing on, and no program runs', () => {
  const { a } = pair();
  expect(a.git('status', '--porcelain')).toBe('');
  expect(a.git('config', '--local', 'holdfast.-.sync').trim()).toBe('origin');
  a.git('config', 'core.sshCommand', `touch ${join(a.home, 'ran')};`);
  a.git('remote', 'set-url', 'origin', 'ssh://example.invalid/x');
  for (const id of ['0123456789abcdef0123456789abcdef', '../../x', '']) {
    if (id === '') rmSync(join(a.home, '.claude'), { recursive: true });
    else a.git('config', 'holdfast.cloneid', id);
    expect(a.run(['sync'], { code: 1 }).stderr, id).toContain(
      'sync is off in this clone',
    );
    expect(a.json(['sync', 'status']), id).toMatchObject({ remote: null });
    expect(existsSync(join(a.home, 'ran'))).toBe(false);
    a.run(['sync', 'on', 'origin']);
    expect(
      a.git('config', '--local', '--get-all', 'holdfast.cloneid').trim(),
    ).toMatch(/^\w{32}$/);
    expect(a.json(['sync', 'status']), id).toMatchObject({ remote: 'origin' });
    rmSync(join(a.home, 'ran'), { force: true });
  }
  expect(ok(a.run(['sync', 'off']))).toContain(
    '`holdfast sync on origin` continues',
  );
  expect(ok(a.run(['sync', 'off']))).toBe(
    'Sync is off in this clone already.\n',
  );
  expect(() => a.git('config', '--local', 'holdfast.-.sync')).toThrow();
});
