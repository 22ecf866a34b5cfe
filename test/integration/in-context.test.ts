import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { type Sandbox } from '../support/cli.ts';
import { openServer } from '../support/mcp.ts';
import { startPage } from '../support/page-server.ts';
import { onlyRun } from '../support/state.ts';
import { hook, sessionStart, type Started } from '../support/hooks.ts';
import { story } from '../support/story.ts';

/** Too long to be given with the guidance. */
const LONG = 'line\n'.repeat(600);
const FILES = { 'docs/one.md': LONG, 'docs/two.md': LONG };
const RESTORED = `
  s1$ start Shop --read docs/one.md --read docs/two.md
  s1 compacts
  > WORKFLOW RESTORED`;

const BOUNDARY = { type: 'system', subtype: 'compact_boundary' };

/** The conversation of session s1, where the client keeps it. */
function converse(box: Sandbox, ...records: object[]): string {
  const folder = box.root.replaceAll(/[^A-Za-z0-9]/g, '-');
  const path = join(box.home, '.claude/projects', folder, 's1.jsonl');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, records.map((one) => JSON.stringify(one)).join('\n'));
  return path;
}

function attached(box: Sandbox, name: string, content: string): object {
  const file = { filePath: join(box.root, name), content };
  const attachment = { type: 'file', content: { type: 'text', file } };
  return { type: 'attachment', attachment };
}

function called(name: string, input: object, output = ''): object[] {
  const id = `${name}-${JSON.stringify(input).length}`;
  const use = { type: 'tool_use', id, name, input };
  const result = { type: 'tool_result', tool_use_id: id, content: output };
  return [
    { type: 'assistant', message: { content: [use] } },
    { type: 'user', message: { content: [result] } },
  ];
}

function prompt(box: Sandbox, transcript_path: string): string {
  return hook(box, 'userpromptsubmit', { session_id: 's1', transcript_path })
    .stdout;
}

function edit(box: Sandbox, transcript_path: string): string {
  return hook(box, 'pretooluse-bash', {
    session_id: 's1',
    transcript_path,
    tool_name: 'Edit',
    tool_input: {},
    tool_use_id: `${Math.random()}`,
  }).stdout;
}

const readingOf = (box: Sandbox, session?: string): unknown =>
  box.json(['status'], session === undefined ? {} : { session });

describe('at the prompt after a restore', () => {
  it('files that the client attached again are not asked for', () => {
    const box = story(RESTORED, FILES);
    const path = converse(
      box,
      BOUNDARY,
      attached(box, 'docs/one.md', LONG),
      attached(box, 'docs/two.md', LONG),
    );
    expect(prompt(box, path)).toBe('');
    // Nothing is asked again until the next restore.
    converse(box, BOUNDARY);
    expect(prompt(box, path)).toBe('');
  });

  it('a file that the agent wrote or printed itself is not asked for, the others are', () => {
    const box = story(RESTORED, { ...FILES, 'docs/three.md': LONG });
    box.run(['update', '--read', 'docs/three.md'], { session: 's1' });
    const file_path = join(box.root, 'docs/one.md');
    const path = converse(
      box,
      BOUNDARY,
      ...called('Write', { file_path, content: LONG }),
      ...called('Bash', { command: 'cat docs/two.md' }, LONG.trim()),
    );
    const reply = prompt(box, path);
    expect(reply).toContain('not in this conversation');
    expect(reply).toContain('@docs/three.md');
    expect(reply).not.toContain('@docs/one.md');
    expect(reply).not.toContain('@docs/two.md');
    expect(prompt(box, path)).toBe('');
  });

  it('what was read before the compaction is asked for', () => {
    const box = story(RESTORED, FILES);
    const path = converse(box, attached(box, 'docs/one.md', LONG), BOUNDARY);
    expect(prompt(box, path)).toContain('@docs/one.md, @docs/two.md');
  });
});

