import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { binary, runOther, sandbox, type Sandbox } from '../support/cli.ts';
import { writeTree } from '../support/state.ts';

const SETTINGS = '.claude/settings.local.json';

function recorded(version: string, moment: string, change: object): string {
  const path = new URL(
    `../fixtures/host-recordings/statusline-${version}.json`,
    import.meta.url,
  );
  const { [moment]: payload } = JSON.parse(readFileSync(path, 'utf8'));
  return `${JSON.stringify({ ...payload, ...change })}\n`;
}

/** What the client would give a status line of this session after a turn. */
function inputFor(box: Sandbox, session: string, cwd = box.root): string {
  const workspace = { current_dir: cwd, project_dir: cwd, added_dirs: [] };
  return recorded('2.1.325', 'above_200k', {
    session_id: session,
    cwd,
    workspace,
  });
}

function statusline(
  box: Sandbox,
  input: string,
  words: string[] = [],
  env = {},
) {
  return runOther(process.execPath, [binary, 'statusline', ...words], {
    cwd: box.root,
    input,
    env: { PATH: process.env['PATH'], HOME: box.home, NO_COLOR: '1', ...env },
  });
}

/** As the client does it: a shell, the folder of the project, the payload on standard input. */
function shown(box: Sandbox, session: string, cwd = box.root): string {
  const { statusLine } = JSON.parse(
    readFileSync(join(box.root, SETTINGS), 'utf8'),
  );
  const { stdout, stderr } = runOther('/bin/sh', ['-c', statusLine.command], {
    cwd,
    input: inputFor(box, session, cwd),
    env: {
      PATH: process.env['PATH'],
      HOME: box.home,
      NO_COLOR: '1',
      COLUMNS: '100',
      CLAUDE_PROJECT_DIR: cwd,
    },
  });
  expect(stderr).toBe('');
  return stdout;
}

function started(tree: Record<string, string> = {}): Sandbox {
  const box = sandbox({ 'docs/a.md': 'rules', ...tree });
  box.run(
    [
      'start',
      'User Auth',
      '--phases',
      'Plan,Build,Test',
      '--read',
      'docs/a.md',
    ],
    {
      session: 's1',
    },
  );
  return box;
}

describe('statusline', () => {
  it('shows the run that the session holds, and the fill', () => {
    const box = started();
    expect(statusline(box, inputFor(box, 's1'))).toEqual({
      code: 0,
      stdout: '▸ User Auth · Plan 1/3 · ctx 26 %\n',
      stderr: '',
    });
    expect(statusline(box, inputFor(box, 's1'), ['--segment']).stdout).toBe(
      '▸ User Auth · Plan 1/3 · ctx 26 %',
    );
    expect(
      statusline(box, inputFor(box, 's1'), [], { COLUMNS: '22' }).stdout,
    ).toBe('▸ User Auth · Plan 1/3\n');
    expect(
      statusline(box, inputFor(box, 's1'), [], { NO_COLOR: '' }).stdout,
    ).toContain('\u001B[');
  });

  it('shows nothing to another session, and nothing once the run is over', () => {
    const box = started();
    expect(statusline(box, inputFor(box, 's2')).stdout).toBe('');
    box.run(['complete'], { session: 's1' });
    expect(statusline(box, inputFor(box, 's1')).stdout).toBe('');
  });

  it('changes nothing in the project', () => {
    const box = started();
    const files = () =>
      readdirSync(box.root, {
        recursive: true,
        encoding: 'utf8',
        withFileTypes: true,
      })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) =>
          readFileSync(join(parentPath, name), 'utf8'),
        );
    const before = files();
    statusline(box, inputFor(box, 's1'));
    expect(files()).toEqual(before);
    const empty = sandbox();
    statusline(empty, inputFor(empty, 's1'));
    expect(readdirSync(empty.root)).toEqual(['.git']);
  });

  it('leaves a mark outside the project when the fill passes a threshold', () => {
    const box = started();
    const mark = join(box.home, '.claude/holdfast/sessions/s1.json');
    const fill = () => JSON.parse(readFileSync(mark, 'utf8')).fill;
    statusline(box, inputFor(box, 's1'));
    expect(fill()).toBe(undefined);
    const usage = { input_tokens: 700_000 };
    const context = { current_usage: usage, context_window_size: 1_000_000 };
    const full = {
      ...JSON.parse(inputFor(box, 's1')),
      context_window: context,
    };
    expect(statusline(box, JSON.stringify(full)).stdout).toContain('ctx 72 %');
    expect(fill()).toMatchObject({ percent: 72, passed: [65] });
  });

  it('never fails, whatever it is given', () => {
    const box = started();
    for (const [what, input] of [
      ['nothing', ''],
      ['no session', '{}'],
      [
        'folders that are not there',
        '{"session_id": "s9", "cwd": "/no/such/folder"}',
      ],
      [
        'parts of other types',
        '{"session_id":7,"workspace":3,"context_window":"x"}',
      ],
      [
        'a session id of megabytes',
        `{"session_id": "${'y'.repeat(3_000_000)}", "cwd": "/"}`,
      ],
    ] as const)
      expect(statusline(box, input), what).toEqual({
        code: 0,
        stdout: '',
        stderr: '',
      });
    for (const words of [['extra'], ['--segment', '--bogus'], ['--json']]) {
      const { stdout } = statusline(box, inputFor(box, 's1'), words);
      expect(stdout).toMatch(/^▸ User Auth · Plan 1\/3 · [^\n]*\n?$/);
    }
    writeTree(box.root, {
      '.claude/holdfast.json': '{ broken',
      'untracked/workflow-state/x/state-x-20260101_000000.json': '{',
    });
    expect(statusline(box, inputFor(box, 's1')).stdout).toContain(
      '▸ User Auth',
    );
    statusline(box, inputFor(box, 's1'), [], { HOME: '' });
  });
});

describe('as registered', () => {
  it('runs after the status line that was there, from any folder, and goes with the uninstall', () => {
    const before = `{"statusLine": {"type":"command",  "command":"echo \\"it's $(wc -l)\\" lines"}}`;
    const box = started({ [SETTINGS]: before });
    box.run(['init', '--statusline']);
    mkdirSync(join(box.root, 'a b'));
    const own = "it's 1 lines\n";
    const ours = '▸ User Auth · Plan 1/3 · ctx 26 %\n';
    expect(shown(box, 's1')).toBe(own + ours);
    expect(shown(box, 's1', join(box.root, 'a b'))).toBe(own + ours);
    expect(shown(box, 's2')).toBe(own);
    box.run(['init']);
    expect(shown(box, 's1')).toBe(own + ours);
    box.run(['uninstall']);
    expect(readFileSync(join(box.root, SETTINGS), 'utf8')).toBe(before);
  });

  it('starts no Node in a project without runs', () => {
    const box = sandbox();
    box.run(['init', '--statusline']);
    const { statusLine } = JSON.parse(
      readFileSync(join(box.root, SETTINGS), 'utf8'),
    );
    const trap = join(box.home, 'bin');
    mkdirSync(trap);
    writeFileSync(
      join(trap, 'node'),
      `#!/bin/sh\ntouch ${join(box.home, 'started')}\n`,
      {
        mode: 0o755,
      },
    );
    runOther('/bin/sh', ['-c', statusLine.command], {
      cwd: box.root,
      input: '{}',
      env: { PATH: `${trap}:/usr/bin:/bin` },
    });
    expect(existsSync(join(box.home, 'started'))).toBe(false);
  });
});
