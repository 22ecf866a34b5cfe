import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseStreamLine, splitLines } from '../../../src/headless/stream.ts';
import { repetitions } from '../../support/repetitions.ts';

describe('lines of a stream', () => {
  it('are the same however the stream is cut, and end with nothing but a line feed', () => {
    const line = fc
      .string({ unit: 'grapheme', maxLength: 20 })
      .map((text) => `x${text}\u2028\r`);
    const size = fc.integer({ min: 1, max: 9 });
    fc.assert(
      fc.property(
        fc.array(line),
        fc.array(size, { minLength: 1 }),
        (lines, sizes) => {
          const whole = lines.map((text) => `${text}\n`).join('');
          const found: string[] = [];
          const push = splitLines((text) => found.push(text));
          for (let from = 0, n = 0; from < whole.length; n += 1) {
            const to = from + (sizes[n % sizes.length] ?? 1);
            push(whole.slice(from, to));
            from = to;
          }
          expect(found).toEqual(lines);
        },
      ),
      { numRuns: repetitions(200) },
    );
  });
});

const assistant = (fields: object) => ({
  type: 'assistant',
  message: {
    id: 'm1',
    usage: { input_tokens: 5, cache_read_input_tokens: 7, output_tokens: 1 },
    content: [
      { type: 'text', text: 'slow down' },
      { type: 'tool_use', name: 'Read', input: { file_path: 'a' } },
    ],
  },
  ...fields,
});
const tool = { kind: 'tool', name: 'Read', input: { file_path: 'a' } };

describe('a line of the stream', () => {
  it('of any content is answered', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (line) => {
        expect(Array.isArray(parseStreamLine(line))).toBe(true);
      }),
      { numRuns: repetitions(500) },
    );
  });

  it.each<[object, object[]]>([
    [
      {
        type: 'system',
        subtype: 'status',
        compact_result: 'failed',
        compact_error: 'no',
      },
      [{ kind: 'compaction_failed', why: 'no' }],
    ],
    [
      {
        type: 'rate_limit_event',
        rate_limit_info: { status: 'allowed', resetsAt: 2 },
      },
      [],
    ],
    [
      assistant({}),
      [
        { kind: 'usage', message: 'm1', usage: { input: 12, output: 1 } },
        { ...tool, isOfSubAgent: false },
      ],
    ],
    [assistant({ parent_tool_use_id: 't' }), [{ ...tool, isOfSubAgent: true }]],
    [
      assistant({ error: 'rate_limit' }),
      [
        { kind: 'api_error', error: 'rate_limit', text: 'slow down\n' },
        { ...tool, isOfSubAgent: false },
      ],
    ],
  ])('%j is understood', (line, messages) => {
    expect(parseStreamLine(JSON.stringify(line))).toEqual(messages);
  });
});
