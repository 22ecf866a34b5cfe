// Publishes the version in package.json to a git remote: a commit with the built package on the branch `release`, from which
// Claude Code, Codex and npm install without a build, and a tag on the commit that it was built from.
// Usage: npm run release -- [--dry-run] [--remote <name or path>]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    'dry-run': { type: 'boolean' },
    remote: { type: 'string', default: 'origin' },
  },
});
const { remote } = values;
const isDryRun = values['dry-run'] === true;
const folder = mkdtempSync(join(tmpdir(), 'holdfast-release-'));

const text = (path) => readFileSync(path, 'utf8');
const json = (path) => JSON.parse(text(path));
const run = (program, words, options = {}) =>
  execFileSync(program, words, {
    encoding: 'utf8',
    maxBuffer: 1e8,
    ...options,
  }).trim();
/** Nobody sees who made the commit of a dry run. */
const author = isDryRun
  ? ['-c', 'user.name=dry run', '-c', 'user.email=dry@run.invalid']
  : [];
/** With an index of its own: that of the checkout stays as it is. */
const env = { ...process.env, GIT_INDEX_FILE: join(folder, 'index') };
const git = (words, input = '') =>
  run('git', [...author, ...words], { input, env });

try {
  const { version } = json('package.json');
  const tag = `v${version}`;
  const notes = changesOf(version);
  const published = remoteRefs();
  const problems = problemsOf(
    version,
    notes,
    published.has(`refs/tags/${tag}`),
  );
  if (problems.length > 0)
    throw new Error(`not released:\n- ${problems.join('\n- ')}`);

  await import('./build.mjs');
  const source = run('git', ['rev-parse', 'HEAD']);
  const before = published.get('refs/heads/release');
  if (before !== undefined)
    git(['fetch', '--quiet', remote, 'refs/heads/release']);
  const files = packedFiles();
  const commit = commitOf(
    files,
    `release ${tag}\n\nBuilt from ${source}.`,
    before,
  );

  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  console.log(
    [
      `${isDryRun ? 'Would release' : 'Releasing'} ${tag} to ${remote}`,
      `branch release: ${commit.slice(0, 12)}, after ${before?.slice(0, 12) ?? 'nothing'}, ${files.length} files, ${Math.round(bytes / 1000)} KB`,
      ...files.map(({ path }) => `  ${path}`),
      `tag ${tag}: ${source.slice(0, 12)}, with these notes:`,
      ...notes.split('\n').map((line) => `  ${line}`.trimEnd()),
    ].join('\n'),
  );
  if (isDryRun) console.log('Nothing was pushed.');
  else {
    git(
      ['tag', '--annotate', tag, '--cleanup=verbatim', '--file=-', source],
      `${tag}\n\n${notes}`,
    );
    const refs = [`${commit}:refs/heads/release`, `refs/tags/${tag}`];
    git(['push', '--quiet', '--atomic', remote, ...refs]);
    console.log('Released.');
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}

function problemsOf(version, notes, isPublished) {
  const places = [
    'package-lock.json',
    '.claude-plugin/plugin.json',
    '.codex-plugin/plugin.json',
  ];
  return [
    ...(run('git', ['status', '--porcelain']) === ''
      ? []
      : ['there are changes to commit']),
    ...places
      .filter((path) => json(path).version !== version)
      .map(
        (path) =>
          `${path} has another version than package.json: \`npm run generate\``,
      ),
    ...(notes === ''
      ? [`CHANGELOG.md does not begin with a section "## ${version}"`]
      : []),
    // Clients take nothing new under a version that they have.
    ...(isPublished
      ? [`v${version} is already published: raise the version`]
      : []),
  ];
}

/** The first section of the changelog, if it is that of this version. */
function changesOf(version) {
  const [, first = ''] = text('CHANGELOG.md').split(/^## /m);
  const [title, ...lines] = first.split('\n');
  return title === version ? lines.join('\n').trim() : '';
}

function remoteRefs() {
  try {
    const lines = run('git', ['ls-remote', remote], { stdio: 'pipe' }).split(
      '\n',
    );
    return new Map(lines.map((line) => line.split('\t').toReversed()));
  } catch (error) {
    if (!isDryRun) throw error;
    console.log(
      `${remote} cannot be read, so it is shown as if it were empty.`,
    );
    return new Map();
  }
}

/** What npm would publish. */
function packedFiles() {
  const [{ files }] = JSON.parse(
    run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts']),
  );
  return files;
}

function commitOf(files, message, parent) {
  git(['read-tree', '--empty']);
  git(
    ['update-index', '--add', '-z', '--stdin'],
    files.map(({ path }) => `${path}\0`).join(''),
  );
  // Nothing is left to build or to install, so npm need not prepare it.
  const {
    scripts: _,
    devDependencies: __,
    overrides: ___,
    ...manifest
  } = json('package.json');
  replace('package.json', manifest);
  const marketplace = json('.claude-plugin/marketplace.json');
  const plugins = marketplace.plugins.map((plugin) => ({
    ...plugin,
    source: './',
  }));
  replace('.claude-plugin/marketplace.json', { ...marketplace, plugins });
  const parents = parent === undefined ? [] : ['-p', parent];
  return git(['commit-tree', git(['write-tree']), ...parents], message);
}

function replace(path, value) {
  const blob = git(
    ['hash-object', '-w', '--stdin'],
    `${JSON.stringify(value, null, 2)}\n`,
  );
  git(['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`]);
}
