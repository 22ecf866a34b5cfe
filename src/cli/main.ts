import { withDefaultCommand, withOneSpelling, run } from './run.ts';
import { makeProgram } from './program.ts';

void run(makeProgram, withOneSpelling(withDefaultCommand(process.argv)));
