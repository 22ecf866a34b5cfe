import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, test } from 'vitest';
import { filesShown, type Showing } from '../../../src/sessions/shown-files.ts';
import { makeProject } from '../../support/project.ts';

const RECORDINGS = new URL('../../fixtures/host-recordings/', import.meta.url);
const PROJECT = '/project';
const pathOf = (path: string): string => relative(PROJECT, path);

let transcript: string;

beforeEach(() => {
  transcript = makeProject().at('session.jsonl');
});

/** What the conversation shows of each file, given what it says now. */
function shown(
  records: readonly object[],
  files: Record<string, string>,
): Record<string, Showing> {
  const lines = records.map((record) => JSON.stringify(record));
  writeFileSync(transcript, `${lines.join('\n')}\n`);
  const wanted = Object.entries(files).map(([path, text]) => ({ path, text }));
  return Object.fromEntries(filesShown(transcript, wanted, pathOf) ?? []);
}

let ids = 0;

/** A call and its result, as the client records them. */
function call(
  name: string,
  input: object,
  toolUseResult: object = {},
  result: object = {},
): object[] {
  ids += 1;
  const id = `toolu_${ids}`;
  const use = { type: 'tool_use', id, name, input };
  const answer = {
    type: 'tool_result',
    tool_use_id: id,
    content: '',
    ...result,
  };
  return [
    { type: 'assistant', message: { content: [use] } },
    { type: 'user', message: { content: [answer] }, toolUseResult },
  ];
}

const A = { file_path: '/project/docs/a.md' };

function read(content: string, startLine = 1, totalLines = 0): object[] {
  const numLines = content.split('\n').length;
  const file = {
    filePath: A.file_path,
    content,
    startLine,
    numLines,
    totalLines: totalLines || numLines,
  };
  return call('Read', A, { type: 'text', file });
}

const write = (content: string, result: object = {}): object[] =>
  call('Write', { ...A, content }, {}, result);

const edit = (
  old_string: string,
  new_string: string,
  details: object = {},
  result: object = {},
): object[] => call('Edit', { ...A, old_string, new_string }, details, result);

const bash = (command: string, content: string): object[] =>
  call('Bash', { command }, {}, { content });

const attached = (content: string): object => ({
  type: 'attachment',
  attachment: {
    type: 'file',
    filename: A.file_path,
    content: { type: 'text', file: { filePath: A.file_path, content } },
  },
});

const boundary = (allUuids: string[] = []): object => ({
  type: 'system',
  subtype: 'compact_boundary',
  compactMetadata: { preservedMessages: { allUuids } },
});

const TEXT = 'one\ntwo\n\nfour\n';

describe('a file is in the context', () => {
  it.each<[how: string, records: object[]]>([
    ['by a Read of the whole file', read(TEXT)],
    [
      'by several Reads that make it up',
      [...read('four\n', 4, 5), ...read('one\ntwo\n', 1, 5)],
    ],
    ['by a Write', write(TEXT)],
    ['by an attachment of the client', [attached(TEXT)]],
    [
      'by an Edit of a file that was',
      [...read('one\n2\n\nfour\n'), ...edit('2', 'two')],
    ],
    [
      'by several edits of a file that the agent wrote',
      [...write('1\n2\n\nfour\n'), ...edit('1', 'one'), ...edit('2', 'two')],
    ],
    [
      'by an Edit whose text stands there more than once, if the client recorded what was before',
      [
        ...write('one\ntwo\n\nx\n'),
        ...edit('x', 'four', { originalFile: 'one\ntwo\n\nx\n' }),
      ],
    ],
    ['by cat', bash('cat docs/a.md', TEXT.trim())],
    [
      'by a command line of several parts that fails at its end',
      call(
        'Bash',
        { command: 'cd docs && sed -n 1,200p a.md; cat b.md; false' },
        {},
        { content: `Exit code 1\n${TEXT}other`, is_error: true },
      ),
    ],
    [
      'by a here-document that wrote it',
      bash(`cat > docs/a.md <<'EOF'\n${TEXT}EOF`, ''),
    ],
    [
      'by an output in blocks',
      call(
        'Bash',
        { command: 'head docs/a.md' },
        {},
        { content: [{ type: 'text', text: TEXT }] },
      ),
    ],
    ['with the line ends of Windows', read(TEXT.replaceAll('\n', '\r\n'))],
    [
      'if the compaction kept the message',
      [
        ...read(TEXT).map((record) => ({ ...record, uuid: 'kept' })),
        boundary(['kept']),
      ],
    ],
  ])('%s', (_how, records) => {
    expect(shown(records, { 'docs/a.md': TEXT })).toEqual({
      'docs/a.md': 'whole',
    });
  });
});

