import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';

/** A realistic run in the middle of its work, and the facts a session must still have after a compaction. */
export interface TokenRun {
  name: string;
  /** Path in the project → text. */
  files: Record<string, string>;
  /** Path in the project → path of the fixture to copy. */
  copies: Record<string, string>;
  commands: { run: string[]; input: string }[];
  /** Texts that the guidance must contain literally. */
  facts: string[];
}

export function readTokenRuns(folder: string): TokenRun[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .toSorted()
    .map((file) =>
      tokenRun(file, parse(readFileSync(join(folder, file), 'utf8'))),
    );
}

function tokenRun(file: string, content: unknown): TokenRun {
  const fields = object(file, content);
  const { name, commands, facts } = fields;
  if (typeof name !== 'string') throw new Error(`${file}: name is missing`);
  if (!Array.isArray(facts) || facts.length === 0 || !facts.every(isText))
    throw new Error(`${file}: facts must be a list of one or more strings`);
  if (!Array.isArray(commands))
    throw new Error(`${file}: commands must be a list`);
  return {
    name,
    files: texts(file, fields['files'] ?? {}),
    copies: texts(file, fields['copies'] ?? {}),
    commands: commands.map((command) => {
      const { run, input } = object(file, command);
      if (!Array.isArray(run) || !run.every(isText))
        throw new Error(`${file}: run must be a list of strings`);
      return { run, input: isText(input) ? input : '' };
    }),
    facts,
  };
}

/** Writes the project of a run. */
export function writeProject(
  root: string,
  run: TokenRun,
  folder: string,
): void {
  mkdirSync(join(root, '.git'), { recursive: true });
  const copied = Object.entries(run.copies).map(
    ([path, from]): [string, string] => [
      path,
      readFileSync(join(folder, from), 'utf8'),
    ],
  );
  for (const [path, text] of [...copied, ...Object.entries(run.files)]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

function object(file: string, value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null)
    throw new Error(`${file}: expected an object`);
  return Object.fromEntries(Object.entries(value));
}

function texts(file: string, value: unknown): Record<string, string> {
  const entries = Object.entries(object(file, value));
  return Object.fromEntries(
    entries.map(([path, text]) => {
      if (!isText(text)) throw new Error(`${file}: ${path} must be a string`);
      return [path, text];
    }),
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
