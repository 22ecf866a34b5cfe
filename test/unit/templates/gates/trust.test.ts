import {
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Template } from '../../../../src/machine/template-types.generated.ts';
import {
  countsIn,
  hashOf,
  isTrusted,
  readTrust,
  trust,
  untrust,
  type TrustPlace,
} from '../../../../src/templates/gates/trust.ts';
import { makeProject } from '../../../support/project.ts';
import { saying } from '../../../support/failures.ts';

const now = new Date('2026-01-02T03:04:05Z');

const deploy: Template = {
  name: 'Deploy',
  description: 'Brings it to the servers',
  steps: [
    { id: 'build', type: 'action', instructions: 'Build it', gate: 'npm test' },
  ],
};
const changed: Template = {
  ...deploy,
  steps: [
    {
      id: 'build',
      type: 'action',
      instructions: 'Build it',
      gate: 'npm test; curl evil',
    },
  ],
};

function aPlace(): { place: TrustPlace; folder: string; file: string } {
  const { root, outside: folder } = makeProject();
  const place = { root, config: folder };
  return {
    place,
    folder,
    file: join(folder, 'holdfast/trusted-templates.json'),
  };
}

describe('trust goes by content', () => {
  test('different contents never have the same hash', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const hash = (value: unknown): string =>
          hashOf({ ...deploy, critical_artifacts: { always_load: value } });
        const json = (value: unknown): unknown =>
          JSON.parse(JSON.stringify(value));
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

/** A folder that is the top of a git repository. */
function aRepository(base: string, name: string): string {
  const folder = join(base, name);
  mkdirSync(join(folder, '.git'), { recursive: true });
  return folder;
}

describe('trust goes by project', () => {
  const places = (): { shop: TrustPlace; other: TrustPlace } => {
    const { root, outside: config } = makeProject();
    return {
      shop: { root: aRepository(root, 'shop'), config },
      other: { root: aRepository(root, 'other'), config },
    };
  };

  test('what is trusted in one project is not in another, until it is trusted there as well', () => {
    const { shop, other } = places();
    trust(shop, deploy, 'built-in:deploy', now);
    expect(isTrusted(shop, deploy)).toBe(true);
    expect(isTrusted(other, deploy)).toBe(false);
    trust(other, deploy, 'built-in:deploy', now);
    expect(isTrusted(shop, deploy)).toBe(true);
    expect(isTrusted(other, deploy)).toBe(true);
    expect(readTrust(shop).trusted.map(({ project }) => project)).toEqual([
      shop.root,
      other.root,
    ]);
  });

  test('a link to the project is the project', () => {
    const { shop } = places();
    symlinkSync(shop.root, `${shop.root}-link`);
    trust(
      { ...shop, root: `${shop.root}-link` },
      deploy,
      'built-in:deploy',
      now,
    );
    expect(isTrusted(shop, deploy)).toBe(true);
  });

  test('a worktree counts as its repository, a folder that only says so does not', () => {
    const { shop, other } = places();
    const fix = join(shop.root, '../fix');
    const evil = join(shop.root, '../evil');
    const admin = join(shop.root, '.git/worktrees/fix');
    for (const folder of [fix, evil, admin])
      mkdirSync(folder, { recursive: true });
    writeFileSync(join(admin, 'commondir'), '../..\n');
    writeFileSync(join(admin, 'gitdir'), `${fix}/.git\n`);
    for (const folder of [fix, evil])
      writeFileSync(join(folder, '.git'), `gitdir: ${admin}\n`);
    trust({ ...shop, root: fix }, deploy, 'built-in:deploy', now);
    expect(readTrust(shop).trusted[0]?.project).toBe(shop.root);
    expect(isTrusted(shop, deploy)).toBe(true);
    expect(isTrusted({ ...shop, root: fix }, deploy)).toBe(true);
    expect(isTrusted({ ...shop, root: evil }, deploy)).toBe(false);
    expect(isTrusted(other, deploy)).toBe(false);
  });

  const oldEntry = (file: string) => ({
    hash: hashOf(deploy),
    name: 'Deploy',
    file,
    trusted_at: '2025-01-01T00:00:00.000Z',
  });

  function writeOldEntries({ config }: TrustPlace, ...files: string[]): void {
    mkdirSync(join(config, 'holdfast'));
    const record = { version: 1, templates: files.map(oldEntry) };
    writeFileSync(
      join(config, 'holdfast/trusted-templates.json'),
      JSON.stringify(record),
    );
  }

  test('an entry without a project counts for the project that its file is in', () => {
    const { shop, other } = places();
    const vendored = { ...shop, root: aRepository(shop.root, 'vendor/evil') };
    writeOldEntries(
      shop,
      join(shop.root, '.claude/holdfast/workflows/deploy.yaml'),
    );
    expect(isTrusted(shop, deploy)).toBe(true);
    expect(isTrusted(other, deploy)).toBe(false);
    expect(isTrusted(vendored, deploy)).toBe(false);
    trust(other, deploy, join(other.root, 'deploy.yaml'), now);
    expect(isTrusted(shop, deploy)).toBe(true);
  });

  test('one for a built-in template, or for a file outside of any project, counts nowhere', () => {
    const { shop, other } = places();
    writeOldEntries(
      shop,
      'built-in:deploy',
      join(shop.config, 'templates/deploy.yaml'),
      'shop/x',
    );
    for (const place of [shop, other])
      expect(isTrusted(place, deploy)).toBe(false);
  });

  test('untrust takes it back in this project only', () => {
    const { shop, other } = places();
    trust(shop, deploy, 'built-in:deploy', now);
    trust(other, deploy, 'built-in:deploy', now);
    trust(other, changed, 'built-in:deploy', now);
    const gone = untrust(other, now, (entry) => countsIn(other.root, entry));
    expect(gone.map(({ hash }) => hash)).toEqual([
      hashOf(deploy),
      hashOf(changed),
    ]);
    expect(isTrusted(other, deploy)).toBe(false);
    expect(isTrusted(shop, deploy)).toBe(true);
  });
});

describe('the file', () => {
  test('is for its owner only, and nothing is left beside it', () => {
    const { place, folder, file } = aPlace();
    trust(place, deploy, '/p/deploy.yaml', now);
    trust(place, deploy, '/p/deploy.yaml', now);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, 'holdfast'))).toEqual([
      'trusted-templates.json',
    ]);
    expect(readTrust(place)).toEqual({
      trusted: [
        {
          hash: hashOf(deploy),
          name: 'Deploy',
          file: '/p/deploy.yaml',
          project: place.root,
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
    expect(readTrust(place).problem).toBe(
      `${file} ${why}; no template is trusted`,
    );
  });
});

describe('a record inside the project', () => {
  const entry = {
    hash: hashOf(deploy),
    name: 'Deploy',
    file: '/p',
    trusted_at: 't',
  };

  test('behind a link trusts nothing and says so, and nothing is added to it', () => {
    const project = makeProject();
    const record = JSON.stringify({
      templates: [{ ...entry, project: project.root }],
    });
    project.write('cfg/holdfast/trusted-templates.json', record);
    symlinkSync(project.at('cfg'), join(project.outside, 'cfg'));
    const place = { root: project.root, config: join(project.outside, 'cfg') };
    expect(isTrusted(place, deploy)).toBe(false);
    expect(readTrust(place).problem).toContain('is inside the project');
    expect(() => trust(place, changed, '/p', now)).toThrow(
      saying('where trust does not count'),
    );
    expect(project.read('cfg/holdfast/trusted-templates.json')).toBe(record);
  });

  test('in the repository of the project, above a sub-folder or in the main checkout, trusts nothing', () => {
    const {
      root: base,
      at,
      write,
    } = makeProject({
      'shop/.git/worktrees/fix/commondir': '../..',
      'fix/.git': 'gitdir: ../shop/.git/worktrees/fix',
      'shop/api/.claude/x': '',
    });
    write('shop/.git/worktrees/fix/gitdir', `${base}/fix/.git\n`);
    for (const [root, project] of [
      ['shop/api', 'shop/api'],
      ['fix', 'shop'],
    ] as const) {
      const record = { templates: [{ ...entry, project: at(project) }] };
      write('shop/cfg/holdfast/trusted-templates.json', JSON.stringify(record));
      const place = { root: at(root), config: at('shop/cfg') };
      expect(isTrusted(place, deploy), root).toBe(false);
      expect(readTrust(place).problem).toContain('is inside the project');
    }
  });
});
