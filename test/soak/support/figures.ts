import { writeSync } from 'node:fs';
import { join } from 'node:path';
import fse from 'fs-extra';
import { afterEach } from 'vitest';
import { repository } from '../../support/cli.ts';
import { scale } from './scale.ts';

let isSpoilt = false;
afterEach(({ task }) => {
  isSpoilt ||= task.result?.state === 'fail';
});

export type Figures = Record<string, number | string>;

/** One line for whoever watches, and a file from which `npm run figures` fills in the documents. */
export function publish(suite: string, figures: Figures): void {
  const all = { scale, node: process.version, ...figures };
  const told = Object.entries(all).map(([name, value]) => `${name} ${value}`);
  writeSync(1, `soak ${suite}: ${told.join(', ')}\n`);
  // What did not hold is no figure for a document.
  if (isSpoilt) return;
  fse.outputJsonSync(join(repository, `untracked/soak/${suite}.json`), all, { spaces: 2 });
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
