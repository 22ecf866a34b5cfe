import { CommanderError, type Command } from 'commander';
import { errorLine, HoldfastError } from '../text/holdfast-error.ts';
import { safeJson } from '../text/json.ts';
import { sanitizeLine, sanitizeLines } from '../text/sanitize.ts';
import { toHoldfastError } from '../files/fs-errors.ts';
import { ExitCode } from '../commands/exit-code.ts';
import { print, printForPeople } from '../commands/view/output.ts';
import { usageError, type UsageError } from './usage-error.ts';

const REFUSED = 1;
const WRONG_USAGE = 2;
const USAGE_FAILURES = new Set(['bad_value', 'nothing_to_change']);

/** The only place that sets the exit code and prints errors. */
export async function run(makeProgram: () => Command, argv: string[]): Promise<void> {
  const program = makeProgram();
  try {
    await program.parseAsync(argv);
  } catch (error) {
    if (error instanceof ExitCode) {
      process.exitCode = error.code;
      return;
    }
    const failure =
      error instanceof CommanderError ? toFailedCall(error, program, argv) : toHoldfastError(error);
    process.exitCode = exitCodeFor(failure, argv.includes('--json'));
  }
}

/** A call that the parser ended: with help or the version, or because it is wrong. */
class EndedCall {
  constructor(readonly usage: UsageError | null) {}
}

function toFailedCall(error: CommanderError, program: Command, argv: string[]): EndedCall {
  if (error.exitCode === 0) return new EndedCall(null);
  return new EndedCall(usageError(error.message, program, argv));
}

function exitCodeFor(error: unknown, json: boolean): number {
  try {
    // If standard output has failed, the error cannot be reported there.
    return report(error, json && !isOutputFailure(error));
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
  if (error instanceof EndedCall) {
    if (error.usage === null) return 0;
    const { message, hint } = error.usage;
    printForPeople(sanitizeLine(`holdfast: ${errorLine(error.usage)}`));
    if (json) print(1, safeJson({ error: { code: 'usage', message, hint } }));
    return WRONG_USAGE;
  }
  if (error instanceof HoldfastError) {
    const { code, message, hint, details, data } = error;
    printForPeople(sanitizeLine(`holdfast: ${errorLine(error)}`));
    if (details !== '') print(2, sanitizeLines(details).join('\n'));
    if (json) print(1, safeJson({ ...data, error: { code, message, hint } }));
    return USAGE_FAILURES.has(code) ? WRONG_USAGE : REFUSED;
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  print(2, sanitizeLines(`holdfast: internal error, please report: ${message}`).join('\n'));
  if (json) {
    const short = error instanceof Error ? error.message : String(error);
    print(1, safeJson({ error: { code: 'internal', message: short, hint: 'please report it' } }));
  }
  return REFUSED;
}

const WITH_VALUE = new Set(['--cwd', '--session']);

/** `holdfast` without a command is the dashboard; `--help` and `--version` stay what they are. */
export function withDefaultCommand(argv: readonly string[]): string[] {
  const words = argv.slice(2);
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (WITH_VALUE.has(word)) {
      // Without its value the parser has something better to say.
      if (at === words.length - 1) return [...argv];
      at += 1;
    } else if (word !== '--json' && !/^--(?:cwd|session)=/.test(word)) return [...argv];
  }
  return [...argv, 'dashboard'];
}

/** Both spellings are accepted: `--artefact` is the same option as `--artifact`. */
export function withOneSpelling(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  return argv.map((word, at) =>
    end >= 0 && at > end ? word : word.replace(/^--artefact(?=s?(?:=|$))/, '--artifact'),
  );
}
