import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { isOnPath } from '../../install/plan/invocation.ts';
import { hookFile, nodePathFile, programFile } from '../../io/runtime-paths.ts';
import { sanitizeLine, truncate } from '../../util/sanitize.ts';
import type { JsonObject } from '../../util/json.ts';
import { findingsFor } from '../findings.ts';
import { fileOfCommand, parseHookCommand } from '../../install/plan/hook-command.ts';
import { fixCommandForEach } from '../fix-command.ts';
import {
  commandLine,
  placesIn,
  registrationsIn,
  type Registration,
} from '../host/registrations.ts';
import { TRIAL_EVENTS } from '../trial/recorded-payload.ts';
import type { HookEvent } from '../../install/plan/hook-entry.ts';
import { withTrialProject, type Outcome } from '../trial/trial.ts';
import { replyProblems } from '../trial/reply-check.ts';
import { reasonNotToRun } from '../host/safe-to-run.ts';
import type { Check, DoctorContext, Finding } from '../types.ts';

const report = findingsFor('commands');

/** Executes the registered commands. */
export const checkCommands: Check = {
  run: (context) => {
    const commands = distinctCommands(registrationsIn(context));
    if (commands.length === 0) return [report.skipped('no command is registered'), ...off(context)];
    return [...commands.map((command) => tryOut(context, command)), ...off(context)];
  },
};

interface Registered {
  hook: JsonObject;
  events: HookEvent[];
  registrations: Registration[];
}

function distinctCommands(found: readonly Registration[]): Registered[] {
  // The line for a shell names its event; apart from that the hooks of one place are the same.
  const keyOf = ({ hook, event }: Registration): string =>
    JSON.stringify([
      typeof hook['command'] === 'string' ? hook['command'].replace(`${event};`, ';') : '',
      hook['args'],
    ]);
  return [...new Set(found.map(keyOf))].flatMap((key) => {
    const same = found.filter((registration) => keyOf(registration) === key);
    const [first] = same;
    const events = TRIAL_EVENTS.filter((event) => same.some((hook) => hook.event === event));
    if (first === undefined || events.length === 0) return [];
    return [{ hook: first.hook, events, registrations: same }];
  });
}

function tryOut(context: DoctorContext, registered: Registered): Finding {
  const { hook, events, registrations } = registered;
  const where = placesIn(registrations).join(', ');
  const shown = truncate(sanitizeLine(commandLine(hook)), 200);
  const reason = reasonNotToRun(hook, context);
  if (reason !== null)
    return report.skipped(`the command of ${where} was not executed: ${reason}`, {
      evidence: [shown],
    });
  return withTrialProject(context, (trial) => {
    const hookFor = (event: HookEvent): JsonObject =>
      registrations.find((registration) => registration.event === event)?.hook ?? hook;
    const outcomes = events.map((event) => ({
      event,
      outcome: trial.send(hookFor(event), event),
    }));
    const file = missingOrLast(filesOf(hook, context));
    const troubles = [
      ...outcomes.flatMap(({ event, outcome }) => replyProblems(event, outcome)),
      ...(file === null || existsSync(file) ? [] : [`missing: ${file}`]),
    ];
    const fix = fixCommandForEach(registrations);
    if (troubles.length > 0) {
      const isNodeMissing = lacksNode(hook, context);
      const why = outcomes.map(({ outcome }) => ({
        ...outcome,
        isMissing: outcome.isMissing || isNodeMissing,
      }));
      return failure(where, why, { file, troubles, evidence: [shown, ...troubles], fix });
    }
    const told = outcomes.map(({ event, outcome }) => `${event}: ${ending(outcome)}`);
    return report.ok(`the command of ${where} works as registered`, {
      evidence: [shown, ...told],
    });
  });
}

/** What the command runs, in order: the script, and what that runs. */
function filesOf(hook: JsonObject, context: DoctorContext): string[] {
  const form = parseHookCommand(hook);
  const file = fileOfCommand(form, context);
  if (file === null) return [];
  const home = dirname(dirname(file));
  return form.kind === 'script' ? [file, programFile(home), hookFile(home)] : [file];
}

/** The script is silent where it finds no Node. */
function lacksNode(hook: JsonObject, context: DoctorContext): boolean {
  const form = parseHookCommand(hook);
  const script = form.kind === 'script' ? fileOfCommand(form, context) : null;
  if (script === null || isOnPath('node', context.environment['PATH'])) return false;
  return !existsSync(nodePathFile(dirname(dirname(script))));
}

function missingOrLast(files: readonly string[]): string | null {
  return files.find((file) => !existsSync(file)) ?? files.at(-1) ?? null;
}

function failure(
  where: string,
  outcomes: readonly Outcome[],
  found: { file: string | null; troubles: string[]; evidence: string[]; fix: string },
): Finding {
  const { file, troubles, evidence, fix } = found;
  if (outcomes.some(({ isMissing }) => isMissing)) {
    return report.broken(`the command of ${where} starts a program that is not on the PATH`, {
      evidence,
      fix: 'install Node 20 or newer, so that `node` is found',
    });
  }
  const isSilent = outcomes.every(
    ({ code, stdout, stderr }) => code === 0 && stdout === '' && stderr === '',
  );
  const why =
    file !== null && existsSync(file) ? `${file} is damaged` : "holdfast's files are gone";
  return isSilent
    ? report.broken(`the command of ${where} does nothing: ${why}`, { evidence, fix })
    : report.broken(`the command of ${where} does not work: ${troubles[0] ?? ''}`, {
        evidence,
        fix,
      });
}

function ending({ stdout, code, milliseconds }: Outcome): string {
  const reply = stdout === '' ? 'no reply' : `${stdout.length} characters`;
  return `exit ${code ?? 'by a signal'}, ${reply}, ${Math.round(milliseconds)} ms`;
}

function off({ environment }: DoctorContext): Finding[] {
  return environment['HOLDFAST'] === 'off'
    ? [
        report.warning(
          'HOLDFAST=off is set: sessions started from this terminal run without hooks',
          {
            fix: 'unset HOLDFAST',
          },
        ),
      ]
    : [];
}
