import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bundledPackages } from '../../scripts/licenses.mjs';
import { repository, sandbox } from '../support/cli.ts';

const named = (folder: string, extension: string, names: string): string[] =>
  names.split(' ').map((name) => `${folder}/${name}.${extension}`);

const EXPECTED = [
  ...named('.claude-plugin', 'json', 'marketplace plugin'),
  '.codex-plugin/plugin.json',
  ...'CHANGELOG.md LICENSE README.md SECURITY.md THIRD_PARTY_LICENSES package.json'.split(
    ' ',
  ),
  ...'bin/holdfast bin/holdfast.cjs bin/hook.sh hooks/codex.json hooks/hooks.json'.split(
    ' ',
  ),
  ...named(
    'commands',
    'md',
    'advance approve ask auto complete mcp pivot prime reject release resume skip start status sync todo trust ui',
  ),
  ...named('dist', 'cjs', 'cli hook mcp'),
  ...named('dist/module', 'js', 'opencode register'),
  'dist/ui.html',
  ...named('schemas', 'schema.json', 'run-events settings state template'),
  'skills/holdfast/SKILL.md',
  ...named(
    'workflows',
    'yaml',
    'bugfix code-review-cycle context-example default feature planning qa-loop',
  ),
];

const read = (path: string): string =>
  readFileSync(join(repository, path), 'utf8');

it('the package has what users need, and nothing else', () => {
  const output = execFileSync(
    'npm',
    ['pack', '--dry-run', '--json', '--ignore-scripts'],
    {
      cwd: repository,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  const [{ files }]: [{ files: { path: string }[] }] = JSON.parse(output);
  // The README leads to the pages of docs/.
  const docs = readdirSync(join(repository, 'docs'), {
    recursive: true,
    encoding: 'utf8',
  })
    .filter((name) => /\.\w+$/.test(name))
    .map((name) => `docs/${name}`);
  expect(files.map(({ path }) => path).toSorted()).toEqual(
    [...EXPECTED, ...docs].toSorted(),
  );
});

it('the licence of every package in the bundles goes along', () => {
  const metafiles = readdirSync(join(repository, 'dist'))
    .filter((name) => name.endsWith('.meta.json'))
    .map((name) => JSON.parse(read(`dist/${name}`)));
  const packages = bundledPackages(metafiles).map((folder) =>
    JSON.parse(read(`${folder}/package.json`)),
  );
  expect(packages.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'commander',
      'yaml',
      '@modelcontextprotocol/server',
    ]),
  );
  const licences = read('THIRD_PARTY_LICENSES');
  for (const { name, version } of packages)
    expect(licences).toContain(`\n${name} ${version} (`);
  expect(licences).toContain('Permission is hereby granted');
  expect(licences).toContain('Apache License');
});

it('settings may name their schema, for editors', () => {
  const settings = {
    $schema: '../node_modules/holdfast/schemas/settings.schema.json',
  };
  const box = sandbox({ '.claude/holdfast.json': JSON.stringify(settings) });
  expect(box.run(['status']).stderr).toBe('');
});
