import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';

/** A run as somebody would have it in the middle of their work, and what a session must still know after a compaction. */
export interface TokenRun {
  name: string;
  /** Files of the project by their path: their text, or the document beside the run that it is a copy of. */
  files: Record<string, string>;
  copies: Record<string, string>;
  commands: { run: string[]; input: string }[];
  /** Texts that the guidance must have, character by character. */
  facts: string[];
}

export function readTokenRuns(folder: string): TokenRun[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .toSorted()
    .map((file) => tokenRun(file, parse(readFileSync(join(folder, file), 'utf8'))));
}

function tokenRun(file: string, given: unknown): TokenRun {
  const fields = object(file, given);
  const { name, commands, facts } = fields;
  if (typeof name !== 'string') throw new Error(`${file}: it has no name`);
  if (!Array.isArray(facts) || facts.length === 0 || !facts.every(isText))
    throw new Error(`${file}: its facts are a list of texts, one at least`);
  if (!Array.isArray(commands)) throw new Error(`${file}: it has no list of commands`);
  return {
    name,
    files: texts(file, fields['files'] ?? {}),
    copies: texts(file, fields['copies'] ?? {}),
    commands: commands.map((command) => {
      const { run, input } = object(file, command);
      if (!Array.isArray(run) || !run.every(isText)) throw new Error(`${file}: what is to be run?`);
      return { run, input: isText(input) ? input : '' };
    }),
    facts,
  };
}

/** The project of a run on disk. */
export function writeProject(root: string, run: TokenRun, folder: string): void {
  mkdirSync(join(root, '.git'), { recursive: true });
  const copied = Object.entries(run.copies).map(([path, from]): [string, string] => [
    path,
    readFileSync(join(folder, from), 'utf8'),
  ]);
  for (const [path, text] of [...copied, ...Object.entries(run.files)]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

function object(file: string, value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new Error(`${file}: no object`);
  return Object.fromEntries(Object.entries(value));
}

function texts(file: string, value: unknown): Record<string, string> {
  const entries = Object.entries(object(file, value));
  return Object.fromEntries(
    entries.map(([path, text]) => {
      if (!isText(text)) throw new Error(`${file}: ${path} is no text`);
      return [path, text];
    }),
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
