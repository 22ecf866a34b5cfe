import { spawn } from 'node:child_process';
import {
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { binary, hookMemoryOf, sandbox, type Sandbox } from '../support/cli.ts';
import { hook, recorded } from '../support/hooks.ts';
import { stories, story, using } from '../support/story.ts';

/** Too long to be given with the guidance. */
const LONG = 'line\n'.repeat(600);
const FILES = {
  'docs/one.md': LONG,
  'docs/two.md': LONG,
  'docs/small.md': 'SMALL\n',
};
const BLOCK = {
  ...FILES,
  '.claude/holdfast.json': '{"reading": {"enforce": "block"}}',
};
const started = (...paths: string[]): string =>
  `s1$ start Shop ${paths.map((path) => `--read docs/${path}.md`).join(' ')}\n`;
const restored = (...paths: string[]): string =>
  `${started(...paths)}s1 compacts\n> WORKFLOW RESTORED\n`;
const ALL = ['one', 'two', 'small'];

/** Every file of the state folder with its content and time. */
function traces({ root }: Sandbox): unknown {
  const folder = join(root, 'untracked');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => {
      const stat = statSync(join(folder, name));
      return [
        name,
        stat.mtimeMs,
        stat.isFile() ? readFileSync(join(folder, name), 'utf8') : '',
      ];
    });
}

function memoryOf(box: Sandbox): {
  receipts: Record<string, { refusals: number }>;
} {
  return JSON.parse(readFileSync(hookMemoryOf(box), 'utf8'));
}

stories(
  'required reading that is unread after a restore',
  `
# is mentioned once, at the next prompt, and again after the next restore
${started(...ALL)}
s1 prompts
  nothing
s1 compacts
s1 reads docs/one.md
  nothing
s2 prompts
  nothing
s1 prompts
  > @docs/two.md
  - @docs/one.md
  - @docs/small.md
s1 prompts
  nothing
s1 compacts
s1 prompts
  > @docs/one.md
# is not mentioned if all of it was read or included
${restored(...ALL)}
s1 reads docs/one.md
s1 reads docs/two.md
s1 prompts
  nothing
s1$ update --read docs/three.md
${using({ 'docs/three.md': LONG })}
s1 prompts
  nothing
# is not mentioned with reading.enforce off, nor if its files were deleted in the meantime
${using({ '.claude/holdfast.json': '{"reading": {"enforce": "off"}}' })}
${restored(...ALL)}
s1 prompts
  nothing
s1 reads docs/one.md
write docs/one.md changed
s1 prompts
  nothing
delete .claude
s1 compacts
delete docs
write docs/x x
s1 prompts
  nothing
# is mentioned after \`resume\`; a file that changed since it was read to a session that is resumed
${started(...ALL)}
s1$ release
s2$ resume shop
s2 prompts
  > @docs/one.md
s2 prompts
  nothing
s2 reads docs/one.md
write docs/one.md changed
s2 resumes
  > @docs/one.md
s2 prompts
  nothing
s2$ status --json
  @ reading.2.state "in_context"
$ status --json
  @ reading.2.state "in_context"
s3$ status
  - in context
`,
  FILES,
);

test('nothing is written where there is nothing to mention or to refuse', () => {
  const read = 's1 reads docs/one.md\ns1 reads docs/two.md\n';
  const box = story(`${restored(...ALL)}${read}s1 prompts\nnothing\n`, BLOCK);
  const before = traces(box);
  for (const name of ['userpromptsubmit', 'pretooluse-bash'])
    hook(box, name, { session_id: 's1', tool_name: 'Edit', tool_use_id: 'x' });
  expect(traces(box)).toEqual(before);
  const small = story(restored('small'), BLOCK);
  expect(memoryOf(small).receipts).toEqual({});
});

test('files that are missing, outside, loaded by the host, folders or not text are left out', () => {
  const odd = [
    'docs/gone.md',
    '../outside.md',
    'docs/host.md',
    'docs/folder',
    'docs/image.png',
  ];
  story(
    `s1$ start Shop ${odd.map((path) => `--read ${path}`).join(' ')}
     write docs/folder/x x
     s1 compacts
     s1 prompts
       nothing
     s1 edits
       nothing`,
    {
      ...BLOCK,
      'CLAUDE.md': '@docs/host.md\n',
      'docs/host.md': LONG,
      'docs/image.png': '\0\0',
    },
  );
});

