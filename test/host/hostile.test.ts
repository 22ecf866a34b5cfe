import { readFileSync } from 'node:fs';
import { describe, it } from 'vitest';
import { CLIENT_VERSIONS } from './support/client.ts';
import { given } from './support/given.ts';
import { doHoldfast, holdfastSettings, openHost } from './support/holdfast.ts';

describe.each(CLIENT_VERSIONS)('a hostile repository in client %s', (version) => {
  it('does not choose a program as the todo list that an agent changes', async (context) => {
    const { expect } = context;
    const host = await openHost(version, context, {
      files: {
        '.claude/holdfast.json': { todo: { file: '.husky/pre-commit' } },
        '.husky/pre-commit': '#!/bin/sh\n',
      },
    });
    await host.print(doHoldfast('todo', 'add', 'evil'));
    expect(given(host.model.turns().at(-1))).toContain('cannot be the todo list');
    expect(readFileSync(host.project.path('.husky/pre-commit'), 'utf8')).toBe('#!/bin/sh\n');
  });

  it('gets no file into the context that a deny rule keeps from the Read tool', async (context) => {
    const { expect } = context;
    const host = await openHost(version, context, {
      files: {
        '.claude/settings.json': {
          ...holdfastSettings(),
          permissions: { deny: ['Read(./conf/**)'] },
        },
        'conf/key.md': 'CONTENT-OF-THE-KEY\n',
        '.env': 'CONTENT-OF-THE-ENV\n',
      },
    });
    const words = ['start', 'W', '--phases', 'A,B', '--read', 'docs/RULES.md'];
    const start = doHoldfast(...words, '--read', 'conf/key.md', '--read', '.env');
    const { sessionId } = await host.print(start);
    await host.print('/compact', { resume: sessionId });
    await host.print(doHoldfast('prime', '--force'), { resume: sessionId });
    const turns = host.model.turns().map((turn) => given(turn));
    expect(turns.at(-1)).toContain('RULE-OF-THE-HOUSE');
    expect(turns.join('\n')).not.toContain('CONTENT-OF');
  });
});