test('`status`, the page and the MCP tool say what the conversation shows', async () => {
  const box = story(RESTORED, FILES);
  converse(
    box,
    BOUNDARY,
    attached(box, 'docs/one.md', LONG),
    attached(box, 'docs/two.md', `${LONG}more`),
  );
  const reading = [
    { path: '@docs/one.md', state: 'in_context' },
    { path: '@docs/two.md', state: 'changed' },
  ];
  expect(readingOf(box, 's1')).toMatchObject({ reading });
  expect(readingOf(box)).toMatchObject({ reading });
  const { reply } = await openServer(box, { session: 's1' });
  expect(await reply('workflow_status')).toMatchObject({
    requiredReading: reading,
  });
  const { url } = await startPage(box);
  const id = onlyRun(box.root).run_id ?? '';
  const page = await fetch(`${url}data/run?id=${id}`);
  expect(await page.json()).toMatchObject({ reading });
  // Another session has nothing of it.
  const other = reading.map(({ path }) => ({ path, state: 'unread' }));
  expect(readingOf(box, 's2')).toMatchObject({ reading: other });
});

test('`start` does not call a file unread that the agent has just shown', () => {
  const box = story('', FILES);
  converse(box, ...called('Bash', { command: 'cat docs/one.md' }, LONG));
  const { stdout } = box.run(['start', 'Shop', '--read', 'docs/one.md'], {
    session: 's1',
  });
  expect(stdout).toMatch(/in context +@docs\/one\.md/);
});

test('a resumed session is not told that a file has changed which it changed itself', () => {
  const box = story(RESTORED, FILES);
  const file_path = join(box.root, 'docs/one.md');
  hook(box, 'posttooluse-read', {
    session_id: 's1',
    tool_input: { file_path },
  });
  writeFileSync(file_path, 'written');
  const resumed = (transcript_path: string): string =>
    hook(box, 'sessionstart-resume', { session_id: 's1', transcript_path })
      .stdout;
  expect(resumed(converse(box, BOUNDARY))).toContain('@docs/one.md');
  const call = called('Write', { file_path, content: 'written' });
  expect(resumed(converse(box, BOUNDARY, ...call))).not.toContain(
    'docs/one.md',
  );
});

test('with reading.enforce block, an edit waits only for what the conversation does not show', () => {
  const settings = '{"reading": {"enforce": "block"}}';
  const box = story(RESTORED, { ...FILES, '.claude/holdfast.json': settings });
  const one = attached(box, 'docs/one.md', LONG);
  const path = converse(box, BOUNDARY, one);
  const refusal = edit(box, path);
  expect(refusal).toContain(
    'these files of the restored workflow: @docs/two.md.',
  );
  converse(box, BOUNDARY, one, attached(box, 'docs/two.md', LONG));
  expect(edit(box, path)).toBe('');
  // All was there once: what changes afterwards holds nothing back.
  converse(box, BOUNDARY);
  expect(edit(box, path)).toBe('');
});

describe('a session that is resumed', () => {
  const given = (context: string): object => ({
    type: 'attachment',
    attachment: {
      type: 'hook_additional_context',
      hookEvent: 'SessionStart',
      content: [context],
    },
  });
  const said = { type: 'assistant', message: { content: [] } };
  const compacted = (): { box: Sandbox; context: string } => {
    const box = story('s1$ start Shop', {});
    hook(box, 'precompact-auto', { session_id: 's1' });
    const { context } = sessionStart(box, 's1', 'compact');
    return { box, context };
  };
  const resumed = (box: Sandbox, ...records: object[]): Started =>
    sessionStart(box, 's1', 'resume', {
      fields: { transcript_path: converse(box, ...records) },
    });

  it('right after its compaction gets no second text in the same request', () => {
    const { box, context } = compacted();
    expect(context).toContain('✅ Workflow restored: Shop');
    const { context: second, userLine } = resumed(
      box,
      BOUNDARY,
      given(context),
    );
    expect(second).toBe('');
    expect(userLine).toContain('this session works on');
  });

  it('once it has answered is told where its run stands', () => {
    const { box, context } = compacted();
    const records = [BOUNDARY, given(context), said];
    expect(resumed(box, ...records).context).toContain('This session works on');
  });

  it('gets no short text before the whole one that is due at its prompt', () => {
    const box = story('s1$ start Shop', {});
    hook(box, 'precompact-auto', { session_id: 's1' });
    hook(box, 'postcompact-auto', { session_id: 's1' });
    expect(resumed(box, BOUNDARY).context).toBe('');
    expect(prompt(box, '')).toContain('✅ Workflow restored: Shop');
  });
});
