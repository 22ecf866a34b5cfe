import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clientProcess } from '../../src/sessions/client-process.ts';
import { clientFile } from '../../src/sessions/client-secret.ts';
import {
  binary,
  builtPackage,
  runOther,
  sandbox,
  type Result,
  type Sandbox,
} from '../support/cli.ts';
import { hook, sessionStart } from '../support/hooks.ts';
import { onlyRun } from '../support/state.ts';

/** The process of the tests stands for the client: whatever it starts is a child of it, as module, hooks and agent are. */
const PID = String(process.pid);
const SESSION = 's1';
const [SECRET, OTHER_SECRET] = ['a', 'b'].map((digit) => digit.repeat(64)) as [
  string,
  string,
];

const AGENTS_SHELL = {
  CLAUDECODE: '1',
  CLAUDE_CODE_SESSION_ID: SESSION,
  CLAUDE_PID: PID,
};

const TEMPLATE = `name: ap
description: d
steps:
  - { id: one, type: action, instructions: o }
  - { id: ask, type: approval, instructions: l }
  - { id: last, type: action, instructions: l }
`;

/** The session has started in the client, and its agent has brought a run to an approval. */
function atApproval(): { box: Sandbox; id: string } {
  const box = sandbox({ '.claude/holdfast/workflows/ap.yaml': TEMPLATE });
  box.run(['start', '--template', 'ap'], { env: AGENTS_SHELL });
  sessionStart(box, SESSION, 'startup', { env: { CLAUDE_PID: PID } });
  box.run(['advance'], { env: AGENTS_SHELL });
  expect(onlyRun(box.root).machine).toMatchObject({ step: 'ask' });
  return { box, id: String(onlyRun(box.root).run_id) };
}

interface Call {
  input?: string;
  env?: Record<string, string>;
}

/** What the client's own process starts, without the variables of an agent. */
const inClient = (
  box: Sandbox,
  words: string[],
  { input = '', env = {} }: Call = {},
): Result => box.run(words, { input, env, ownProcess: true, code: 'any' });

/** The same in a client of its own, in which the calls are made one after the other. */
function inOtherClient(
  box: Sandbox,
  calls: readonly { words: string[]; input: string }[],
): Result[] {
  const script = calls.map(({ words }, at) => {
    writeFileSync(join(box.home, `input-${at}`), calls[at]?.input ?? '');
    return `"$NODE" "$HOLDFAST" ${words.join(' ')} <"$HOME/input-${at}" >"$HOME/out-${at}" 2>&1; echo $?`;
  });
  const { stdout } = runOther('sh', ['-c', script.join('\n')], {
    cwd: box.root,
    env: {
      PATH: process.env['PATH'],
      HOME: box.home,
      NODE: process.execPath,
      HOLDFAST: binary,
    },
  });
  return stdout
    .trim()
    .split('\n')
    .map((code, at) => ({
      code: Number(code),
      stdout: '',
      stderr: readFileSync(join(box.home, `out-${at}`), 'utf8'),
    }));
}

const register = (box: Sandbox, input = SECRET, env = {}): number | null =>
  inClient(box, ['register-client'], { input, env }).code;

const clients = (box: Sandbox): string =>
  join(box.home, '.claude/holdfast/clients');

function ownFile(box: Sandbox): string {
  const client = clientProcess(PID);
  if (client === null) throw new Error('this process has ended');
  return clientFile(join(box.home, '.claude'), client);
}

/** As a shell of the client runs it for an event. */
function fireInShell(
  box: Sandbox,
  event: string,
  payload = '{}',
  env = {},
): Result {
  const line = `e=${event}; f=${builtPackage}/bin/hook.sh; [ -r "$f" ] && . "$f"; :`;
  return runOther('sh', ['-c', line], {
    cwd: box.root,
    input: payload,
    env: { PATH: process.env['PATH'], HOME: box.home, CLAUDE_PID: PID, ...env },
    code: 'any',
  });
}

const NOT_PROVEN = {
  code: 1,
  stderr: expect.stringContaining('nothing proves that a person typed'),
};

/** The bytes of the state file, and whatever else there is of the run. */
function stateOf(box: Sandbox): Record<string, string> {
  const folder = join(box.root, 'untracked');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(
      (name) =>
        /\b(?:state|events)-/.test(name) &&
        statSync(join(folder, name)).isFile(),
    )
    .map((name) => [name, readFileSync(join(folder, name), 'utf8')]);
  return Object.fromEntries(files);
}

