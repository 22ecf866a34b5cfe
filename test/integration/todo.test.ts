import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { sandbox, type Sandbox } from '../support/cli.ts';
import { sessionStart } from '../support/hooks.ts';
import { onlyRun, writeTree } from '../support/state.ts';
import { stories, story } from '../support/story.ts';

const LIST = '# Todo\n\n- [x] design\n- [ ] build\n- [ ] review\n';

const todoIn = ({ root }: Sandbox): string =>
  readFileSync(join(root, 'TODO.md'), 'utf8');

describe('holdfast todo', () => {
  it('shows the list with its numbers, without any run, and says how to begin', () => {
    const box = sandbox({ 'TODO.md': `${LIST}- [ ] a\u001B[2Jb\u202Ec\n` });
    const { stdout } = box.run(['todo']);
    expect(stdout).toBe(
      'TODO.md: 1 of 4 done; now 2: build\n  1 [x] design\n  2 [ ] build\n  3 [ ] review\n  4 [ ] a [2Jb c\n',
    );
    expect(box.run(['todo', 'show']).stdout).toBe(stdout);
    expect(box.json(['todo'])).toMatchObject({
      path: 'TODO.md',
      items: [
        { n: 1, text: 'design', done: true },
        { n: 2, text: 'build', done: false },
        {},
        {},
      ],
      done: 1,
      total: 4,
    });
    expect(existsSync(join(box.root, 'untracked'))).toBe(false);
    const empty = sandbox();
    expect(empty.run(['todo']).stdout).toBe(
      'TODO.md has no items. The first one: holdfast todo add "<text>"\n',
    );
    expect(empty.json(['todo'])).toEqual({
      path: 'TODO.md',
      items: [],
      done: 0,
      total: 0,
    });
    expect(
      empty.run(['todo', 'set', '-'], { input: 'build\n' }).stderr,
    ).toContain('TODO.md has no check boxes');
  });

  it('adds and ticks', () => {
    const box = sandbox({ 'TODO.md': LIST });
    expect(
      box.run(['todo', 'add', 'write', 'the docs\n- [x] forged']).stdout,
    ).toBe(
      'Added 4: "write the docs - [x] forged"\nTODO.md: 1 of 4 done; now 2: build\n',
    );
    for (const said of ['Done', 'Done already'])
      expect(box.run(['todo', 'done', '2']).stdout).toBe(
        `${said}: 2: build\nTODO.md: 2 of 4 done; now 3: review\n`,
      );
    expect(box.json(['todo', 'done', '3'])).toMatchObject({
      done: 3,
      item: { n: 3, text: 'review', done: true },
    });
    expect(todoIn(box)).toBe(
      '# Todo\n\n- [x] design\n- [x] build\n- [x] review\n- [ ] write the docs - [x] forged\n',
    );
  });

  it('is set from standard input; text of others is replaced only with --force', () => {
    const box = sandbox({ 'TODO.md': LIST });
    expect(
      box.run(['todo', 'set', '-'], { code: 1, input: '- [ ] new\n' }),
    ).toMatchObject({
      stdout: '',
      stderr: expect.stringContaining('--force'),
    });
    expect(todoIn(box)).toBe(LIST);
    expect(
      box.run(['todo', 'set', '-', '--force'], { input: '- [ ] new' }).stdout,
    ).toBe('TODO.md: 0 of 1 done; now 1: new\n  1 [ ] new\n');
    expect(todoIn(box)).toBe('- [ ] new\n');
  });

  it('that no active run owns belongs to the run that works on it next', () => {
    const box = sandbox();
    box.run(['todo', 'set', '-'], { input: '- [ ] one\n' });
    for (const session of ['s1', 's2'])
      box.run(['start', `Of ${session}`], { session });
    box.run(['todo', 'add', 'keep me'], { session: 's1' });
    const set = { session: 's2', input: '- [ ] mine\n', code: 1 };
    expect(box.run(['todo', 'set', '-'], set).stderr).toMatch(
      /list of the run of-s1-\d+/,
    );
    expect(todoIn(box)).toContain('keep me');
  });

  it('refuses what it cannot do, and changes nothing', () => {
    const refused = (
      text: string,
      words: string[],
      code: number,
      expected: string,
    ): void => {
      const box = sandbox({ 'TODO.md': text });
      expect(
        box.run(['todo', ...words], { code }).stderr,
        words.join(' '),
      ).toContain(expected);
      expect(todoIn(box), words.join(' ')).toBe(text);
    };
    refused(LIST, ['add', '  \n'], 2, 'expected text that is not blank');
    refused(LIST, ['add'], 2, 'missing required argument');
    refused(LIST, ['done', 'two'], 2, 'the number of an item');
    refused(LIST, ['done', '0'], 1, 'there is no item 0: TODO.md has 3');
    refused(LIST, ['set', 'list.md'], 2, 'standard input');
    refused(LIST, ['set', '-'], 2, 'the text of the list');
    refused(LIST, ['remove', '1'], 2, "unknown command 'todo remove'");
    refused('```\n', ['add', 'a'], 1, 'inside a code block');
    refused('', ['done', '1'], 1, 'add the first one with `holdfast');
  });

  const strange: [
    what: string,
    make: (file: string) => void,
    expected: RegExp,
  ][] = [
    ['a FIFO', (file) => execFileSync('mkfifo', [file]), /not a file/],
    ['binary', (file) => writeFileSync(file, '- [ ] a\0'), /binary/],
    [
      'a link that leads nowhere',
      (file) => symlinkSync('gone.md', file),
      /broken link/,
    ],
    [
      'a link out of the project',
      (file) => symlinkSync('../home/x.md', file),
      /outside the proj/,
    ],
  ];
  it('refuses a file that is no list, in one line', () => {
    const box = sandbox();
    writeFileSync(join(box.home, 'x.md'), '- [ ] theirs\n');
    for (const [what, make, expected] of strange) {
      make(join(box.root, 'TODO.md'));
      for (const words of [['todo'], ['todo', 'add', 'x']]) {
        const { stderr } = box.run(words, { code: 1 });
        expect(stderr, what).toMatch(expected);
        expect(stderr.trim().split('\n'), what).toHaveLength(1);
      }
      rmSync(join(box.root, 'TODO.md'), { recursive: true });
    }
  });
});

