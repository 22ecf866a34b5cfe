import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { configFolder } from '../../../src/io/config-folder.ts';
import type { Template } from '../../../src/workflow/template-types.generated.ts';
import { hashOf, isTrusted, readTrust, trust, untrust } from '../../../src/workflow/trust.ts';
import { makeProject } from '../../support/project.ts';

const now = new Date('2026-01-02T03:04:05Z');

const deploy: Template = {
  name: 'Deploy',
  description: 'Brings it to the servers',
  steps: [{ id: 'build', type: 'action', instructions: 'Build it', gate: 'npm test' }],
};
const changed: Template = {
  ...deploy,
  steps: [{ id: 'build', type: 'action', instructions: 'Build it', gate: 'npm test; curl evil' }],
};

function config(): { folder: string; file: string } {
  const folder = makeProject().outside;
  return { folder, file: join(folder, 'holdfast/trusted-templates.json') };
}

describe('trust goes by content', () => {
  test('what was trusted is trusted, and nothing else', () => {
    const { folder } = config();
    expect(isTrusted(folder, deploy)).toBe(false);
    trust(folder, deploy, '/p/deploy.yaml', now);
    expect(isTrusted(folder, deploy)).toBe(true);
    expect(isTrusted(folder, changed)).toBe(false);
    expect(isTrusted(folder, { ...deploy, description: 'Brings it to the server' })).toBe(false);
  });

  test('the order of keys does not matter, and a trip through a state file changes nothing', () => {
    const { steps, ...rest } = deploy;
    expect(hashOf({ steps, ...rest })).toBe(hashOf(deploy));
    expect(hashOf(JSON.parse(JSON.stringify(deploy)))).toBe(hashOf(deploy));
  });

  test('different contents never have the same hash', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const hash = (value: unknown): string =>
          hashOf({ ...deploy, critical_artifacts: { always_load: value } });
        const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
        expect(hash(json(a))).toBe(hash(a));
        fc.pre(JSON.stringify(sorted(a)) !== JSON.stringify(sorted(b)));
        expect(hash(a)).not.toBe(hash(b));
      }),
    );
  });
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, entry]) => [key, sorted(entry)]);
}

describe('trust is taken back', () => {
  test('by the place of the template, whatever has become of its content', () => {
    const { folder } = config();
    trust(folder, deploy, '/p/deploy.yaml', now);
    trust(folder, changed, '/p/deploy.yaml', now);
    expect(untrust(folder, now, ({ file }) => file === '/p/deploy.yaml')).toHaveLength(2);
    expect(isTrusted(folder, deploy) || isTrusted(folder, changed)).toBe(false);
  });

  test('of a content wherever else it was trusted', () => {
    const { folder } = config();
    trust(folder, deploy, '/p/deploy.yaml', now);
    trust(folder, deploy, '/q/deploy.yaml', now);
    untrust(folder, now, ({ file }) => file === '/p/deploy.yaml');
    expect(isTrusted(folder, deploy)).toBe(false);
  });

  test('where nothing fits, nothing is written', () => {
    const { folder } = config();
    expect(untrust(folder, now, () => true)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('the file', () => {
  test('is for its owner only, and nothing is left beside it', () => {
    const { folder, file } = config();
    trust(folder, deploy, '/p/deploy.yaml', now);
    trust(folder, deploy, '/p/deploy.yaml', now);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, 'holdfast'))).toEqual(['trusted-templates.json']);
    expect(readTrust(folder)).toEqual({
      trusted: [
        {
          hash: hashOf(deploy),
          name: 'Deploy',
          file: '/p/deploy.yaml',
          trusted_at: '2026-01-02T03:04:05.000Z',
        },
      ],
      problem: null,
    });
  });

  test.each([
    ['{"templates": [', 'is not JSON'],
    ['[]', 'does not have the form it should'],
    ['{"templates": [{"hash": 1}]}', 'does not have the form it should'],
    ['x'.repeat(1_000_001), 'was not read (too large)'],
  ])('damaged, %.20j, trusts nothing and says so', (text, why) => {
    const { folder, file } = config();
    trust(folder, deploy, '/p/deploy.yaml', now);
    writeFileSync(file, text);
    expect(isTrusted(folder, deploy)).toBe(false);
    expect(readTrust(folder).problem).toBe(`${file} ${why}; no template is trusted`);
  });

  test('damaged, is kept aside when something is trusted again', () => {
    const { folder, file } = config();
    mkdirSync(join(folder, 'holdfast'));
    writeFileSync(file, 'half of it');
    trust(folder, deploy, '/p/deploy.yaml', now);
    expect(isTrusted(folder, deploy)).toBe(true);
    expect(readFileSync(`${file}.corrupt-20260102_030405`, 'utf8')).toBe('half of it');
  });

  test('does not grow without end', () => {
    const { folder, file } = config();
    const entry = { hash: 'h', name: 'n', file: '/f', trusted_at: 't' };
    mkdirSync(join(folder, 'holdfast'));
    writeFileSync(file, JSON.stringify({ templates: Array.from({ length: 1_000 }, () => entry) }));
    trust(folder, deploy, '/p/deploy.yaml', now);
    expect(readTrust(folder).trusted).toHaveLength(1_000);
    expect(isTrusted(folder, deploy)).toBe(true);
  });

  test('that cannot be written is a failure in words', () => {
    const { folder } = config();
    writeFileSync(join(folder, 'holdfast'), 'a file');
    expect(() => trust(folder, deploy, '/p/deploy.yaml', now)).toThrow('is in the way');
  });
});

test('it lies where the user has the configuration of Claude Code', () => {
  expect(configFolder({}, '/home/me')).toBe('/home/me/.claude');
  expect(configFolder({ CLAUDE_CONFIG_DIR: '' }, '/home/me')).toBe('/home/me/.claude');
  expect(configFolder({ CLAUDE_CONFIG_DIR: '/etc/mine' }, '/home/me')).toBe('/etc/mine');
});