describe('an answer that a person types in a client with the module', () => {
  it('counts, with the secret that the module brought before the first turn', () => {
    const { box, id } = atApproval();
    expect(register(box)).toBe(0);
    fireInShell(box, 'UserPromptSubmit');
    const { code, stdout } = inClient(
      box,
      ['approve', id, '--proof', '--note=looks good'],
      {
        input: SECRET,
      },
    );
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Approved'),
    });
    expect(onlyRun(box.root).machine).toMatchObject({
      step: 'last',
      outputs: { ask: 'looks good' },
    });
    expect(box.run(['history', id]).stdout).toContain(
      'the user approved ask: "looks good"',
    );
  });

  it('counts when it sends the work back, and after a /clear in the same client', () => {
    const { box, id } = atApproval();
    expect(register(box)).toBe(0);
    const env = { CLAUDE_PID: PID };
    hook(box, 'sessionend-clear', { session_id: SESSION }, { env });
    sessionStart(box, 's2', 'clear', { env });
    expect(onlyRun(box.root).sessions?.current_session_id).toBe('s2');
    const rejected = inClient(
      box,
      ['reject', id, '--proof', '--feedback=once more'],
      {
        input: SECRET,
      },
    );
    expect(rejected).toMatchObject({ code: 0 });
    expect(onlyRun(box.root).machine).toMatchObject({ step: 'one' });
  });

  it('leaves the secret in no file, not even where the note is to be read from standard input', () => {
    const { box, id } = atApproval();
    register(box);
    const fromInput = inClient(box, ['approve', id, '--proof', '--note=-'], {
      input: SECRET,
    });
    expect(fromInput.stderr).toContain('--note -: standard input is empty');
    inClient(box, ['approve', id, '--proof'], { input: SECRET });
    for (const folder of [box.home, box.root])
      for (const name of readdirSync(folder, {
        recursive: true,
        encoding: 'utf8',
      })) {
        const path = join(folder, name);
        if (statSync(path).isFile())
          expect(readFileSync(path, 'latin1'), name).not.toContain(SECRET);
      }
    expect(statSync(ownFile(box)).mode & 0o777).toBe(0o600);
    expect(statSync(clients(box)).mode & 0o777).toBe(0o700);
  });

  it('is about a run of a session in that client: named by its whole id, held, not ended', () => {
    const { box, id } = atApproval();
    register(box);
    const approve = (...words: string[]) =>
      inClient(box, ['approve', ...words, '--proof'], { input: SECRET });
    const refused = {
      code: 1,
      stderr: expect.stringContaining('no session that holds the run'),
    };
    for (const words of [[], ['ap'], [id.slice(0, -1)]])
      expect(approve(...words), words.join()).toMatchObject(refused);
    hook(
      box,
      'sessionend-other',
      { session_id: SESSION },
      { env: { CLAUDE_PID: PID } },
    );
    expect(approve(id)).toMatchObject(refused);
    sessionStart(box, SESSION, 'resume', { env: { CLAUDE_PID: PID } });
    box.run(['release', id]);
    expect(approve(id)).toMatchObject(refused);
    box.run(['resume', id], { session: 'elsewhere', env: { CLAUDECODE: '1' } });
    expect(approve(id)).toMatchObject(refused);
    expect(onlyRun(box.root).machine).toMatchObject({ step: 'ask' });
  });
});