test('the guidance shows the current item of a list that the run has written to, and never the list', () => {
  const box = sandbox({ 'TODO.md': LIST });
  const afterCompaction = (): string =>
    sessionStart(box, 's1', 'compact').context;
  box.run(['start', 'Shop'], { session: 's1' });
  box.run(['todo', 'add', 'by somebody else'], { session: 's2' });
  expect(afterCompaction()).toContain('Workflow: Shop');
  expect(afterCompaction()).not.toMatch(/Todo|build|somebody/);
  box.run(['todo', 'done', '2'], { session: 's1' });
  expect(onlyRun(box.root).todo).toMatchObject({
    path: 'TODO.md',
    owned: false,
  });
  expect(afterCompaction()).toContain(
    '\n\nTodo\nIn TODO.md: 2 of 4 done (`holdfast todo` shows the list); now 3: review',
  );
  expect(afterCompaction()).not.toMatch(/design|build/);
  expect(box.run(['validate']).code).toBe(0);
  writeTree(box.root, {
    'other-tasks.md': '- [ ] other\n',
    '.claude/holdfast.json': '{"todo": {"file": "other-tasks.md"}}',
  });
  expect(afterCompaction()).not.toMatch(/Todo|other/);
});

const set = (text: string, force = ''): string =>
  `todo set - ${force} < ${text}`;
stories(
  'a list is set',
  `
# again, whatever was added and ticked since
$ ${set(String.raw`- [ ] ours\n`)}
$ todo add more
$ todo done 1
$ ${set(String.raw`- [ ] again\n`)}
  > TODO.md: 0 of 1 done; now 1: again
# not once somebody else has changed it, but by force, and then again
$ start Shop
$ ${set(String.raw`- [ ] ours\n`)}
  = todo.owned true
write TODO.md - [ ] ours\\n- [ ] by hand\\n
$ todo add more
  = todo.owned false
$ ${set(String.raw`- [ ] again\n`)}
  ! TODO.md has content that
$ ${set(String.raw`- [ ] again\n`, '--force')}
$ ${set(String.raw`- [ ] and again\n`)}
# not where \`add\` has made it: its items may be anybody’s
$ start Shop
$ todo add a
$ ${set('- [ ] ours')}
  ! TODO.md has content that
# not where it is the list of another active run, but that of one that is over
s1$ start First
s2$ start Second
s1$ ${set('- [ ] ours')}
s2$ ${set('- [ ] theirs')}
  ! TODO.md is the list of the run first-
s1$ complete
s2$ ${set('- [ ] theirs')}
`,
);

test('a list is adopted by the run of the session, and by none where several are meant', () => {
  const box = story(
    `s1$ start Mine
     s2$ start Other
     s1$ todo add a
     $ todo add b
     s3$ todo add c
     $ history mine
       > a`,
  );
  expect(box.json(['show', 'mine'])).toMatchObject({
    run: { todo: { path: 'TODO.md' } },
  });
  expect(box.json(['show', 'other'])).not.toHaveProperty('run.todo');
});

test('a record of the list that a person wrote in another form is replaced', () => {
  for (const todo of ['buy milk', null, ['a'], { path: 5, owned: 'yes' }])
    story(
      `$ start Shop\nedit ${JSON.stringify({ todo })}\n$ todo add x\n= todo.path "TODO.md"`,
    );
});

