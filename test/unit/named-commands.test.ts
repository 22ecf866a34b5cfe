import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { makeProgram } from '../../src/cli/program.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const commands = new Set(
  makeProgram().commands.map((command) => command.name()),
);

/** What somebody is told to type: in backticks, or after the prompt of a slash command. */
const TYPED = /(?<!return )(?:`|!`|Bash\()holdfast ([a-z]+)/g;

const files = [
  'workflows',
  'src/install/assets',
  'src/text',
  'src/commands',
  'src/runs',
].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name)),
);

test('texts tell to type only commands there are', () => {
  const named = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(TYPED)].map(([, name = '']) => ({
      file,
      name,
    })),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter(({ name }) => !commands.has(name))).toEqual([]);
});
