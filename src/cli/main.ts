import { withDefaultCommand } from './default-command.ts';
import { makeProgram } from './program/program.ts';
import { run } from './run.ts';

void run(makeProgram, withDefaultCommand(process.argv));
