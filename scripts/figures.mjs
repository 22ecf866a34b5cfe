// Fills the figures of the last runs of the long suites (untracked/soak/*.json) into the documents, between
// `<!-- figures: suite -->` and `<!-- /figures -->`. A suite that was not run keeps the figures that stand there.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('..', import.meta.url));
const folder = join(repository, 'docs');

function tableOf(figures) {
  const rows = Object.entries(figures).map(
    ([name, value]) => `| ${name.replaceAll('_', ' ')} | ${value.toLocaleString('en')} |`,
  );
  return ['| | |', '| --- | --- |', ...rows].join('\n');
}

function filledIn(text) {
  return text.replaceAll(
    /(<!-- figures: ([\w-]+) -->\n)[^<]*(<!-- \/figures -->)/g,
    (whole, start, suite, end) => {
      const path = join(repository, `untracked/soak/${suite}.json`);
      if (!existsSync(path)) return whole;
      const { seed: _, ...figures } = JSON.parse(readFileSync(path, 'utf8'));
      return `${start}\n${tableOf(figures)}\n\n${end}`;
    },
  );
}

for (const name of readdirSync(folder).filter((file) => file.endsWith('.md'))) {
  const path = join(folder, name);
  const before = readFileSync(path, 'utf8');
  const after = filledIn(before);
  if (after === before) continue;
  writeFileSync(path, after);
  console.log(`docs/${name}`);
}
