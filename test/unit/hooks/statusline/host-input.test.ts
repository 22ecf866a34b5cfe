import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { parseHostInput } from '../../../../src/hooks/status-line.ts';

describe.each(['2.1.197', '2.1.325'])('what client %s gives', (version) => {
  const recorded: Record<string, object> = JSON.parse(
    readFileSync(
      new URL(
        `../../../fixtures/host-recordings/statusline-${version}.json`,
        import.meta.url,
      ),
      'utf8',
    ),
  );

  it.each([
    ['at_start', null],
    ['after_a_turn', 4],
    ['after_compact_before_next_turn', null],
    ['above_200k', 26],
    ['after_clear', null],
  ])('%s', (moment, fill) => {
    const input = parseHostInput(JSON.stringify(recorded[moment]), {});
    expect(input).toEqual({
      session: expect.stringMatching(/^[0-9a-f-]{36}$/),
      folders: ['/home/dev/shop', '/home/dev/shop', '/home/dev/shop'],
      fill,
    });
  });
});

test('the fill counts against the window in which the client compacts, cached tokens included', () => {
  const usage = {
    input_tokens: 1_000,
    cache_creation_input_tokens: 4_000,
    cache_read_input_tokens: 62_000,
  };
  const context = { current_usage: usage, context_window_size: 200_000 };
  const text = JSON.stringify({ session_id: 's', context_window: context });
  expect(parseHostInput(text, {})?.fill).toBe(40);
  expect(
    parseHostInput(text, { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '100000' })?.fill,
  ).toBe(100);
  expect(
    parseHostInput(text, { CLAUDE_CODE_AUTO_COMPACT_WINDOW: 'x' })?.fill,
  ).toBe(40);
});
