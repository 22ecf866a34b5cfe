import { defineStatus } from './program/status.ts';
import { buildProgram } from './program/build-program.ts';
import { run } from './run.ts';

/**
 * `status` is used in shell prompts, and defining all commands takes most of the time of a call, so it has a bundle
 * of its own. Output is written synchronously, and exiting at once saves another millisecond.
 */
void run(() => buildProgram([defineStatus]), process.argv).then(() => process.exit());