test('a repeated Read that only says that the file is unchanged reads nothing', () => {
  const box = story(restored('one'), BLOCK);
  const file = { filePath: join(box.root, 'docs/one.md') };
  hook(box, 'posttooluse-read', {
    session_id: 's1',
    tool_input: { file_path: file.filePath },
    tool_response: { type: 'file_unchanged', file },
  });
  expect(box.json(['status'], { session: 's1' })).toMatchObject({
    reading: [{ path: '@docs/one.md', state: 'unread' }],
  });
});

describe('with reading.enforce block', () => {
  /** Why the tool may not be used; empty where it may. */
  const refused = (
    box: Sandbox,
    tool: string,
    input: object = {},
    more: object = {},
  ): string => {
    const call = {
      tool_name: tool,
      tool_input: input,
      tool_use_id: `${Math.random()}`,
    };
    const { stdout } = hook(box, 'pretooluse-bash', {
      session_id: 's1',
      ...call,
      ...more,
    });
    if (stdout === '' || stdout.includes('"allow"')) return '';
    const { hookSpecificOutput: reply } = JSON.parse(stdout);
    expect(reply).toMatchObject({
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
    });
    return reply.permissionDecisionReason;
  };

  it('tools that change something wait for the reading, others and commands of holdfast do not', () => {
    let box = story(restored(...ALL), BLOCK);
    for (const tool of ['Edit', 'MultiEdit', 'Write', 'NotebookEdit']) {
      const reason = refused(box, tool);
      expect(reason, tool).toContain('@docs/one.md, @docs/two.md');
      expect(reason, tool).not.toContain('@docs/small.md');
    }
    for (const tool of [
      'Read',
      'Glob',
      'Grep',
      'Task',
      'mcp__x__Edit',
      'TodoWrite',
    ])
      expect(refused(box, tool), tool).toBe('');
    for (const command of ['npx holdfast status', 'holdfast status'])
      expect(refused(box, 'Bash', { command }), command).toBe('');
    expect(refused(box, 'Edit', {}, { agent_id: 'a1' })).toBe('');
    expect(refused(box, 'Edit', {}, { session_id: 's2' })).toBe('');
    box = story(restored(...ALL), BLOCK);
    for (const command of [
      'npm test',
      'holdfast status; rm -rf docs',
      './holdfast status',
    ])
      expect(refused(box, 'Bash', { command }), command).toContain(
        '@docs/one.md',
      );
  });

  stories(
    'an edit',
    `
# is refused beside the reminder, five times at most until the next restore, and not once all was read
${restored(...ALL)}
s1 prompts
  > @docs/one.md
${'s1 edits\n> @docs/one.md\n'.repeat(5)}
s1 edits
  nothing
s1 compacts
s1 reads docs/one.md
s1 edits
  > these files of the restored workflow: @docs/two.md.
s1 reads docs/two.md
s1 edits
  nothing
# is not refused once the session has released the run
${restored(...ALL)}
s1$ release
s1 edits
  nothing
`,
    BLOCK,
  );
});

