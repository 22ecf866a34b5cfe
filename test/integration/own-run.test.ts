import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  readFileSync,
  readdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sandbox, type Result, type Sandbox } from '../support/cli.ts';
import { hook, preCompact, sessionStart } from '../support/hooks.ts';
import { writeTree } from '../support/state.ts';
import { stories } from '../support/story.ts';

/** Who holds each active run, by workflow, and where it stands. */
function runsIn(
  box: Sandbox,
): Record<string, { phase: number; holder: string | null }> {
  const folder = join(box.root, 'untracked/workflow-state');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return Object.fromEntries(
    files
      .filter((name) => /state-.*\.json$/.test(name))
      .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
      .map(({ workflow, phase, sessions }) => [
        workflow,
        { phase: phase.current, holder: sessions?.current_session_id ?? null },
      ]),
  );
}

function started(...runs: [name: string, session?: string][]): Sandbox {
  const box = sandbox();
  for (const [name, session] of runs)
    ok(
      box.run(
        ['start', name, '--phases', 'A,B,C'],
        session === undefined ? {} : { session },
      ),
    );
  return box;
}

function ok(result: Result): Result {
  expect(result, result.stderr).toMatchObject({ code: 0 });
  return result;
}

const prompt = (box: Sandbox, session: string): string =>
  hook(box, 'userpromptsubmit', { session_id: session }).stdout;

const CHANGES: [command: string, ...words: string[]][] = [
  ['advance', '--output', 'x'],
  ['skip', '--reason', 'x'],
  ['fail', '--reason', 'x'],
  ['update', '--set', 'a=b'],
  ['pause'],
  ['complete'],
  ['cancel', '--reason', 'x'],
];

describe("an agent's --session", () => {
  const CALLS = [
    ...CHANGES,
    ['note', 'x'],
    ['release'],
    ['resume'],
    ['status'],
    ['prime'],
    ['guidance'],
    ['todo', 'add', 'x'],
    ['fill', '--percent', '90'],
  ];

  it('names no other session, whether that one is live or has ended', () => {
    const box = started(['Mine', 's1'], ['Theirs', 's2'], ['Ended', 's3']);
    hook(
      box,
      'sessionend-clear',
      { session_id: 's3', reason: 'other' },
      { session: 's3' },
    );
    const before = runsIn(box);
    for (const other of ['s2', 's3', 'nobody'])
      for (const words of CALLS)
        for (const call of [
          [...words, '--session', other],
          [`--session=${other}`, ...words],
        ]) {
          const refused = box.run(call, { code: 1, session: 's1' });
          expect(refused.stdout).toBe('');
          expect(refused.stderr).toContain('not the session of this agent');
        }
    const unknown = box.run(['note', 'x', '--session', 's1'], {
      code: 1,
      env: { CLAUDECODE: '1' },
    });
    expect(unknown.stderr).toContain('not the session of this agent');
    expect(runsIn(box)).toStrictEqual(before);
  });

  it('may name itself, and the session that it follows by /clear', () => {
    const box = started(['Mine', 's1']);
    const client = { CLAUDE_PID: String(process.pid) };
    hook(
      box,
      'sessionend-clear',
      { session_id: 's1' },
      { session: 's1', env: client },
    );
    sessionStart(box, 's2', 'clear', { session: 's2', env: client });
    for (const named of ['s1', 's2'])
      ok(
        box.run(['note', `as ${named}`, '--session', named], { session: 's2' }),
      );
    expect(runsIn(box)).toStrictEqual({ Mine: { phase: 1, holder: 's2' } });
  });
});

describe('a session that has no run of its own', () => {
  it('changes none by any command without a name', () => {
    const box = started(['Free']);
    const before = runsIn(box);
    for (const [command, ...words] of [...CHANGES, ['release'] as const]) {
      const refused = box.run([command, ...words], { code: 1, session: 's1' });
      expect(refused.stdout).toBe('');
      expect(refused.stderr).toMatch(/has no run of its own.*free-\d+_\d+/s);
      expect(refused.stderr).toMatch(
        new RegExp(`\`holdfast ${command} free-\\d+_\\d+`),
      );
      expect(runsIn(box), command).toStrictEqual(before);
    }
  });
});

