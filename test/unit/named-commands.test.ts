import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { makeProgram } from '../../src/cli/program.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const commands = makeProgram().commands.map((command) => command.name());

/** What somebody is told to type: in backticks, or after the prompt of a slash command. */
const TYPED = /(?<!return )(?:`|!`|Bash\()holdfast ([a-z]+)/g;

const files = ['workflows', 'src/install/assets', 'src/text', 'src/commands', 'src/runs'].flatMap(
  (folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
);

test.each(files)('%s tells to type only commands there are', (file) => {
  const named = [...readFileSync(file, 'utf8').matchAll(TYPED)].map(([, name]) => name);
  for (const name of named) expect(commands).toContain(name);
});

test('the texts do name commands', () => {
  const all = files.map((file) => readFileSync(file, 'utf8')).join('\n');
  expect([...all.matchAll(TYPED)].length).toBeGreaterThan(20);
});