describe('a file is not in the context', () => {
  it.each<[why: string, records: object[], showing?: Showing]>([
    ['that was read before the last compaction', [...read(TEXT), boundary()]],
    ['of which only a part was read', read('one\ntwo', 1, 4)],
    ['that says something else now', read('one\n2\n\nfour\n'), 'changed'],
    [
      'that was edited without being shown',
      edit('2', 'two', { originalFile: 'one\n2\n\nfour\n' }),
    ],
    [
      'that was changed by something else after an edit',
      [...write('1\n2\n'), ...edit('1', 'one')],
      'changed',
    ],
    [
      'by an Edit that failed',
      [
        ...write('one\n2\n\nfour\n'),
        ...edit('2', 'two', {}, { is_error: true }),
      ],
      'changed',
    ],
    ['by a Write that was denied', write(TEXT, { is_error: true })],
    [
      'by a command that prints a part of it',
      bash('head -2 docs/a.md', 'one\ntwo'),
    ],
    ['by a command that names another file', bash('cat docs/b.md', TEXT)],
    [
      'by a Read of a sub-agent',
      read(TEXT).map((record) => ({ ...record, isSidechain: true })),
    ],
    [
      'by a repeated Read, which only says that nothing has changed',
      call('Read', A, {
        type: 'file_unchanged',
        file: { filePath: A.file_path },
      }),
    ],
    [
      'by a notice of the client that it changed',
      [
        {
          type: 'attachment',
          attachment: {
            type: 'edited_text_file',
            filename: A.file_path,
            snippet: TEXT,
          },
        },
      ],
    ],
    [
      'by anything that has another form',
      [
        { message: { content: 'x' } },
        { attachment: { type: 'file' } },
        ...call('Read', {}),
        ...call('Edit', A),
      ],
    ],
  ])('%s', (_why, records, showing) => {
    const expected = showing === undefined ? {} : { 'docs/a.md': showing };
    expect(shown(records, { 'docs/a.md': TEXT })).toEqual(expected);
  });
});

test('an empty file is not shown by a command that names it', () => {
  expect(shown(bash('touch docs/a.md', ''), { 'docs/a.md': '' })).toEqual({});
});

test('no transcript is not the same as one that shows nothing', () => {
  expect(filesShown(`${transcript}.gone`, [], pathOf)).toBeNull();
  expect(shown([], { 'docs/a.md': TEXT })).toEqual({});
});

test('what the agent wrote and edited is in the context, whatever it wrote', () => {
  const word = fc.stringMatching(/^[ab\n$&]{0,6}$/);
  const edits = fc.array(fc.tuple(word, word), { maxLength: 4 });
  fc.assert(
    fc.property(word, edits, (first, changes) => {
      const records = write(first);
      let text = first;
      for (const [from, to] of changes) {
        if (from === '' || !text.includes(from)) continue;
        records.push(...edit(from, to, { originalFile: text }));
        text = text.replace(from, () => to);
      }
      expect(shown(records, { 'docs/a.md': text })).toEqual({
        'docs/a.md': 'whole',
      });
    }),
  );
});

describe('a recorded conversation of client 2.1.327', () => {
  interface Recorded {
    attachment?: {
      type: string;
      filename: string;
      content: { file: { content: string } };
    };
    subtype?: string;
  }
  const recorded: Recorded[] = readFileSync(
    new URL(
      'claude-code-2.1.327/transcript-around-compactions.jsonl',
      RECORDINGS,
    ),
    'utf8',
  )
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  const second = recorded.findLastIndex(
    ({ subtype }) => subtype === 'compact_boundary',
  );
  /** As the client attached the files last. */
  const files: Record<string, string> = {};
  for (const { attachment } of recorded)
    if (attachment?.type === 'file')
      files[pathOf(attachment.filename)] = attachment.content.file.content;

  it('shows nothing right after a compaction, then what the client attached again', () => {
    expect(shown(recorded.slice(0, second + 1), files)).toEqual({});
    expect(shown(recorded, files)).toEqual({
      'docs/design-discounts.md': 'whole',
      'test/cart.test.js': 'whole',
      'test/money.test.js': 'whole',
      'src/money.js': 'whole',
      'src/cart.js': 'whole',
    });
  });

  it('shows what was attached and edited since, not what a shell command changed', () => {
    expect(shown(recorded.slice(0, second), files)).toEqual({
      'docs/design-discounts.md': 'whole',
      'docs/style.md': 'whole',
      'docs/discounts.md': 'whole',
    });
  });
});

test('a recorded conversation of client 2.1.197 shows what was read, and what was attached again', () => {
  const lines = readFileSync(
    new URL(
      'claude-code-2.1.197/transcript-around-compaction.jsonl',
      RECORDINGS,
    ),
    'utf8',
  )
    .trim()
    .split('\n')
    .map((line): { subtype?: string } => JSON.parse(line));
  const file = { '../home/dev/shop/a.md': 'A-FILE\n' };
  const whole = { '../home/dev/shop/a.md': 'whole' };
  const at = lines.findIndex(({ subtype }) => subtype === 'compact_boundary');
  expect(shown(lines.slice(0, at), file)).toEqual(whole);
  expect(shown(lines.slice(0, at + 1), file)).toEqual({});
  expect(shown(lines, file)).toEqual(whole);
});
