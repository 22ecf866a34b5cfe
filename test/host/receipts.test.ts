import { readFileSync } from 'node:fs';
import { describe, it } from 'vitest';
import { CLIENT_VERSIONS, ONE_VERSION } from './support/client.ts';
import { given, occurrences } from './support/given.ts';
import {
  doHoldfast,
  programs,
  holdfastSettings,
  openHost,
} from './support/holdfast.ts';

const LONG = 'line\n'.repeat(600);
const NOTE = 'not in this conversation since it was restored: @docs/LONG.md';
const REFUSAL = 'these files of the restored workflow: @docs/LONG.md';

describe.each(ONE_VERSION)(
  'reading that is verified, with client %s',
  (version) => {
    it('unread files are reminded of once', async (context) => {
      const { expect } = context;
      const host = await openHost(version, context, {
        files: { 'docs/LONG.md': LONG },
      });
      const start = doHoldfast('start', 'Checkout', '--read', 'docs/LONG.md');
      await host.print([start, '/compact', 'go on', 'and on']);
      for (const turn of host.model.turns().slice(-2))
        expect(occurrences(given(turn), NOTE)).toBe(1);
    });

    it('files that were read are not', async (context) => {
      const { expect } = context;
      const host = await openHost(version, context, {
        files: { 'docs/LONG.md': LONG },
      });
      const read = `DO:READ ${host.project.path('docs/LONG.md')}`;
      const start = doHoldfast('start', 'Checkout', '--read', 'docs/LONG.md');
      const again = [doHoldfast('release'), doHoldfast('resume', 'checkout')];
      await host.print([[start, ...again, read].join(' THEN '), 'go on']);
      expect(given(host.model.turns().at(-1))).toContain(
        'have to be opened with the Read tool',
      );
      expect(given(host.model.turns().at(-1))).not.toContain(
        'not in this conversation since it was restored',
      );
    });
  },
);

describe.each(CLIENT_VERSIONS)(
  'reading that is verified, with client %s',
  (version) => {
    it('in block mode an Edit waits until the Read happened; sub-agents and holdfast do not', async (context) => {
      const { expect } = context;
      const host = await openHost(version, context, {
        files: {
          'docs/LONG.md': LONG,
          'src/a.txt': 'before\n',
          '.claude/holdfast.json': { reading: { enforce: 'block' } },
          '.claude/settings.json': holdfastSettings({ isBlocking: true }),
        },
        env: { PATH: `${programs}:${process.env['PATH']}` },
      });
      const file = host.project.path('src/a.txt');
      const edit = `DO:READ ${file} THEN DO:EDIT ${file} before => after`;
      const start = doHoldfast('start', 'Checkout', '--read', 'docs/LONG.md');
      const { sessionId } = await host.print([start, '/compact', edit]);
      expect(given(host.model.turns().at(-1))).toContain(REFUSAL);
      expect(readFileSync(file, 'utf8')).toBe('before\n');

      const agent = `DO:AGENT DO:BASH echo sub > ${host.project.path('src/sub.txt')}`;
      const held = `DO:BASH holdfast update --remind HELD-BACK-BY-NOBODY\n${agent}`;
      const read = `DO:READ ${host.project.path('docs/LONG.md')} THEN ${edit}`;
      await host.print([held, read], { resume: sessionId });
      expect(readFileSync(host.project.path('src/sub.txt'), 'utf8')).toBe(
        'sub\n',
      );
      expect(occurrences(given(host.model.turns().at(-1)), REFUSAL)).toBe(1);
      expect(readFileSync(file, 'utf8')).toBe('after\n');
    });
  },
);
