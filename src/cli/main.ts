import { makeProgram } from './program.ts';
import { run } from './run.ts';

void run(makeProgram, process.argv);
