import { readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Template } from '../../../../src/templates/template-types.generated.ts';
import {
  hashOf,
  isTrusted,
  readTrust,
  trust,
  type TrustPlace,
} from '../../../../src/templates/gates/trust.ts';
import { makeProject } from '../../../support/project.ts';
import { saying } from '../../../support/failures.ts';

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

function aPlace(): { place: TrustPlace; folder: string; file: string } {
  const { root, outside: folder } = makeProject();
  const place = { root, config: folder };
  return { place, folder, file: join(folder, 'holdfast/trusted-templates.json') };
}

describe('trust goes by content', () => {
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

describe('the file', () => {
  test('is for its owner only, and nothing is left beside it', () => {
    const { place, folder, file } = aPlace();
    trust(place, deploy, '/p/deploy.yaml', now);
    trust(place, deploy, '/p/deploy.yaml', now);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, 'holdfast'))).toEqual(['trusted-templates.json']);
    expect(readTrust(place)).toEqual({
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
    ['[]', 'is not in the expected format'],
    ['{"templates": [{"hash": 1}]}', 'is not in the expected format'],
    ['x'.repeat(1_000_001), 'was not read (too large)'],
  ])('damaged, %.20j, trusts nothing and says so', (text, why) => {
    const { place, file } = aPlace();
    trust(place, deploy, '/p/deploy.yaml', now);
    writeFileSync(file, text);
    expect(isTrusted(place, deploy)).toBe(false);
    expect(readTrust(place).problem).toBe(`${file} ${why}; no template is trusted`);
  });
});

describe('a record inside the project', () => {
  const entry = { hash: hashOf(deploy), name: 'Deploy', file: '/p', trusted_at: 't' };
  const record = JSON.stringify({ templates: [entry] });

  test('behind a link trusts nothing and says so, and nothing is added to it', () => {
    const project = makeProject({ 'cfg/holdfast/trusted-templates.json': record });
    symlinkSync(project.at('cfg'), join(project.outside, 'cfg'));
    const place = { root: project.root, config: join(project.outside, 'cfg') };
    expect(isTrusted(place, deploy)).toBe(false);
    expect(readTrust(place).problem).toContain('is inside the project');
    expect(() => trust(place, changed, '/p', now)).toThrow(saying('where trust does not count'));
    expect(project.read('cfg/holdfast/trusted-templates.json')).toBe(record);
  });
});