stories(
  'a session',
  `
# without a run is refused with the command as it typed it, and the name; it reads the most recent one
$ start One --phases A,B,C
s2$ start Two
s1$ advance --output "it is done"
  ! \`holdfast advance one-… --output 'it is done'\`
s1$ advance
  ! two-… (held by another session)
# without a run takes a free one that it names, and not by release, pause, complete or cancel
$ start Free --phases A,B,C
s1$ pause free
  = sessions.current_session_id null
$ resume free
s1$ advance free --output x
  = phase.current 2
  = sessions.current_session_id "s1"
# with a run keeps it when it changes another one by name
s1$ start Mine --phases A,B,C
$ start Free --phases A,B,C
s1$ advance free --output x
$ status free
  > Phase    2/3 B
  > Held by  nobody
s1$ status
  > Phase    1/3 A
  > Held by  this session
# whose run was taken changes no third one, is told once who took it, and its status line says so
a$ start Auth --phases A,B,C
$ start Third --phases A,B
later$ takeover auth
a$ advance --output done
  ! session later took Auth
a prompts
  nothing
$ status third
  > Phase    1/2 A
$ status auth
  > Phase    1/3 A
  > Held by  session later
a$ statusline < {"session_id": "a"}
  > ▸ Auth was taken by session later
# whose run was taken is told at its next prompt or command, whichever comes first
a$ start Auth
later$ takeover auth
later prompts
  - took
a prompts
  > session later took Auth (auth-…)…just now
a prompts
  nothing
c$ takeover auth
later$ status
  ~ session c took Auth
later prompts
  nothing
# that has ended is told when it comes back that another one took its run
a$ start Auth
a ends
later$ resume auth
a resumes
  > session later took Auth
a prompts
  nothing
# that was cleared and comes back finds its run, and the one that had followed it is told
a$ start Auth
a clears as b
b ends
a resumes
  > This session works on Auth
b prompts
  > session a took Auth
# is not offered the run of another one that is live, and no text says how to take it
s2$ start Theirs
s1 starts
  nothing
s1$ status
  - --force
  - takeover
# in a terminal cannot take a run over, for it is none, but releases it, and then anybody can resume it
s2$ start Theirs
$ takeover theirs
  ! \`holdfast release theirs\`
$ release theirs
s1$ resume theirs
  = sessions.current_session_id "s1"
`,
);

describe('a run that a live session holds', () => {
  it('is not changed by any command of another session', () => {
    const box = started(['Theirs', 's2']);
    const before = runsIn(box);
    for (const [command, ...words] of [
      ...CHANGES,
      ['release'] as const,
      ['resume'] as const,
    ]) {
      const refused = box.run([command, 'theirs', ...words], {
        code: 1,
        session: 's1',
      });
      expect(refused.stdout).toBe('');
      expect(refused.stderr).toMatch(/held by session s2 since .*, last seen/);
      expect(refused.stderr).toMatch(
        /\/holdfast:release there, or `holdfast release theirs-\d+_\d+` in a terminal/,
      );
      expect(runsIn(box), command).toStrictEqual(before);
    }
  });

  it('is not changed either by an agent whose session is not known', () => {
    const box = started(['Theirs', 's2']);
    const refused = box.run(['advance', '--output', 'x'], {
      code: 1,
      env: { CLAUDECODE: '1' },
    });
    expect(refused.stderr).toMatch(
      /theirs-\d+_\d+ \(held by another session\)/,
    );
    expect(runsIn(box)).toStrictEqual({ Theirs: { phase: 1, holder: 's2' } });
  });

  it.each([
    ['advance', 'changed', 'holds: it is at phase 2/3 B'],
    ['release', 'released', 'held: it is at phase 1/3 A'],
    ['pause', 'released', 'held: it is paused'],
    ['complete', 'ended', 'held: it is completed'],
    ['cancel', 'ended', 'held: it is cancelled'],
  ])(
    'may be changed by `%s` in a terminal, and its session is told',
    (command, did, now) => {
      const box = started(['Theirs', 's2']);
      const { stderr } = ok(box.run([command]));
      expect(stderr).toMatch(
        /session s2 (?:holds|held) theirs-\d+_\d+; it is told/,
      );
      const told = prompt(box, 's2');
      expect(told).toContain(
        `\`holdfast ${command}\`, by the user, ${did} Theirs`,
      );
      expect(told).toContain(`, which this session ${now}`);
      expect(prompt(box, 's2')).toBe('');
    },
  );

  it('is not live any more once its client is gone', async () => {
    const box = sandbox();
    const client = spawn('sleep', ['600']);
    onTestFinished(() => void client.kill('SIGKILL'));
    const pid = String(client.pid);
    ok(
      box.run(['start', 'Theirs', '--phases', 'A,B'], {
        session: 's2',
        env: { CLAUDE_PID: pid },
      }),
    );
    const resume = (code: number): Result =>
      box.run(['resume', 'theirs'], { code, session: 's1' });
    expect(resume(1).stderr).toContain('held by session s2');
    client.kill('SIGKILL');
    await once(client, 'exit');
    resume(0);
  });

  it('nor once its client runs another session, as after a fork', () => {
    const box = sandbox();
    const env = { CLAUDE_PID: String(process.pid) };
    ok(
      box.run(['start', 'Theirs', '--phases', 'A,B'], {
        session: 'parent',
        env,
      }),
    );
    ok(box.run(['resume', 'theirs'], { session: 'fork', env }));
    expect(runsIn(box)).toStrictEqual({ Theirs: { phase: 1, holder: 'fork' } });
  });
});

