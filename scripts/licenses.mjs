// Collects the licences of the bundled packages.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Of src/sync/secrets/gitleaks-rules.json: without ids, public keys and the generic rule, as regular expressions of JavaScript. */
const RULES_LICENCE = new URL(
  '../src/sync/secrets/gitleaks-rules.LICENSE',
  import.meta.url,
);

const PACKAGE = /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)/;

/** The folders of the packages that are in the bundles. */
export function bundledPackages(metafiles) {
  const inputs = metafiles.flatMap(({ inputs: files }) => Object.keys(files));
  const folders = inputs.flatMap(
    (path) => PACKAGE.exec(path)?.slice(0, 1) ?? [],
  );
  return [...new Set(folders)].toSorted((a, b) => (a < b ? -1 : 1));
}

export function licensesOf(folders) {
  const entries = folders.map((folder) => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    );
    const files = readdirSync(folder).filter((file) =>
      /^(licen[cs]e|notice|copying)/i.test(file),
    );
    if (files.length === 0)
      throw new Error(`${name} is bundled and has no licence text`);
    const texts = files
      .toSorted()
      .map((file) => readFileSync(join(folder, file), 'utf8').trim());
    return [`${name} ${version} (${license})`, ...texts].join('\n\n');
  });
  const rules = [
    'rules of gitleaks 8.16.0 (MIT)',
    readFileSync(RULES_LICENCE, 'utf8').trim(),
  ];
  const intro =
    'The files in dist/ contain code of the following packages, under these licences.';
  return `${[intro, ...entries, rules.join('\n\n')].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
