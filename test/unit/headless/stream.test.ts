import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseStreamLine, sessionCost, splitLines } from '../../../src/headless/stream.ts';
import { repetitions } from '../../support/repetitions.ts';

describe('lines of a stream', () => {
  it('are the same however the stream is cut, and end with nothing but a line feed', () => {
    const line = fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => `x${text}\u2028\r`);
    const size = fc.integer({ min: 1, max: 9 });
    fc.assert(
      fc.property(fc.array(line), fc.array(size, { minLength: 1 }), (lines, sizes) => {
        const whole = lines.map((text) => `${text}\n`).join('');
        const found: string[] = [];
        const push = splitLines((text) => found.push(text));
        for (let from = 0, n = 0; from < whole.length; n += 1) {
          const to = from + (sizes[n % sizes.length] ?? 1);
          push(whole.slice(from, to));
          from = to;
        }
        expect(found).toEqual(lines);
      }),
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
      { type: 'system', subtype: 'compact_boundary', compact_metadata: { pre_tokens: 9 } },
      [{ kind: 'compacted', tokensBefore: 9 }],
    ],
    [
      { type: 'system', subtype: 'status', compact_result: 'failed', compact_error: 'no' },
      [{ kind: 'compaction_failed', why: 'no' }],
    ],
    [
      { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: 2 } },
      [{ kind: 'usage_limit', resetsAt: 2_000 }],
    ],
    [{ type: 'rate_limit_event', rate_limit_info: { status: 'allowed', resetsAt: 2 } }, []],
    [
      { type: 'control_response', response: { request_id: 'r', response: { a: 1 } } },
      [{ kind: 'response', request: 'r', body: { a: 1 } }],
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

  it('may have its type anywhere, and keys that nobody knows', () => {
    const line = {
      total_cost_usd: 0.5,
      is_error: true,
      api_error_status: 529,
      errors: ['a', 'b'],
      of_the_future: {},
      permission_denials: [{ tool_name: 'Write', tool_input: { file_path: 'a' } }, 'odd'],
      modelUsage: {
        small: { inputTokens: 1, contextWindow: 10 },
        main: { inputTokens: 99, contextWindow: 200_000 },
      },
      model_usage_since_last_result: { main: { costUSD: 0.25 }, small: { costUSD: 0.5 } },
      type: 'result',
    };
    expect(parseStreamLine(JSON.stringify(line))).toMatchObject([
      {
        kind: 'result',
        isError: true,
        apiStatus: 529,
        text: 'a; b',
        totalCost: 0.5,
        turnCost: 0.75,
        contextWindow: 200_000,
        denials: [{ tool: 'Write', input: { file_path: 'a' } }],
      },
    ]);
  });
});

it.each([
  [{ text: 'Total cost:            $0.0300' }, 0.03],
  [{ total_cost_usd: 2 }, 2],
  [{ text: 'no idea' }, null],
])('the answer %j names the cost %s', (body, cost) => {
  expect(sessionCost(body)).toBe(cost);
});