test('a file that a program or an agent obeys is not the list', () => {
  const box = sandbox();
  for (const file of [
    ...[
      '.git/config',
      '.claude/settings.local.json',
      '.claude/commands/todo.md',
      '.mcp.json',
    ],
    ...[
      '.Claude/settings.json',
      '.claude/notes.md',
      '.husky/pre-commit',
      '.envrc',
      '.md',
    ],
    ...[
      '.github/copilot-instructions.md',
      'package.json',
      'Makefile',
      'src/main.ts',
      'AGENTS.md',
    ],
    ...[
      'requirements-dev.txt',
      'CLAUDE.md',
      'docs/Claude.local.md',
      'node_modules/x/notes.md',
    ],
    ...[
      'untracked/workflow-state/sources.json',
      'untracked/workflow-state/notes.md',
    ],
  ]) {
    writeTree(box.root, {
      '.claude/holdfast.json': JSON.stringify({ todo: { file } }),
    });
    const { stderr } = box.run(['todo', 'add', 'x'], { code: 1 });
    expect(stderr, file).toContain('cannot be the todo list');
  }
});

test('a file whose name is not that of a list is refused, with what to set; doctor says so too', () => {
  const box = sandbox({
    'notes.md': '- [ ] a\n',
    '.claude/holdfast.json': '{"todo": {"file": "notes.md"}}',
  });
  const advice =
    'set "todo.file" in .claude/holdfast.json to a name such as "TODO.md"';
  for (const words of [['todo'], ['todo', 'add', 'x'], ['todo', 'done', '1']]) {
    const { stderr } = box.run(words, { code: 1 });
    expect(stderr).toContain(
      'notes.md cannot be the todo list: its name has none of the words todo',
    );
    expect(stderr).toContain(advice);
  }
  const { stdout } = box.run(['doctor'], { code: 'any' });
  expect(stdout).toContain('"todo.file": notes.md cannot be the todo list');
  expect(stdout).toContain(advice);
  expect(readFileSync(join(box.root, 'notes.md'), 'utf8')).toBe('- [ ] a\n');
});

test.each([
  ['TODO.md', 'CLAUDE.md'],
  ['TODO.md', 'notes.md'],
  ['CLAUDE.md', 'TODO.md'],
  ['notes.md', 'TODO.md'],
])('a link %s that leads to %s is not the list', (link, target) => {
  const box = sandbox({
    [target]: '- [ ] a\n',
    '.claude/holdfast.json': JSON.stringify({ todo: { file: link } }),
  });
  symlinkSync(target, join(box.root, link));
  expect(box.run(['todo', 'add', 'x'], { code: 1 }).stderr).toContain(
    'cannot be the todo list',
  );
  expect(readFileSync(join(box.root, target), 'utf8')).toBe('- [ ] a\n');
});

test('an agent cannot force a list over a file that is none', () => {
  const box = sandbox({ 'TODO.md': 'Only prose.\n' });
  const [words, input] = [['todo', 'set', '-', '--force'], '- [ ] a\n'];
  expect(box.run(words, { input, session: 's1', code: 1 }).stderr).toContain(
    'only a person',
  );
  expect(readFileSync(join(box.root, 'TODO.md'), 'utf8')).toBe('Only prose.\n');
  box.run(words, { input });
  box.run(words, { input: '- [ ] b\n', session: 's1' });
});

test('the list is where the settings say, keeps its permissions and the link that leads to it', () => {
  const box = sandbox({
    '.claude/holdfast.json': '{"todo": {"file": "./docs//TODO.md"}}',
    'notes/tasks.md': '- [ ] a\n',
  });
  mkdirSync(join(box.root, 'docs'));
  symlinkSync('../notes/tasks.md', join(box.root, 'docs/TODO.md'));
  chmodSync(join(box.root, 'notes/tasks.md'), 0o640);
  expect(box.run(['todo', 'add', 'b']).stdout).toContain(
    'docs/TODO.md: 0 of 2 done',
  );
  expect(lstatSync(join(box.root, 'docs/TODO.md')).isSymbolicLink()).toBe(true);
  expect(statSync(join(box.root, 'notes/tasks.md')).mode & 0o777).toBe(0o640);
  expect(readFileSync(join(box.root, 'notes/tasks.md'), 'utf8')).toBe(
    '- [ ] a\n- [ ] b\n',
  );
  chmodSync(join(box.root, 'notes/tasks.md'), 0o440);
  expect(box.run(['todo', 'add', 'c'], { code: 1 })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('cannot write'),
  });
});

test('the list is not made in a folder that is a link out of the project, nor as one of ours', () => {
  const box = sandbox({
    '.claude/holdfast.json': '{"todo": {"file": "docs/TODO.md"}}',
  });
  symlinkSync(box.home, join(box.root, 'docs'));
  expect(box.run(['todo', 'add', 'x'], { code: 1 }).code).toBe(1);
  expect(existsSync(join(box.home, 'TODO.md'))).toBe(false);
  rmSync(join(box.root, 'docs'));
  symlinkSync('.git', join(box.root, 'docs'));
  expect(box.run(['todo', 'add', 'x'], { code: 1 }).stderr).toContain(
    'cannot be the todo list',
  );
});

test('an item that is ticked stays so, and no run adopts the list', () => {
  const box = story('$ start Shop\nwrite TODO.md - [x] a\\n\n$ todo done 1');
  expect(box.json(['show', 'shop'])).not.toHaveProperty('run.todo');
});
