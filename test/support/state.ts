import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fse from 'fs-extra';
import type { RunState } from '../../src/state/types.ts';

const STATE = 'untracked/workflow-state';
const ARCHIVE = 'untracked/workflow-archive';

/** The paths of all state files of a project, from its root. */
export function stateFiles(root: string): string[] {
  const folder = join(root, STATE);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) =>
      readdirSync(join(folder, name)).map((file) => `${STATE}/${name}/${file}`),
    )
    .filter((path) => /\/state-[^/]+\.json$/.test(path));
}

export function readRun(root: string, path: string): RunState {
  return JSON.parse(readFileSync(join(root, path), 'utf8'));
}

/** The only run of the project. */
export function onlyRun(root: string): RunState {
  const [path, ...more] = stateFiles(root);
  if (path === undefined || more.length > 0)
    throw new Error(`expected one run, found ${more.length + 1}`);
  return readRun(root, path);
}

export function archived(root: string): string[] {
  const folder = join(root, ARCHIVE);
  return existsSync(folder)
    ? readdirSync(folder).filter((name) => name !== '.gitignore')
    : [];
}

/** A state file as an agent would write it by hand: only the required fields. */
export const minimalState = {
  workflow: 'Release Process',
  workflow_type: 'custom',
  phase: { current: 2, total: 3, name: 'Build', status: 'in_progress' },
  required_reading: ['@docs/RELEASING.md'],
  created_at: '2025-12-09T14:30:52.123456Z',
};

export const minimalPath = `${STATE}/release-process/state-release-process-20251209_143052.json`;

export function writeTree(root: string, tree: Record<string, string>): void {
  for (const [path, content] of Object.entries(tree))
    fse.outputFileSync(join(root, path), content);
}
