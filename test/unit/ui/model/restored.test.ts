import { expect, it } from 'vitest';
import { sectionsOfRestored } from '../../../../src/ui/model/restored.ts';
import { injectedTexts } from '../../../../src/ui/model/transcript-texts.ts';

const event = (sections: unknown): { event: string; sections: unknown } => ({
  event: 'restored',
  sections,
});

it('a text is cut at the recorded sizes', () => {
  expect(
    sectionsOfRestored(
      'abc\n\nde',
      event([
        ['head', 3],
        ['ACTION REQUIRED', 2],
      ]),
    ),
  ).toEqual([
    { name: 'Title and phase', text: 'abc' },
    { name: 'ACTION REQUIRED', text: 'de' },
  ]);
});

it.each([
  undefined,
  [],
  [['head', 3]],
  [
    ['head', 30],
    ['x', 2],
  ],
  'x',
])('a text that does not fit the recorded sizes %j is one section', (sections) => {
  expect(sectionsOfRestored('abc\n\nde', event(sections))).toEqual([
    { name: 'Text', text: 'abc\n\nde' },
  ]);
});

const attachment = (fields: object): string =>
  JSON.stringify({
    timestamp: '2025-06-01T12:00:00Z',
    attachment: {
      type: 'hook_success',
      stdout: JSON.stringify({ hookSpecificOutput: { additionalContext: 'THE TEXT' } }),
      ...fields,
    },
  });

it('finds what hooks gave to the model in a transcript', () => {
  expect(injectedTexts([attachment({})])).toEqual([
    { at: Date.parse('2025-06-01T12:00:00Z'), text: 'THE TEXT' },
  ]);
});

it.each([
  ['of hooks that failed', attachment({ type: 'hook_non_blocking_error' })],
  ['that are not a reply', attachment({ stdout: 'additionalContext' })],
  ['with another value', attachment({ stdout: '{"hookSpecificOutput":{"additionalContext":7}}' })],
  ['that are cut off', attachment({}).slice(0, -9)],
  ['without a time', attachment({}).replace('2025', 'xxxx')],
  ['of messages', JSON.stringify({ message: { content: 'additionalContext' } })],
])('ignores lines %s', (_, line) => {
  expect(injectedTexts([line])).toEqual([]);
});
