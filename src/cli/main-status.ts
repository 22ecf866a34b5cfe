import { defineList, defineStatus } from './program/status.ts';
import { buildProgram } from './program/build-program.ts';
import { run } from './run.ts';

/**
 * `status` and `list` are used in shell prompts and scripts, and loading all commands takes most of the time of a call,
 * so they have a bundle of their own. Output is written synchronously, and exiting at once saves another millisecond.
 */
void run(() => buildProgram([defineStatus, defineList]), process.argv).then(() => process.exit());
