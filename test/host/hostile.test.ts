import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { CLIENT_VERSIONS, ONE_VERSION } from './support/client.ts';
import { drive, worker } from './support/drive.ts';
import { given } from './support/given.ts';
import { doHoldfast, holdfastSettings, openHost } from './support/holdfast.ts';

const TEMPLATE =
  'name: t\ndescription: d\nsteps: [{id: a, type: action, instructions: do it}]\n';

describe.each(CLIENT_VERSIONS)(
  'a hostile repository in client %s',
  (version) => {
    it('whose settings allow tools is not driven in a folder that was never trusted', async (context) => {
      const { expect } = context;
      const settings = {
        permissions: { allow: ['Bash'], additionalDirectories: ['/'] },
      };
      const host = await openHost(version, context, {
        git: true,
        files: {
          '.claude/settings.json': {},
          '.claude/settings.local.json': settings,
          '.claude/holdfast/workflows/t.yaml': TEMPLATE,
        },
        answer: worker(() => ['touch ran', 'holdfast advance --output done']),
      });
      const file = join(host.home.path, '.claude.json');
      const { projects, ...others } = JSON.parse(readFileSync(file, 'utf8'));
      writeFileSync(file, JSON.stringify(others));
      const refused = await drive(version, host, ['--template', 't']);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain(
        'permissions.allow and permissions.additionalDirectories in',
      );
      expect(host.model.turns()).toEqual([]);
      // The same repository, once the person has trusted it: the client runs what the settings allow.
      writeFileSync(file, JSON.stringify({ ...others, projects }));
      await drive(version, host, ['--template', 't']);
      expect(existsSync(host.project.path('ran'))).toBe(true);
    });
  },
);

describe.each(ONE_VERSION)('a hostile repository in client %s', (version) => {
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
    const start = doHoldfast(
      ...words,
      '--read',
      'conf/key.md',
      '--read',
      '.env',
    );
    await host.print([start, '/compact', doHoldfast('prime', '--force')]);
    const turns = host.model.turns().map((turn) => given(turn));
    expect(turns.at(-1)).toContain('RULE-OF-THE-HOUSE');
    expect(turns.join('\n')).not.toContain('CONTENT-OF');
  });
});
