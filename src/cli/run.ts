import { CommanderError, type Command } from 'commander';
import { HoldfastError, speakWith } from '../errors.ts';
import { artifactsAreIn } from '../hooks/artifact-room.ts';
import * as artifacts from '../hooks/artifacts.ts';
import { stepsAreIn } from '../hooks/step-room.ts';
import * as steps from '../hooks/steps.ts';
import { describe } from '../failures/describe.ts';
import { jsonText } from '../guidance/json-text.ts';
import { oneLine, plainLines } from '../guidance/plain.ts';
import { asRefusal } from '../io/refusals.ts';
import { print } from './output.ts';

const REFUSED = 1;
const WRONG_USAGE = 2;
const USAGE_FAILURES = new Set(['bad_value', 'nothing_to_change']);

/** The one place that sets the exit code and prints what went wrong. */
export async function run(makeProgram: () => Command, argv: string[]): Promise<void> {
  speakWith(describe);
  artifactsAreIn(() => artifacts);
  stepsAreIn(() => steps);
  try {
    await makeProgram().parseAsync(argv);
  } catch (error) {
    process.exitCode = report(asRefusal(error), argv.includes('--json'));
  }
}

function report(error: unknown, json: boolean): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    const message = error.message.replace(/^error: /, '');
    if (json) print(1, jsonText({ error: { code: 'usage', message, hint: 'holdfast --help' } }));
    return WRONG_USAGE;
  }
  if (error instanceof HoldfastError) {
    const { code, message, hint } = error;
    print(2, oneLine(`holdfast: ${message}; ${hint}`));
    if (error.details !== '') print(2, plainLines(error.details).join('\n'));
    if (json) print(1, jsonText({ ...error.data, error: { code, message, hint } }));
    return USAGE_FAILURES.has(code) ? WRONG_USAGE : REFUSED;
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const said = `holdfast: this should not happen, please report it: ${message}`;
  print(2, plainLines(said).join('\n'));
  if (json) {
    const told = error instanceof Error ? error.message : String(error);
    print(1, jsonText({ error: { code: 'internal', message: told, hint: 'please report it' } }));
  }
  return REFUSED;
}