describe('a hold', () => {
  const PLAN = (name: string): string =>
    `# ${name}\n\n**Status**: In Progress\n\n## Phase 1: A ✅\n- [x] a\n\n## Phase 2: B 🔄\n- [ ] b\n`;
  const plans = {
    'CLAUDE/Plan/001-alpha/PLAN.md': PLAN('Alpha'),
    'CLAUDE/Plan/002-beta/PLAN.md': PLAN('Beta'),
  };

  function withTranscript(box: Sandbox): {
    fields: object;
    use: (tool: string, input: object) => void;
  } {
    const path = join(box.home, 't.jsonl');
    appendFileSync(path, '');
    return {
      fields: { transcript_path: path },
      use: (name, input) =>
        appendFileSync(
          path,
          `${JSON.stringify({ type: 'assistant', message: { content: [{ type: 'tool_use', id: 'x', name, input }] } })}\n`,
        ),
    };
  }
  const compact = (box: Sandbox, fields: object): string =>
    hook(box, 'precompact-auto', { session_id: 's1', ...fields }).stdout;

  it('by evidence is told to the session that had the run and has ended, and yields to later work on another plan', () => {
    const box = sandbox(plans);
    const { fields, use } = withTranscript(box);
    for (const [session, plan] of Object.entries({ a: 'alpha', b: 'beta' })) {
      ok(box.run(['resume', plan], { session }));
      hook(box, 'sessionend-other', { session_id: session });
    }
    expect(compact(box, fields)).toContain('holdfast run: <id>');
    // That compaction was cancelled.
    use('Edit', { file_path: join(box.root, 'CLAUDE/Plan/001-alpha/PLAN.md') });
    expect(sessionStart(box, 's1', 'compact', { fields }).context).toContain(
      'Workflow: Alpha',
    );
    expect(prompt(box, 'a')).toContain('session s1 took Alpha');
    // It stays a guess where another session has the run for a while.
    hook(box, 'sessionend-other', { session_id: 's1' });
    ok(box.run(['resume', 'alpha'], { session: 'a' }));
    hook(box, 'sessionend-other', { session_id: 'a' });
    const { context } = sessionStart(box, 's1', 'resume');
    expect(context).toContain('works on Alpha');
    expect(context).not.toContain('took Alpha');
    use('Edit', { file_path: join(box.root, 'CLAUDE/Plan/002-beta/PLAN.md') });
    expect(compact(box, fields)).toContain('Workflow: Beta');
    expect(runsIn(box)).toMatchObject({
      Alpha: { holder: null },
      Beta: { holder: 's1' },
    });
  });

  it('of a run whose section was written over stays, unless the session did that itself', () => {
    const section = (name: string): string =>
      `# Workflow State\n\nWorkflow: ${name}\nPhase: 1/2\n`;
    for (const isByOther of [true, false]) {
      const box = sandbox({ 'CLAUDE.local.md': section('Release') });
      const file = join(box.root, 'CLAUDE.local.md');
      const { fields, use } = withTranscript(box);
      use('Write', { file_path: file, content: section('Release') });
      use('Edit', { file_path: file, old_string: '2/2', new_string: '1/2' });
      expect(compact(box, fields)).toContain('Workflow: Release');
      ok(box.run(['update', '--set', 'a=b'], { session: 's1' }));
      writeFileSync(file, section('Billing'));
      if (!isByOther)
        use('Edit', {
          file_path: file,
          old_string: 'Workflow: Release',
          new_string: 'Workflow: Billing',
        });
      expect(compact(box, fields)).toContain(
        `Workflow: ${isByOther ? 'Release' : 'Billing'}`,
      );
      expect(runsIn(box)).toMatchObject({
        Release: { holder: isByOther ? 's1' : null },
        Billing: { holder: isByOther ? null : 's1' },
      });
    }
  });

  it('by a plain /clear adds how to let go at every compaction, until the session touches the run', () => {
    const box = started(['Auth', 's1']);
    const env = { CLAUDE_PID: String(process.pid) };
    hook(box, 'sessionend-clear', { session_id: 's1' }, { env });
    sessionStart(box, 's2', 'clear', { env });
    const restored = (): string => {
      preCompact(box, 's2', { env });
      return sessionStart(box, 's2', 'compact', { env }).context;
    };
    expect(restored()).toContain('holdfast release');
    expect(restored()).toContain('holdfast release');
    ok(box.run(['advance', '--output', 'x'], { session: 's2' }));
    expect(restored()).not.toContain('holdfast release');
  });

  it('that is a guess does not keep a session from starting a run of its own', () => {
    const box = sandbox({ 'CLAUDE/Plan/001-alpha/PLAN.md': PLAN('Alpha') });
    preCompact(box, 's1');
    expect(runsIn(box)).toMatchObject({ Alpha: { holder: 's1' } });
    ok(box.run(['start', 'Mine', '--phases', 'A,B'], { session: 's1' }));
    expect(runsIn(box)).toMatchObject({
      Alpha: { holder: null },
      Mine: { holder: 's1' },
    });
  });

  it('is not given by rule 5 while another session that is there was seen since the plan was written', () => {
    const file = { 'CLAUDE/Plan/001-alpha/PLAN.md': PLAN('Alpha') };
    const box = sandbox(file);
    sessionStart(box, 'other', 'startup');
    writeTree(box.root, file);
    prompt(box, 'other');
    preCompact(box, 's1');
    expect(runsIn(box)).toMatchObject({ Alpha: { holder: null } });
    hook(box, 'sessionend-other', { session_id: 'other' });
    preCompact(box, 's1');
    expect(runsIn(box)).toMatchObject({ Alpha: { holder: 's1' } });
  });
});

it('a session that ends again leaves alone the run that it let go of', () => {
  const box = started(['Zeta', 's1']);
  ok(box.run(['start', 'Beta', '--switch'], { session: 's1' }));
  const zeta = join(box.root, 'untracked/workflow-state/zeta');
  const file = (): string[] =>
    readdirSync(zeta).map((name) => readFileSync(join(zeta, name), 'utf8'));
  const endAt = (time: string): Result =>
    hook(
      box,
      'sessionend-other',
      { session_id: 's1' },
      { env: { HOLDFAST_NOW: time } },
    );
  ok(endAt('2030-01-01T00:00:00Z'));
  const before = file();
  const beta = { env: { HOLDFAST_NOW: '2030-01-01T01:00:00Z' }, session: 's1' };
  ok(box.run(['advance', '--name', 'Build'], beta));
  ok(endAt('2030-01-01T02:00:00Z'));
  expect(file()).toEqual(before);
});
