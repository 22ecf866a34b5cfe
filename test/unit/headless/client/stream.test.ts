import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineSplitter } from '../../../../src/headless/client/stream-lines.ts';
import { parseStreamLine } from '../../../../src/headless/client/stream-message.ts';
import { repetitions } from '../../../support/repetitions.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('lines of a stream', () => {
  it('are the same however the stream is cut into chunks', () => {
    const line = fc
      .string({ unit: 'binary', maxLength: 20 })
      .map((text) => `x${text.replaceAll('\n', ' ')}`);
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.integer({ min: 1, max: 9 })), (lines, sizes) => {
        const whole = bytes(lines.map((text) => `${text}\n`).join(''));
        const splitter = new LineSplitter();
        const found: string[] = [];
        for (let from = 0, n = 0; from < whole.length; n += 1) {
          const size = sizes[n % Math.max(sizes.length, 1)] ?? 7;
          found.push(...splitter.push(whole.slice(from, from + size)));
          from += size;
        }
        expect(found).toEqual(lines.map((text) => new TextDecoder().decode(bytes(text))));
      }),
      { numRuns: repetitions(200) },
    );
  });

  it('keep a line that is not complete yet, and leave out empty ones', () => {
    const splitter = new LineSplitter();
    expect(splitter.push(bytes('one\n\n  \ntw'))).toEqual(['one']);
    expect(splitter.push(bytes('o'))).toEqual([]);
    expect(splitter.push(bytes('\n'))).toEqual(['two']);
  });
});

describe('a line of the stream', () => {
  it('of any content is answered', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (line) => {
        expect(Array.isArray(parseStreamLine(line))).toBe(true);
      }),
      { numRuns: repetitions(500) },
    );
  });

  it('may have its type anywhere, and keys that nobody knows', () => {
    const line = JSON.stringify({
      total_cost_usd: 0.5,
      is_error: true,
      api_error_status: 529,
      of_the_future: {},
      permission_denials: [{ tool_name: 'Write', tool_input: { file_path: 'a' } }, 'odd'],
      modelUsage: {
        small: { inputTokens: 1, contextWindow: 10 },
        main: { inputTokens: 99, contextWindow: 200_000 },
      },
      model_usage_since_last_result: { main: { costUSD: 0.2 }, small: { costUSD: 0.1 } },
      subtype: 'success',
      type: 'result',
    });
    const [message] = parseStreamLine(line);
    expect(message).toMatchObject({
      kind: 'result',
      result: {
        isError: true,
        apiStatus: 529,
        totalCost: 0.5,
        contextWindow: 200_000,
        denials: [{ tool: 'Write', input: { file_path: 'a' } }],
      },
    });
    expect(message?.kind === 'result' ? message.result.turnCost : null).toBeCloseTo(0.3);
  });

  it('of the assistant has its tools and its usage; that of a sub-agent only tools', () => {
    const line = (parent: string | null): string =>
      JSON.stringify({
        type: 'assistant',
        parent_tool_use_id: parent,
        message: {
          id: 'm1',
          usage: { input_tokens: 5, cache_read_input_tokens: 7 },
          content: [
            { type: 'text', text: 'hi' },
            { type: 'tool_use', name: 'Read', input: { file_path: 'a' } },
          ],
        },
      });
    expect(parseStreamLine(line(null)).map(({ kind }) => kind)).toEqual(['usage', 'tool']);
    expect(parseStreamLine(line('toolu_1'))).toMatchObject([
      { kind: 'tool', name: 'Read', isOfSubAgent: true },
    ]);
  });

  it.each([
    [
      { type: 'system', subtype: 'compact_boundary', compact_metadata: { pre_tokens: 9 } },
      { kind: 'compacted', tokensBefore: 9 },
    ],
    [
      { type: 'system', subtype: 'status', compact_result: 'failed', compact_error: 'no' },
      { kind: 'compaction_failed', why: 'no' },
    ],
    [
      { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: 2 } },
      { kind: 'usage_limit', resetsAt: 2_000 },
    ],
    [
      {
        type: 'assistant',
        error: 'rate_limit',
        message: { content: [{ type: 'text', text: 'slow down' }] },
      },
      { kind: 'api_error', error: 'rate_limit', text: 'slow down' },
    ],
  ])('%j is understood', (line, message) => {
    expect(parseStreamLine(JSON.stringify(line))).toEqual([message]);
  });

  it('about a limit that is not reached is no limit', () => {
    const line = { type: 'rate_limit_event', rate_limit_info: { status: 'allowed', resetsAt: 2 } };
    expect(parseStreamLine(JSON.stringify(line))).toEqual([]);
  });
});
