import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  builtPackage,
  repository,
  sandbox,
  type Sandbox,
} from '../support/cli.ts';
import {
  boxWith,
  expectOne,
  findings,
  installedHooks,
  LOCAL,
  put,
  SHARED,
  troubles,
} from '../support/doctor.ts';

/** Settings with these events of an installation, whose hooks are this code. */
function withHooks(code: string, events: string[]): Sandbox {
  const box = sandbox();
  put(box, '~/.claude/holdfast/dist/hook.cjs', code);
  cpSync(join(builtPackage, 'bin'), join(box.home, '.claude/holdfast/bin'), {
    recursive: true,
  });
  const kept = Object.entries(installedHooks()).filter(([event]) =>
    events.includes(event),
  );
  const text = JSON.stringify({ hooks: Object.fromEntries(kept) });
  const folder = join(box.home, '.claude/holdfast/bin');
  put(box, LOCAL, text.replaceAll(join(builtPackage, 'bin'), folder));
  return box;
}

it('the real hooks work as registered, also in a session and with HOLDFAST=off', () => {
  const box = boxWith({
    '.claude/holdfast.json': { reading: { enforce: 'block' } },
  });
  box.run(['init']);
  mkdirSync(join(box.home, 'tmp'));
  const env = {
    HOLDFAST: 'off',
    CLAUDE_CODE_SESSION_ATTENDED: '0',
    TMPDIR: join(box.home, 'tmp'),
  };
  const found = findings(box, 'hooks', { env });
  const quiet = [
    'PostCompact',
    'UserPromptSubmit',
    'PostToolUse',
    'PreToolUse',
    'SessionEnd',
  ];
  expect(found).toEqual([
    expect.stringMatching(/^ok: all 12 hooks are registered\n/),
    expect.stringMatching(/^warning: .*HOLDFAST=off[^]*fix: unset HOLDFAST$/),
    expect.stringMatching(
      /^ok: [^]*\nPreCompact: \d{2,} characters\nSessionStart: \d{3,} char/,
    ),
  ]);
  for (const event of quiet)
    expect(found[2]).toContain(`\n${event}: no reply\n`);
  expect(existsSync(join(box.root, 'untracked'))).toBe(false);
  expect(existsSync(join(box.home, '.claude/holdfast/sessions/s1'))).toBe(
    false,
  );
  expect(readdirSync(join(box.home, '.claude/holdfast/projects'))).toEqual([]);
});

it.each([
  [
    'no guidance',
    `process.stdout.write('{"systemMessage":"x"}')`,
    'SessionStart',
    'no guidance',
  ],
  [
    'code that does not run',
    'a damaged file',
    'PreCompact',
    'PreCompact complained',
  ],
  [
    'JSON for the summariser',
    `console.log('{"a":1}')`,
    'PreCompact',
    'no text for the summariser',
  ],
  [
    'text where the host expects none',
    `console.log('hello')`,
    'PostCompact',
    'PostCompact',
  ],
])('a hook that replies with %s is broken', (_title, code, event, said) => {
  const box = withHooks(code, [event]);
  expectOne(troubles(box, 'hooks'), [
    'broken',
    said,
    'fix: holdfast init --scope local',
  ]);
});

it('the committed form finds the hooks of the user, or says that there are none', () => {
  const box = sandbox();
  box.run(['init', '--scope', 'project']);
  const env = { CLAUDE_CONFIG_DIR: join(box.home, '.claude') };
  expect(troubles(box, 'hooks', { env })).toEqual([]);
  rmSync(join(box.home, '.claude'), { recursive: true });
  const said = [
    'broken',
    "holdfast's files are gone",
    'fix: holdfast init --scope project',
  ];
  expectOne(troubles(box, 'hooks'), said);
});

it('neither the code of a project nor a command in another form is executed', () => {
  const box = sandbox();
  const sign = join(box.root, 'executed');
  const code = `require('fs').writeFileSync(${JSON.stringify(sign)}, '')`;
  const program = put(
    box,
    'node_modules/.bin/holdfast',
    `#!/bin/sh\ntouch '${sign}'\n`,
  );
  chmodSync(program, 0o755);
  put(box, 'node_modules/holdfast/dist/hook.cjs', code);
  mkdirSync(join(box.root, 'node_modules/holdfast/bin'));
  copyFileSync(
    join(repository, 'bin/hook.sh'),
    join(box.root, 'node_modules/holdfast/bin/hook.sh'),
  );
  const register = (hook: object): void =>
    void put(box, LOCAL, {
      hooks: { PreCompact: [{ hooks: [{ type: 'command', ...hook }] }] },
    });

  const refused = 'skipped: the command of';
  for (const hook of [
    { command: 'node', args: ['-e', code, 'holdfast-hook'] },
    { command: 'holdfast', args: ['hook'] },
  ]) {
    register(hook);
    expectOne(findings(box, 'hooks'), [
      'broken: no settings register the hooks',
    ]);
  }

  rmSync(join(box.root, LOCAL));
  box.run(['init', '--scope', 'project']);
  rmSync(join(box.home, '.claude'), { recursive: true });
  expect(existsSync(join(box.root, SHARED))).toBe(true);
  expectOne(findings(box, 'hooks'), [
    refused,
    'does not belong to your own holdfast',
  ]);
  expect(existsSync(sign)).toBe(false);
});
