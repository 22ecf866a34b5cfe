import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { preProcessFile } from 'typescript';
import { expect, it } from 'vitest';

/** A folder below src/ imports only from folders of earlier lines; folders that share a line never import each other. */
const LAYERS = [
  ['text'],
  ['files'],
  ['settings'],
  ['hosts'],
  ['machine'],
  ['state'],
  ['sessions'],
  ['sources'],
  ['templates'],
  ['guidance'],
  ['runs'],
  ['install'],
  ['doctor'],
  ['headless', 'sync', 'ui'],
  ['commands'],
  ['hooks', 'mcp', 'cli', 'autopilot'],
];

/** What the build bundles; importing one of these files would run a program. */
const ENTRY_POINT = /^(hooks|mcp|cli)\/main\.ts$/;

const source = fileURLToPath(new URL('../../src', import.meta.url));
const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.[jt]sx?$/.test(path))
  .map((path) => path.replaceAll(sep, '/'));
/** Path below src/ → the files that it imports, type imports and `import()` included. */
const imports = new Map(files.map((file) => [file, importsOf(file)]));
const layerOf = (file: string): number =>
  LAYERS.findIndex((folders) => folders.includes(file.split('/')[0] ?? ''));

function importsOf(file: string): string[] {
  const text = readFileSync(join(source, file), 'utf8');
  return preProcessFile(text, true, true)
    .importedFiles.map(({ fileName }) => fileName)
    .filter((name) => name.startsWith('.'))
    .map((name) =>
      relative(source, join(source, dirname(file), name)).replaceAll(sep, '/'),
    )
    .filter((path) => !path.startsWith('../'));
}

it('every folder below src/ has its place among the layers', () => {
  const folders = readdirSync(source);
  expect(LAYERS.flat().toSorted()).toEqual(folders.toSorted());
});

it('imports point down the layers', () => {
  const upward = [...imports].flatMap(([file, targets]) =>
    targets
      .filter((target) => target.split('/')[0] !== file.split('/')[0])
      .filter((target) => layerOf(target) >= layerOf(file))
      .map((target) => `src/${file} imports ${target}`),
  );
  expect(upward).toEqual([]);
});

it('the module, which runs inside the client, takes only small helpers and types with it', () => {
  const taken = [...imports]
    .filter(([file]) => file.startsWith('autopilot/'))
    .flatMap(([, targets]) => targets)
    .filter((target) => !/^(autopilot|text)\//.test(target));
  expect(new Set(taken)).toEqual(new Set(['commands/json/documents.ts']));
});

it('no file imports itself through others', () => {
  const cycles: string[] = [];
  const finished = new Set<string>();
  const visit = (file: string, trail: readonly string[]): void => {
    if (trail.includes(file))
      cycles.push([...trail.slice(trail.indexOf(file)), file].join(' → '));
    if (finished.has(file) || trail.includes(file)) return;
    for (const target of imports.get(file) ?? [])
      visit(target, [...trail, file]);
    finished.add(file);
  };
  for (const file of files) visit(file, []);
  expect(cycles).toEqual([]);
});

it('nothing imports an entry point', () => {
  expect(files).toEqual(
    expect.arrayContaining(['hooks/main.ts', 'mcp/main.ts', 'cli/main.ts']),
  );
  const importers = [...imports].flatMap(([file, targets]) =>
    targets
      .filter((target) => ENTRY_POINT.test(target))
      .map((target) => `src/${file} imports ${target}`),
  );
  expect(importers).toEqual([]);
});
