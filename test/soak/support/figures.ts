import { writeSync } from 'node:fs';
import { join } from 'node:path';
import fse from 'fs-extra';
import { afterEach } from 'vitest';
import { repository } from '../../support/cli.ts';
import { scale } from './scale.ts';

let hasFailed = false;
afterEach(({ task }) => {
  hasFailed ||= task.result?.state === 'fail';
});

export type Figures = Record<string, number | string>;

/** Prints one line, and writes the file from which `npm run test:soak -- --figures` updates the documents. */
export function publish(suite: string, figures: Figures): void {
  const all = { scale, node: process.version, ...figures };
  const parts = Object.entries(all).map(([name, value]) => `${name} ${value}`);
  writeSync(1, `soak ${suite}: ${parts.join(', ')}\n`);
  // Figures of a failed suite must not reach the documents.
  if (hasFailed) return;
  fse.outputJsonSync(join(repository, `untracked/soak/${suite}.json`), all, {
    spaces: 2,
  });
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
