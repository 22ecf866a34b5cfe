import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTextFile } from '../../io/read-file.ts';
import { digestOf } from '../../io/digest.ts';
import { runtimeFolder } from '../../io/runtime-paths.ts';
import { shellQuote } from '../../util/shell-quote.ts';

/**
 * A folder whose `holdfast` is the one that drives the run: the agent's shell finds it first. Outside the project, and
 * not in the folder for temporary files, where programs may be forbidden.
 */
export function makeProgramFolder(
  config: string,
  { node, program }: { node: string; program: string },
): string {
  const folder = join(runtimeFolder(config), 'run', digestOf(`${node} ${program}`).slice(0, 12));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeIfChanged(
    join(folder, 'holdfast'),
    `#!/bin/sh\nexec ${shellQuote(node)} ${shellQuote(program)} "$@"\n`,
  );
  if (process.platform === 'win32')
    writeIfChanged(join(folder, 'holdfast.cmd'), `@"${node}" "${program}" %*\r\n`);
  return folder;
}

function writeIfChanged(path: string, content: string): void {
  const file = readTextFile(path, 10_000, 'refused');
  if (file.kind === 'text' && file.text === content) return;
  writeFileSync(path, content, { mode: 0o700 });
  chmodSync(path, 0o700);
}
