import { defineStatus } from './program/status.ts';
import { buildProgram } from './program/build-program.ts';
import { run } from './run.ts';

/**
 * People put `status` into their prompts, and most of what the whole command line costs is to define it. All is
 * written when it returns: to take the heap apart would cost another millisecond.
 */
void run(() => buildProgram([defineStatus]), process.argv).then(() => process.exit());
