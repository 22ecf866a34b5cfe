import { CommanderError, type Command } from 'commander';
import { errorLine, HoldfastError } from '../text/holdfast-error.ts';
import { safeJson } from '../text/json.ts';
import { sanitizeLine, sanitizeLines } from '../text/sanitize.ts';
import { toHoldfastError } from '../files/fs-errors.ts';
import type { FailureDocument } from '../commands/json/documents.ts';
import { ExitCode, hostWords, print } from '../commands/view/output.ts';
import { makeProgram } from './program.ts';
import {
  commandsIn,
  DID_YOU_MEAN,
  isNoOption,
  UNKNOWN_COMMAND,
  unknownCommand,
  unknownSubcommand,
} from './unknown-command.ts';

const REFUSED = 1;
const WRONG_USAGE = 2;
const USAGE_FAILURES = new Set(['usage', 'bad_value', 'nothing_to_change']);

/** The only place that sets the exit code and prints errors. */
async function run(argv: string[]): Promise<void> {
  const program = makeProgram(argv[2] ?? DASHBOARD);
  try {
    await program.parseAsync(argv);
  } catch (error) {
    if (isWithoutCommand(error, program)) return run([...argv, DASHBOARD]);
    process.exitCode = exitCodeFor(error, program, argv);
  }
}

/** What `holdfast` alone shows. */
const DASHBOARD = 'dashboard';

/** The parser then wants to show its help. */
const isWithoutCommand = (error: unknown, { args }: Command): boolean =>
  error instanceof CommanderError &&
  error.code === 'commander.help' &&
  args.length === 0;

function exitCodeFor(
  error: unknown,
  program: Command,
  argv: readonly string[],
): number {
  if (error instanceof ExitCode) return error.code;
  // The parser has ended the call with help or the version.
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  const failure =
    error instanceof CommanderError
      ? usageError(error.message, program, argv)
      : toHoldfastError(error);
  try {
    // If standard output has failed, the error cannot be reported there.
    return report(
      failure,
      argv.includes('--json') && !isOutputFailure(failure),
    );
  } catch (failed) {
    if (!isOutputFailure(failed)) throw failed;
    // The original error is already on standard error, where it is reported first.
    return REFUSED;
  }
}

function isOutputFailure(error: unknown): boolean {
  return error instanceof HoldfastError && error.code === 'output_failed';
}

function report(error: unknown, json: boolean): number {
  if (error instanceof HoldfastError) {
    const { code, message, hint, details, data } = error;
    print(2, sanitizeLine(`holdfast: ${hostWords(errorLine(error))}`));
    if (details !== '') print(2, sanitizeLines(details).join('\n'));
    const failure: FailureDocument = { error: { code, message, hint } };
    if (json) print(1, safeJson({ ...data, ...failure }));
    return USAGE_FAILURES.has(code) ? WRONG_USAGE : REFUSED;
  }

  const message = error instanceof Error ? error.message : String(error);
  const stack = error instanceof Error ? error.stack : undefined;
  const complaint = `holdfast: internal error, please report: ${stack ?? message}`;
  print(2, sanitizeLines(complaint).join('\n'));
  if (json) {
    const failure: FailureDocument = {
      error: { code: 'internal', message, hint: 'please report it' },
    };
    print(1, safeJson(failure));
  }
  return REFUSED;
}

/** Both spellings are accepted: `--artefact` is the same option as `--artifact`, and `--from-plan` as `--from`. */
function withOneSpelling(argv: readonly string[]): string[] {
  // What follows `--` are texts of the user.
  const index = argv.indexOf('--');
  const end = index < 0 ? argv.length : index;
  const options = argv
    .slice(0, end)
    // `--artefact`, `--artefacts`, `--artefact=docs/a.md`
    .map((word) => word.replace(/^--artefact(?=s?(?:=|$))/, '--artifact'))
    .map((word) => word.replace(/^--from-plan(?==|$)/, '--from'));
  return [...options, ...argv.slice(end)];
}

/** What the parser says where it shows its help because `help` was given something unknown. */
const HELP_SHOWN = '(outputHelp)';

/** What the parser complains about, in the form of all other errors: what is wrong, and what to do. */
function usageError(
  complaint: string,
  program: Command,
  argv: readonly string[],
): HoldfastError {
  const [first = '', ...more] = complaint.replace(/^error: /, '').split('\n');
  // `Allowed choices are a, b.` becomes a clause of our sentence.
  const message = first
    .replace(/\.$/, '')
    .replace(/\. ([A-Z])/g, (_, letter: string) => `: ${letter.toLowerCase()}`);
  const [, alike] = DID_YOU_MEAN.exec(more.join(' ')) ?? [];

  const unknownWord =
    complaint === HELP_SHOWN
      ? argv.slice(2).find((word) => word !== 'help' && isNoOption(word))
      : UNKNOWN_COMMAND.exec(message)?.[1];
  if (unknownWord !== undefined) return unknownCommand(unknownWord, alike);

  const typed = commandsIn(program, argv);
  const path = typed.map((command) => command.name()).join(' ');
  const usage = `\`${path} --help\` shows how to use it, with examples`;
  if (message.startsWith('too many arguments')) {
    const last = typed.at(-1) ?? program;
    const refused = unknownSubcommand(last, path, argv, usage);
    if (refused !== null) return refused;
  }
  const hint = alike === undefined ? usage : `did you mean ${alike}? ${usage}`;
  return new HoldfastError('usage', message, { hint });
}

void run(withOneSpelling(process.argv));
