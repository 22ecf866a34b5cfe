import { withDefaultCommand, withOneSpelling } from './default-command.ts';
import { makeProgram } from './program.ts';
import { run } from './run.ts';

void run(makeProgram, withOneSpelling(withDefaultCommand(process.argv)));
