import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fse from 'fs-extra';
import { binary, repository } from '../../support/cli.ts';
import type { Box } from './box.ts';

export interface Measured {
  what: string;
  code: number | null;
  stdout: string;
  stderr: string;
  ms: number;
  megabytes: number;
}

const preload = fileURLToPath(new URL('measure.cjs', import.meta.url));
const hooks = join(repository, 'dist/hook.cjs');
/** A process that takes longer counts as hanging. */
const GIVEN_UP_AFTER = 60_000;

/** Runs a hook as the client does and measures its time and memory. */
export function measuredHook(
  box: Box,
  payload: string,
  what: string,
): Measured {
  return measured(box, what, [hooks], payload, {});
}

export function measuredCommand(
  box: Box,
  words: string[],
  session?: string,
  more: Record<string, string> = {},
): Measured {
  const environment =
    session === undefined ? {} : { CLAUDE_CODE_SESSION_ID: session };
  return measured(box, words.join(' '), [binary, ...words], '', {
    ...environment,
    ...more,
  });
}

function measured(
  box: Box,
  what: string,
  program: string[],
  input: string,
  environment: Record<string, string>,
): Measured {
  const memory = join(box.base, 'memory');
  fse.removeSync(memory);
  const began = performance.now();
  const child = spawnSync(
    process.execPath,
    ['--require', preload, ...program],
    {
      cwd: box.root,
      encoding: 'utf8',
      input,
      timeout: GIVEN_UP_AFTER,
      killSignal: 'SIGKILL',
      maxBuffer: 100_000_000,
      env: {
        PATH: process.env['PATH'],
        HOME: box.home,
        TZ: 'UTC',
        HOLDFAST_SOAK_MEMORY: memory,
        ...environment,
      },
    },
  );
  const ms = performance.now() - began;
  const { status: code, stdout, stderr } = child;
  const kilobytes = fse.existsSync(memory)
    ? Number(readFileSync(memory, 'utf8'))
    : 0;
  return { what, code, stdout, stderr, ms, megabytes: kilobytes / 1024 };
}