describe('no answer counts', () => {
  const nothingMoves = (box: Sandbox, answer: () => void): void => {
    const before = stateOf(box);
    answer();
    expect(stateOf(box)).toEqual(before);
  };

  it("from an agent's shell, also with the right secret", () => {
    const { box, id } = atApproval();
    register(box);
    nothingMoves(box, () => {
      for (const env of [
        AGENTS_SHELL,
        { CLAUDECODE: '1' },
        { CLAUDE_CODE_SESSION_ID: 'x' },
      ])
        for (const proof of [[], ['--proof']])
          expect(
            inClient(box, ['approve', id, ...proof], { input: SECRET, env }),
          ).toMatchObject({
            code: 1,
            stderr: expect.stringContaining('only a person can approve'),
          });
      const named = ['approve', id, '--proof', '--session', SESSION];
      expect(inClient(box, named, { input: SECRET }).stderr).toContain(
        'only a person can approve',
      );
    });
  });

  it.each([
    ['nothing', ''],
    ['a wrong secret', OTHER_SECRET],
    ['half of it', SECRET.slice(0, 32)],
    ['more than it', `${SECRET}a`],
    ['megabytes', 'a'.repeat(3_000_000)],
    [
      'its hash',
      'ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb',
    ],
  ])(
    'without variables of an agent, with %s on standard input',
    (_what, input) => {
      const { box, id } = atApproval();
      register(box);
      nothingMoves(box, () => {
        expect(
          inClient(box, ['approve', id, '--proof'], { input }),
        ).toMatchObject(NOT_PROVEN);
        const reject = ['reject', id, '--proof', '--feedback=x'];
        expect(inClient(box, reject, { input })).toMatchObject(NOT_PROVEN);
        expect(
          inClient(box, ['trust', 'ap', '--proof', '--yes'], { input }),
        ).toMatchObject(NOT_PROVEN);
      });
    },
  );

  it('says the same whether or not the client has a secret', () => {
    const { box, id } = atApproval();
    const answer = () =>
      inClient(box, ['approve', id, '--proof'], { input: OTHER_SECRET });
    const without = answer();
    register(box);
    expect(answer()).toEqual(without);
  });

  it.each([
    'UserPromptSubmit',
    'PostToolUse',
    'Permission',
    'PreCompact',
    'UserPromptExpansion',
  ])(
    'with a secret that was brought after %s, so that a turn had begun',
    (event) => {
      const { box, id } = atApproval();
      fireInShell(box, event);
      expect(readFileSync(ownFile(box), 'utf8')).toBe('');
      expect(register(box)).toBe(1);
      nothingMoves(box, () => {
        for (const input of [SECRET, ''])
          expect(
            inClient(box, ['approve', id, '--proof'], { input }),
          ).toMatchObject(NOT_PROVEN);
      });
    },
  );

  it('with a second secret: the first one stays', () => {
    const { box, id } = atApproval();
    expect(
      [SECRET, OTHER_SECRET, SECRET].map((secret) => register(box, secret)),
    ).toEqual([0, 1, 1]);
    fireInShell(box, 'UserPromptSubmit');
    nothingMoves(box, () => {
      const answer = inClient(box, ['approve', id, '--proof'], {
        input: OTHER_SECRET,
      });
      expect(answer).toMatchObject(NOT_PROVEN);
    });
    expect(
      inClient(box, ['approve', id, '--proof'], { input: SECRET }).code,
    ).toBe(0);
  });

  it('with the secret of another client, here or there', () => {
    const { box, id } = atApproval();
    register(box);
    nothingMoves(box, () => {
      const [registered, there, asHere] = inOtherClient(box, [
        { words: ['register-client'], input: OTHER_SECRET },
        { words: ['approve', id, '--proof'], input: OTHER_SECRET },
        { words: ['approve', id, '--proof'], input: SECRET },
      ]);
      expect(registered).toMatchObject({ code: 0 });
      expect(there?.stderr).toContain('no session that holds the run');
      expect(asHere).toMatchObject(NOT_PROVEN);
      const here = inClient(box, ['approve', id, '--proof'], {
        input: OTHER_SECRET,
      });
      expect(here).toMatchObject(NOT_PROVEN);
    });
  });

  it('with the secret of a process that has ended and whose id was given again', () => {
    const { box, id } = atApproval();
    register(box);
    const file = ownFile(box);
    const [pid, ticks = ''] = basename(file).split('-');
    renameSync(file, join(clients(box), `${pid}-${Number(ticks) - 1}`));
    nothingMoves(box, () => {
      const answer = inClient(box, ['approve', id, '--proof'], {
        input: SECRET,
      });
      expect(answer).toMatchObject(NOT_PROVEN);
    });
    // The process that has the id now has a secret of its own, and the session is still that of the former one.
    expect(register(box, OTHER_SECRET)).toBe(0);
    const session = join(box.home, `.claude/holdfast/sessions/${SESSION}.json`);
    const entry = JSON.parse(readFileSync(session, 'utf8'));
    const start = entry.client.start.replace(ticks, String(Number(ticks) - 1));
    writeFileSync(
      session,
      JSON.stringify({ ...entry, client: { ...entry.client, start } }),
    );
    nothingMoves(box, () => {
      const answer = inClient(box, ['approve', id, '--proof'], {
        input: OTHER_SECRET,
      });
      expect(answer.stderr).toContain('no session that holds the run');
    });
  });
});

