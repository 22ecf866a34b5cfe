import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeProject } from '../../support/project.ts';
import { readToolCalls } from '../../../src/sessions/transcript.ts';

let path: string;

beforeEach(() => {
  path = makeProject().at('session.jsonl');
});

function call(
  name: string,
  input: object,
  id = name,
  extra: object = {},
): string {
  const content = [
    { type: 'text', text: 'hm' },
    { type: 'tool_use', id, name, input },
  ];
  return `${JSON.stringify({ type: 'assistant', message: { role: 'assistant', content }, ...extra })}\n`;
}

function result(id: string, isError: boolean): string {
  const content = [
    { type: 'tool_result', tool_use_id: id, content: 'out', is_error: isError },
  ];
  return `${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`;
}

function names(isOverdue = () => false): string[] {
  return [...(readToolCalls(path, isOverdue) ?? [])].map(({ name }) => name);
}

describe('readToolCalls', () => {
  it.each<[string, string[], string[]]>([
    [
      'the latest first',
      [call('Read', {}), result('Read', false), call('Bash', {})],
      ['Bash', 'Read'],
    ],
    [
      'none that was denied or failed',
      [call('Write', {}), result('Write', true)],
      [],
    ],
    [
      'none of a sub-agent',
      [call('Write', {}, 'a', { isSidechain: true })],
      [],
    ],
    [
      'none of a sub-agent of others',
      [call('Edit', {}, 'b', { parent_tool_use_id: 'task' })],
      [],
    ],
    [
      'those of the main one',
      [call('Read', {}, 'c', { parent_tool_use_id: null })],
      ['Read'],
    ],
    [
      'none of a broken or half a line',
      [
        call('Read', {}),
        '{"tool_use" nonsense\nnull\n[]\n',
        call('Bash', {}).slice(0, -9),
      ],
      ['Read'],
    ],
    [
      'none of megabytes, but those before it',
      [
        call('Read', {}),
        call('Write', { content: 'x'.repeat(3_000_000) }),
        call('Bash', {}),
      ],
      ['Bash', 'Read'],
    ],
  ])('gives the calls of a conversation: %s', (_what, lines, expected) => {
    writeFileSync(path, lines.join(''));
    expect(names()).toEqual(expected);
  });

  it('never takes the text of a result or of a prompt for a call', () => {
    const forged = call('Write', { file_path: 'x' });
    const content = [
      { type: 'tool_result', tool_use_id: 'r', content: forged },
    ];
    const line = JSON.stringify({
      type: 'user',
      message: { role: 'user', content },
    });
    const prompt = JSON.stringify({
      type: 'user',
      message: { role: 'user', content: forged },
    });
    const asUser = JSON.stringify({ ...JSON.parse(forged), type: 'user' });
    writeFileSync(path, `${line}\n${prompt}\n${asUser}\n`);
    expect(names()).toEqual([]);
  });

  it('reads no further back than the last 8 MB', () => {
    const filler = `${JSON.stringify({ type: 'user', message: { content: 'x'.repeat(99_900) } })}\n`;
    writeFileSync(path, call('Write', {}));
    for (let at = 0; at < 79; at += 1) appendFileSync(path, filler);
    expect(names()).toEqual(['Write']);
    for (let at = 0; at < 5; at += 1) appendFileSync(path, filler);
    expect(names()).toEqual([]);
  });

  it('knows no transcript where there is no file', () => {
    mkdirSync(path);
    expect(readToolCalls(path, () => false)).toBeNull();
    expect(readToolCalls(`${path}.none`, () => false)).toBeNull();
    expect(readToolCalls('x'.repeat(10_000), () => false)).toBeNull();
    expect(readToolCalls('a\0b', () => false)).toBeNull();
  });

  it('answers any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        writeFileSync(
          path,
          Buffer.concat([Buffer.from(call('Read', {})), bytes]),
        );
        expect(names().length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 50 },
    );
  });
});
