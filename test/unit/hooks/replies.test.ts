import { expect, it } from 'vitest';
import { replyFor } from '../../../src/hosts/hosts.ts';

it('Codex would cut the middle out of a longer text: it gets whole lines, and is told what prints the rest', () => {
  const line = '字'.repeat(40);
  const said = {
    hookEventName: 'SessionStart',
    additionalContext: `${line}\n`.repeat(120),
  };
  const reply = JSON.parse(
    replyFor(
      'codex',
      'SessionStart',
      JSON.stringify({ hookSpecificOutput: said }),
    ) ?? '',
  );
  const { additionalContext: text } = reply.hookSpecificOutput;
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(9_900);
  expect(text).toMatch(
    new RegExp(`${line}\\n\\n.*\`holdfast guidance\` prints all of it\\.$`),
  );
});
