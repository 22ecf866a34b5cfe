import {
  cpSync,
  existsSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runOther, sandbox, type Sandbox } from '../support/cli.ts';
import { registered } from '../support/hooks.ts';

// Qwen Code and Gemini CLI read a `.env` of the project, and Claude Code the `env` of its settings: what stands there
// is in the environment of hooks and of the agent's shell.

const GATED = `name: Gated
description: d
steps:
  - {id: one, type: action, instructions: do, gate: touch gate-has-run}
  - {id: two, type: action, instructions: do}
`;

/** A project below a repository, which brings along a configuration folder in which its gate is trusted. */
function repositoryWithOwnTrust(): { box: Sandbox; project: string } {
  const box = sandbox({ 'sub/.claude/holdfast/workflows/gated.yaml': GATED });
  const project = join(box.root, 'sub');
  symlinkSync('..', join(project, 'up'));
  const elsewhere = join(box.home, 'of the attacker');
  const env = { CLAUDE_CONFIG_DIR: elsewhere };
  box.run(['trust', 'gated', '--yes'], { cwd: project, env });
  expect(existsSync(join(elsewhere, 'holdfast/trusted-templates.json'))).toBe(
    true,
  );
  cpSync(elsewhere, join(box.root, 'brought'), { recursive: true });
  return { box, project };
}

describe.each([
  '../brought',
  'up/brought',
  '/proc/self/cwd/up/brought',
  '//proc/self/cwd/up/brought',
])(
  'a configuration folder named %s, as a repository could name its own',
  (named) => {
    test('is not asked what is trusted', () => {
      const { box, project } = repositoryWithOwnTrust();
      const options = {
        cwd: project,
        session: 's1',
        env: { CLAUDE_CONFIG_DIR: named },
      };
      box.run(['start', '--template', 'gated'], options);
      const { stderr } = box.run(['advance', '--output', 'x'], {
        ...options,
        code: 1,
      });
      expect(stderr).toContain('holdfast trust gated');
      expect(existsSync(join(project, 'gate-has-run'))).toBe(false);
    });

    test('gets nothing written', () => {
      const { box, project } = repositoryWithOwnTrust();
      const options = {
        cwd: project,
        session: 's1',
        env: { CLAUDE_CONFIG_DIR: named },
      };
      box.run(['start', 'Shop', '--phases', 'A,B'], options);
      box.run(['status'], { ...options, ownProcess: true });
      expect(existsSync(join(box.root, 'brought/holdfast/sessions'))).toBe(
        false,
      );
      expect(existsSync(join(box.root, 'brought/holdfast/cache'))).toBe(false);
      expect(
        existsSync(join(box.home, '.claude/holdfast/sessions/s1.json')),
      ).toBe(true);
    });
  },
);

test('the hooks of a session use the same folder as its commands', () => {
  const box = sandbox();
  box.run(['init', '--host', 'qwen']);
  const env = {
    CLAUDE_CONFIG_DIR: '/proc/self/cwd/brought',
    QWEN_CODE_SESSION_ID: 's1',
  };
  box.run(['start', 'Shop', '--phases', 'A,B', '--read', 'spec.md'], { env });
  writeFileSync(join(box.root, 'spec.md'), 'The zebra crosses first.');
  const line = (event: string): string =>
    registered(join(box.home, '.qwen/settings.json'), event);
  const fire = (event: string, more: object = {}): string =>
    runOther('sh', ['-c', line(event)], {
      cwd: box.root,
      input: JSON.stringify({
        session_id: 's1',
        cwd: box.root,
        hook_event_name: event,
        ...more,
      }),
      env: { PATH: process.env['PATH'], HOME: box.home, ...env },
    }).stdout;
  fire('PreCompact');
  fire('SessionStart', { source: 'compact' });
  expect(fire('UserPromptSubmit', { prompt: 'Go on.' })).toContain('zebra');
});

test.each(['codex', 'qwen', 'gemini'])(
  'the hooks of %s write no file that a variable of Claude Code names',
  (host) => {
    const box = sandbox();
    box.run(['init', '--host', host]);
    const precious = join(box.home, 'precious');
    writeFileSync(precious, 'kept');
    const file =
      host === 'codex' ? '.codex/hooks.json' : `.${host}/settings.json`;
    runOther('sh', ['-c', registered(join(box.home, file), 'SessionStart')], {
      cwd: box.root,
      input: JSON.stringify({
        session_id: 's1',
        cwd: box.root,
        source: 'startup',
      }),
      env: {
        PATH: process.env['PATH'],
        HOME: box.home,
        CLAUDE_ENV_FILE: '../home/precious',
      },
    });
    expect(readFileSync(precious, 'utf8')).toBe('kept');
  },
);