describe('a secret is kept', () => {
  it.each([
    ["from an agent's shell", SECRET, AGENTS_SHELL],
    ['from an agent that tells no session', SECRET, { CLAUDECODE: '1' }],
    ['if nothing is given', '', {}],
    ['if it is no secret', `${SECRET.slice(1)}g`, {}],
    ['if it is too long', 'a'.repeat(2_000_000), {}],
  ])('not %s', (_when, input, env) => {
    const box = sandbox();
    expect(register(box, input, env)).toBe(1);
    expect(existsSync(clients(box))).toBe(false);
  });

  it('for a client that has started a session and nothing else', () => {
    const { box } = atApproval();
    fireInShell(box, 'SessionStart');
    fireInShell(box, 'SessionEnd');
    expect(existsSync(clients(box))).toBe(false);
    expect(register(box)).toBe(0);
    expect(readdirSync(clients(box))).toHaveLength(1);
  });

  it('as long as its client may run; files of clients that are gone for a month are removed', () => {
    const box = sandbox();
    const month = 31 * 24 * 3_600_000;
    mkdirSync(clients(box), { recursive: true });
    const name = basename(ownFile(box));
    const [pid] = name.split('-');
    for (const file of [`${pid}-1`, '4194303-7', 'no name of a process'])
      writeFileSync(join(clients(box), file), '');
    const later = (ms: number) => ({
      now: new Date(Date.now() + ms).toISOString(),
    });
    const options = { input: SECRET, ownProcess: true, ...later(month) };
    box.run(['register-client'], options);
    expect(readdirSync(clients(box))).toEqual([name]);
    inOtherClient(box, [{ words: ['register-client'], input: SECRET }]);
    expect(readdirSync(clients(box))).toContain(name);
  });
});

describe('the shell of the hooks', () => {
  const SHELLS = [
    ['dash'],
    ['bash'],
    ['bash', '--posix'],
    ['zsh'],
    ['busybox', 'sh'],
  ].filter(
    ([program = '']) => spawnSync(program, ['--help']).error === undefined,
  );

  it.each(SHELLS.map((words) => [words.join(' '), words]))(
    'makes the same file in %s, keeps what is in it, and goes on where it cannot',
    (_name, [shell = '', ...words]) => {
      const box = sandbox();
      const line = `e=UserPromptSubmit; f=${builtPackage}/bin/hook.sh; . "$f"; echo not reached`;
      const submit = (env: Record<string, string>): Result =>
        runOther(shell, [...words, '-c', line], {
          cwd: box.root,
          input: '{}',
          env: { PATH: process.env['PATH'], ...env },
        });
      const env = { HOME: box.home, CLAUDE_PID: PID };
      const silent = { code: 0, stdout: '', stderr: '' };
      expect(submit(env)).toEqual(silent);
      expect(readFileSync(ownFile(box), 'utf8')).toBe('');
      expect(statSync(clients(box)).mode & 0o777).toBe(0o700);
      writeFileSync(ownFile(box), 'kept');
      expect(submit(env)).toEqual(silent);
      expect(readFileSync(ownFile(box), 'utf8')).toBe('kept');
      // An old client tells no process: it is the one that has started the shell.
      rmSync(ownFile(box));
      expect(submit({ HOME: box.home })).toEqual(silent);
      expect(existsSync(ownFile(box))).toBe(true);
      for (const other of [
        { CLAUDE_PID: 'x/../y' },
        { CLAUDE_PID: '99999999' },
        { HOME: '' },
      ])
        expect(submit({ ...env, ...other })).toEqual(silent);
      writeFileSync(join(box.home, 'file'), '');
      expect(
        submit({ ...env, CLAUDE_CONFIG_DIR: join(box.home, 'file') }),
      ).toEqual(silent);
      const names = new Set([basename(ownFile(box)), '99999999-']);
      expect(new Set(readdirSync(clients(box)))).toEqual(names);
    },
  );
});

