import { printStatusLine } from '../commands/status-line.ts';
import { withDefaultCommand, withOneSpelling, run } from './run.ts';
import { makeProgram } from './program.ts';

const [command, ...words] = process.argv.slice(2);
// It never fails, whatever words it is given, and the client asks for it after every message.
if (command === 'statusline' && !words.some((word) => /^(?:-h|--help)$/.test(word)))
  printStatusLine(words);
else void run(makeProgram, withOneSpelling(withDefaultCommand(process.argv)));
