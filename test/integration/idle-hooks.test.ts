import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository, sandbox, type Sandbox } from '../support/cli.ts';
import { recorded } from '../support/hooks.ts';

/** Tells on standard error when the loader compiles more than the entry. */
const WATCHER = `
  const vm = require('node:vm');
  vm.Script = class extends vm.Script {
    constructor(...given) {
      super(...given);
      require('node:fs').writeSync(2, 'loaded');
    }
  };
`;

const DETECTING = ['precompact-auto', 'postcompact-auto', 'sessionstart-compact'];
const OTHERS = [
  'sessionstart-startup',
  'sessionstart-resume',
  'sessionstart-clear',
  'sessionend-other',
  'userpromptsubmit',
  'posttooluse-read',
];

interface Watched {
  code: number | null;
  stdout: string;
  isLoaded: boolean;
}

function send(
  box: Sandbox,
  input: string,
  { words = [], env = {} }: { words?: string[]; env?: Record<string, string> } = {},
): Watched {
  const watcher = join(box.home, 'watcher.cjs');
  writeFileSync(watcher, WATCHER);
  const hook = join(repository, 'dist/hook.cjs');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--require', watcher, hook, ...words],
    {
      cwd: box.home,
      encoding: 'utf8',
      input,
      env: { PATH: process.env['PATH'], HOME: box.home, ...env },
    },
  );
  return { code: status, stdout, isLoaded: stderr.startsWith('loaded') };
}

const payload = (box: Sandbox, name: string, changes: object = {}): string =>
  recorded(name, { cwd: box.root, session_id: 's1', ...changes });
/** Which session follows which is recorded outside the project. */
const isClear = (name: string): boolean => name.endsWith('-clear');
const nothing = { code: 0, stdout: '', isLoaded: false };

describe('without stored runs and without sources', () => {
  it.each([...DETECTING, ...OTHERS])(
    '%s answers nothing, writes nothing, loads nothing unless a session follows another',
    (name) => {
      const box = sandbox({ 'README.md': '' });
      expect(send(box, payload(box, name))).toEqual({ ...nothing, isLoaded: isClear(name) });
      expect(readdirSync(box.root).toSorted()).toEqual(['.git', 'README.md']);
    },
  );

  it('a hook that does not detect ignores sources', () => {
    const box = sandbox({ 'CLAUDE.local.md': 'Workflow: Shop\n', 'CLAUDE/Plan/1-a/PLAN.md': '' });
    for (const name of OTHERS)
      expect(send(box, payload(box, name))).toEqual({ ...nothing, isLoaded: isClear(name) });
  });

  it('unreadable input goes to the log, which is not created for it', () => {
    const box = sandbox();
    const { code, stdout } = send(box, 'no JSON', { words: ['--cwd', box.root] });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(readdirSync(box.root)).toEqual(['.git']);
  });
});

describe('the hooks are loaded', () => {
  it.each([
    ['the local file', 'CLAUDE.local.md'],
    ['a folder of plans', 'CLAUDE/Plan/README.md'],
    ['settings, which may name other places', '.claude/holdfast.json'],
  ])('a source in which a compaction may find a workflow: %s', (_what, path) => {
    const box = sandbox({ [path]: path.endsWith('.json') ? '{}' : 'text\n' });
    for (const name of DETECTING) expect(send(box, payload(box, name)).isLoaded).toBe(true);
  });

  it('for every event if there is a state folder', () => {
    const box = sandbox();
    box.run(['start', 'Shop'], { session: 's1' });
    for (const name of [...DETECTING, ...OTHERS])
      expect(send(box, payload(box, name)).isLoaded).toBe(true);
  });

  it('for the project that the words name, whatever the payload says', () => {
    const box = sandbox();
    const other = sandbox();
    box.run(['start', 'Shop'], { session: 's1' });
    const input = payload(other, 'userpromptsubmit');
    expect(send(box, input, { words: ['hook', `--cwd=${box.root}`] }).isLoaded).toBe(true);
    expect(send(other, input).isLoaded).toBe(false);
  });

  it('in an idle folder for a session that holds a run elsewhere', () => {
    const box = sandbox();
    const other = sandbox();
    box.run(['start', 'Shop'], { session: 's1' });
    expect(send(box, payload(other, 'userpromptsubmit')).isLoaded).toBe(true);
  });

  it('neither for a sub-agent nor when switched off', () => {
    const box = sandbox();
    box.run(['start', 'Shop'], { session: 's1' });
    const input = payload(box, 'sessionstart-compact');
    expect(send(box, payload(box, 'sessionstart-compact', { agent_id: 'a1' }))).toEqual(nothing);
    expect(send(box, input, { env: { HOLDFAST: 'off' } })).toEqual(nothing);
    expect(send(box, input).stdout).toContain('Shop');
  });
});