describe('a slash command that no module has carried out', () => {
  const payload = (
    box: Sandbox,
    command: string,
    args: string,
    more = {},
  ): string =>
    JSON.stringify({
      hook_event_name: 'UserPromptExpansion',
      session_id: SESSION,
      cwd: box.root,
      expansion_type: 'slash_command',
      command_name: command,
      command_args: args,
      command_source: 'plugin',
      prompt: `/${command} ${args}`,
      ...more,
    });

  it('stops with what to type in a terminal, and changes nothing, whoever has fed the hook', () => {
    const { box, id } = atApproval();
    const before = stateOf(box);
    const lines = {
      approve: `holdfast approve ${id}`,
      reject: `holdfast reject ${id} --feedback "…"`,
      trust: 'holdfast trust deploy',
    };
    for (const [verb, line] of Object.entries(lines))
      for (const entry of ['cli', 'sdk-cli'])
        for (const more of [{}, { command_source: 'projectSettings' }]) {
          const input = payload(box, `holdfast:${verb}`, 'deploy', more);
          const env = { ...AGENTS_SHELL, CLAUDE_CODE_ENTRYPOINT: entry };
          const calls = [
            fireInShell(box, 'UserPromptExpansion', input, env),
            fireInShell(box, 'UserPromptExpansion', input),
            inClient(box, ['hook', 'UserPromptExpansion'], { input, env }),
            inClient(box, ['hook'], { input }),
          ];
          for (const { code, stdout, stderr } of calls) {
            expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
            expect(JSON.parse(stdout)).toEqual({
              continue: false,
              stopReason: expect.stringContaining(`type \`${line}\``),
            });
            expect(JSON.parse(stdout).stopReason).not.toContain('\n');
          }
        }
    expect(stateOf(box)).toEqual(before);
  });

  it('proposes no words of somebody else, and names no run where the session holds none', () => {
    const { box } = atApproval();
    const said = (args: string, session: string): string =>
      fireInShell(
        box,
        'UserPromptExpansion',
        payload(
          box,
          args === '' ? 'holdfast:approve' : 'holdfast:trust',
          args,
          {
            session_id: session,
          },
        ),
      ).stdout;
    expect(said('', 'another')).toContain('`holdfast approve <run>`');
    for (const args of ['x; rm -rf ~', '$(id)', "it's", 'x'.repeat(300)])
      expect(said(args, SESSION)).toContain('`holdfast trust <template>`');
  });

  it('is left alone if it is another one, and then starts no Node', () => {
    const { box } = atApproval();
    const sh = runOther('which', ['sh'], {}).stdout.trim();
    const line = `e=UserPromptExpansion; f=${builtPackage}/bin/hook.sh; . "$f"; :`;
    for (const command of [
      'holdfast:status',
      'approve',
      'other:approve',
      'cost',
    ]) {
      // Without a PATH, the shell would find no Node.
      const options = {
        input: payload(box, command, ''),
        env: { PATH: '', HOME: box.home },
      };
      expect(runOther(sh, ['-c', line], options)).toEqual({
        code: 0,
        stdout: '',
        stderr: '',
      });
    }
    const quoted = payload(box, 'other', 'about holdfast:approve');
    expect(fireInShell(box, 'UserPromptExpansion', quoted).stdout).toBe('');
  });

  it('is no command of the terminal any more', () => {
    const { box } = atApproval();
    const before = stateOf(box);
    const input = payload(box, 'holdfast:approve', 'x');
    const env = { ...AGENTS_SHELL, CLAUDE_CODE_ENTRYPOINT: 'cli' };
    expect(inClient(box, ['answer'], { input, env }).code).toBe(2);
    expect(stateOf(box)).toEqual(before);
  });
});

describe('/holdfast:trust in a client with the module', () => {
  const GATED = `name: deploy
description: d
steps:
  - { id: one, type: action, instructions: o, gate: touch ran }
`;
  const file = '.claude/holdfast/workflows/deploy.yaml';

  it('shows the commands first, and allows only the content that was shown', () => {
    const box = sandbox({ [file]: GATED });
    register(box);
    const trust = (...words: string[]) => {
      const { stdout } = inClient(
        box,
        ['trust', '--proof', '--json', ...words, '--', 'deploy'],
        {
          input: SECRET,
        },
      );
      return JSON.parse(stdout);
    };
    const shown = trust();
    expect(shown).toMatchObject({
      trusted: false,
      told: expect.stringContaining('touch ran'),
    });
    expect(trust('--yes')).toEqual(shown);
    writeFileSync(
      join(box.root, file),
      GATED.replace('touch ran', 'touch other'),
    );
    const changed = trust(`--seen=${shown.hash}`);
    expect(changed).toMatchObject({
      trusted: false,
      told: expect.stringContaining('touch other'),
    });
    expect(trust(`--seen=${changed.hash}`)).toMatchObject({ trusted: true });
    expect(trust().told).toContain('is already trusted');
    expect(box.run(['trust', 'deploy']).stdout).toContain('is already trusted');
  });
});
