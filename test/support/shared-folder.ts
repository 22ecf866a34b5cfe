import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const VARIABLE = 'HOLDFAST_TEST_FOLDER';

/** For vitest: makes the folder before the tests and removes it after them. */
export default function makeSharedFolder(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-shared-'));
  process.env[VARIABLE] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

/** For what the test files of a worker share. A worker is killed at its end, so it cannot remove anything itself. */
export function sharedFolder(): string {
  const folder = process.env[VARIABLE];
  if (folder === undefined)
    throw new Error('only integration tests have a shared folder');
  return folder;
}
