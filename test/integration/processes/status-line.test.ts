import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  portableProgram,
  programOf,
  statusLineCommand,
} from '../../../src/install/status-line.ts';
import { makeProject, type Project } from '../../support/project.ts';

const STATE_FILE =
  'untracked/workflow-state/shop/state-shop-20260101_000000.json';
const ENDED = [
  'untracked/workflow-state/sources.json',
  'untracked/workflow-state/shop/events-shop-20260101_000000.jsonl',
  'untracked/workflow-state/shop/state-shop-20260101_000000.json.corrupt-20260102_000000',
];
const OWN = `printf '%s\\n' "it's mine: $(cat)"; echo "\\$HOME" # done`;
const OWN_LINES = 'it\'s mine: {"a":1}\n$HOME\n';

/** Prints its arguments and its input, in brackets. */
function fakeProgram(project: Project): string {
  project.write(
    'fake.cjs',
    `console.log('[' + process.argv[2] + ':' + require('fs').readFileSync(0, 'utf8') + ']')`,
  );
  return project.at('fake.cjs');
}

function runIn(cwd: string, command: string, shell = 'sh') {
  const { status, stdout, stderr } = spawnSync(shell, ['-c', command], {
    cwd,
    input: '{"a":1}\n',
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: '/nowhere' },
  });
  return { status, stdout, stderr };
}

const SHELLS = ['sh', 'bash', 'zsh'].filter(
  (shell) => spawnSync(shell, ['-c', ':']).error === undefined,
);

/** Where it runs, the command of the user, and what is printed: `[]` stands for our line. */
const CASES: [
  what: string,
  files: string[],
  own: string | null,
  printed: string,
][] = [
  ['prints nothing and starts nothing where there are no runs', [], null, ''],
  [
    'passes its input on where a folder above has runs',
    [STATE_FILE],
    null,
    '[]\n',
  ],
  [
    'prints the line of the user where there are no runs',
    ENDED,
    OWN,
    OWN_LINES,
  ],
  [
    'prints it first where there are runs',
    [STATE_FILE],
    OWN,
    `${OWN_LINES}[]\n`,
  ],
  [
    'goes on where it fails',
    [STATE_FILE],
    'echo before; exit 3',
    'before\n[]\n',
  ],
];

describe.each(SHELLS)('the registered command in %s', (shell) => {
  it.each(CASES)('%s', (_what, files, own, printed) => {
    const project = makeProject(
      Object.fromEntries(files.map((path) => [path, '{}'])),
    );
    mkdirSync(project.at('a b/c'), { recursive: true });
    const program = programOf(process.execPath, fakeProgram(project));
    const before = own === null ? null : { command: own, isInherited: false };
    const { status, stdout } = runIn(
      project.at('a b/c'),
      statusLineCommand(program, before),
      shell,
    );
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: printed.replace('[]', '[statusline:{"a":1}\n]'),
    });
  });

  it('is silent where holdfast was removed', () => {
    const project = makeProject({ [STATE_FILE]: '{}' });
    for (const program of [
      programOf('node', '/missing/holdfast.cjs'),
      portableProgram(),
    ])
      expect(
        runIn(project.root, statusLineCommand(program, null), shell),
      ).toEqual({
        status: 0,
        stdout: '',
        stderr: '',
      });
  });

  it.each(['.', 'packages/shop'])(
    'finds the dependency if it is committed, from %s',
    (folder) => {
      const project = makeProject({
        'node_modules/holdfast/bin/holdfast.cjs': 'console.log("found")',
        [`${folder}/${STATE_FILE}`]: '{}',
      });
      const command = statusLineCommand(portableProgram(), null);
      expect(runIn(project.at(folder), command, shell).stdout).toBe('found\n');
    },
  );
});