describe('at the same time', () => {
  const HOLDFAST_NOW = new Date().toISOString();

  function hookAtOnce(
    { root, home }: Sandbox,
    name: string,
    changes: object,
  ): Promise<string> {
    const child = spawn(process.execPath, [binary, 'hook'], {
      cwd: root,
      env: { PATH: process.env['PATH'], HOME: home, HOLDFAST_NOW },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.on('data', (chunk) => (text += String(chunk)));
    child.stdin.end(
      recorded(name, { cwd: root, session_id: 's1', ...changes }),
    );
    return new Promise((resolve, reject) => {
      child.on('close', (code) =>
        code === 0 ? resolve(text) : reject(new Error(`exit ${code}`)),
      );
    });
  }

  it('two hooks for one prompt print one note', async () => {
    const box = story(restored(...ALL), FILES);
    const both = [1, 2].map(() =>
      hookAtOnce(box, 'userpromptsubmit', { prompt_id: 'p' }),
    );
    expect(
      (await Promise.all(both)).filter((text) => text !== ''),
    ).toHaveLength(1);
  });

  it('of two hooks of one tool call one refuses; two calls count twice', async () => {
    const box = story(restored(...ALL), BLOCK);
    const ask = (id: string): Promise<string> =>
      hookAtOnce(box, 'pretooluse-bash', { prompt_id: 'p', tool_use_id: id });
    const replies = await Promise.all([ask('a'), ask('a'), ask('b'), ask('b')]);
    expect(replies.filter((text) => text.includes('"deny"'))).toHaveLength(2);
    expect(memoryOf(box).receipts['s1']).toMatchObject({ refusals: 2 });
  });
});

test('with a damaged hook state nothing is mentioned or refused', () => {
  const box = story(restored(...ALL), BLOCK);
  const file = hookMemoryOf(box);
  const edit = { tool_name: 'Edit', tool_input: {}, tool_use_id: 'x' };
  const whole = JSON.parse(readFileSync(file, 'utf8'));
  const receipts = [3, { s1: { at: 'x' } }].map((each) => ({
    ...whole,
    receipts: each,
  }));
  for (const damaged of [
    '{',
    '[]',
    ...receipts.map((each) => JSON.stringify(each)),
  ])
    for (const [name, fields] of [
      ['userpromptsubmit', {}] as const,
      ['pretooluse-bash', edit] as const,
    ]) {
      writeFileSync(file, damaged);
      expect(
        hook(box, name, { session_id: 's1', ...fields }).stdout,
        damaged,
      ).toBe('');
    }
  expect(box.json(['status'])).toMatchObject({ run: { workflow: 'Shop' } });
});

describe('the state of a required file', () => {
  const states = (
    tree: Record<string, string>,
    paths: string[],
    cwd = '.',
  ): string[] => {
    const box = sandbox({ 'packages/b/x': '', ...tree });
    writeFileSync(join(box.home, 'secret.md'), 'secret');
    symlinkSync(join(box.home, 'secret.md'), join(box.root, 'link.md'));
    symlinkSync(join(box.root, 'gone'), join(box.root, 'dangling.md'));
    box.run(['start', 'W', ...paths.flatMap((path) => ['--read', path])], {
      session: 's1',
    });
    const env = { CLAUDE_PROJECT_DIR: join(box.root, cwd) };
    const { reading } = box.json(['status'], { session: 's1', env }) as {
      reading: { path: string; state: string }[];
    };
    return reading.map(({ path, state }) => `${path} ${state}`);
  };

  it('is named once for each file, whatever its spellings', () => {
    const paths = ['b.md', './docs//a.md', 'docs/a.md', 'x/../b.md'];
    const found = states({ 'docs/a.md': 'a', 'b.md': 'b' }, paths);
    expect(found).toEqual(['@b.md unread', '@docs/a.md unread']);
  });

  it('tells what is missing and what is outside', () => {
    const paths = [
      'gone.md',
      'dangling.md',
      '../x.md',
      '/etc/passwd',
      '~/n.md',
      'link.md',
    ];
    const found = states({}, paths).map((line) => line.split(' ')[1]);
    expect(found.join(' ')).toBe(
      'missing missing outside outside outside outside',
    );
  });

  it.each<
    [what: string, tree: Record<string, string>, host: string, cwd?: string]
  >([
    [
      'what its memory files import, relative to the importing file',
      {
        'CLAUDE.md': 'Rules: @docs/rules.md',
        'CLAUDE.local.md': '@notes.md and @missing.md',
        'docs/rules.md': '@more.md @../CLAUDE.md',
        ...{ 'docs/more.md': '', 'notes.md': '', 'other.md': '' },
      },
      'CLAUDE.local.md CLAUDE.md docs/more.md docs/rules.md notes.md',
    ],
    [
      'imports four levels deep, with an extension that it certainly knows',
      {
        'CLAUDE.md': '@l1.md @i.ts @b.mdx @h',
        'l1.md': '@l2.md @CLAUDE.md',
        ...{
          'l2.md': '@l3.md',
          'l3.md': '@l4.md',
          'l4.md': '@l5.md',
          'l5.md': '',
        },
        ...{ 'i.ts': '', 'b.mdx': '', h: '' },
      },
      'CLAUDE.md l1.md l2.md l3.md l4.md',
    ],
    [
      'no imports if it was launched below the root',
      { 'CLAUDE.md': '@a.md', 'a.md': '' },
      'CLAUDE.md',
      'packages/b',
    ],
    ['nothing if it was launched elsewhere', { 'CLAUDE.md': '' }, '', '..'],
    [
      'no e-mail address, code or comment, and spaces in a path escaped',
      {
        'CLAUDE.md':
          'me@a.md `@b.md` ``x ` @c.md`` <!-- @d.md -->\n```\n@e.md\n```\n@my\\ f.md',
        ...{
          'a.md': '',
          'b.md': '',
          'c.md': '',
          'd.md': '',
          'e.md': '',
          'my f.md': '',
        },
      },
      'CLAUDE.md my f.md',
    ],
  ])('is that of the host for %s', (_what, tree, host, cwd) => {
    const loaded = states(tree, Object.keys(tree), cwd).filter((line) =>
      line.endsWith(' host'),
    );
    const paths = loaded.map((line) => line.replace(/^@(.*) host$/, '$1'));
    expect(paths.toSorted().join(' ')).toBe(host);
  });
});
