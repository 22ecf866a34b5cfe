import { makeProgram } from './program/program.ts';
import { run } from './run.ts';

void run(makeProgram, process.argv);
