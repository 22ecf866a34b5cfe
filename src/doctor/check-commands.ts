import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { oneLine, shortened } from '../guidance/plain.ts';
import type { JsonObject } from '../state/json.ts';
import { findingsOf } from './findings.ts';
import { commandLine, registrationsIn, type Registration } from './registrations.ts';
import { inTrialProject, TRIAL_EVENTS, type Outcome, type TrialEvent } from './trial.ts';
import { slowness, timed } from './timing.ts';
import { troublesWith } from './reply-check.ts';
import { reasonNotToRun } from './trust.ts';
import type { Check, Examined, Finding } from './types.ts';

const say = findingsOf('commands');

/** The registered commands, executed as they are registered. */
export const checkCommands: Check = {
  examine: (examined) => {
    const commands = distinctCommands(registrationsIn(examined));
    if (commands.length === 0) return [say.skipped('no command is registered'), ...off(examined)];
    return [...commands.flatMap((command) => tryOut(examined, command)), ...off(examined)];
  },
};

interface Registered {
  hook: JsonObject;
  events: TrialEvent[];
  places: string[];
  isPlugin: boolean;
}

function distinctCommands(found: readonly Registration[]): Registered[] {
  const keyOf = ({ hook }: Registration): string => JSON.stringify([hook.command, hook.args]);
  return [...new Set(found.map(keyOf))].flatMap((key) => {
    const same = found.filter((registration) => keyOf(registration) === key);
    const [first] = same;
    const events = TRIAL_EVENTS.filter((event) => same.some((hook) => hook.event === event));
    if (first === undefined || events.length === 0) return [];
    const places = [...new Set(same.map(({ place }) => place))];
    return [{ hook: first.hook, events, places, isPlugin: first.isPlugin }];
  });
}

function tryOut(examined: Examined, registered: Registered): Finding[] {
  const { hook, events, places } = registered;
  const where = places.join(', ');
  const shown = shortened(oneLine(commandLine(hook)), 200);
  const reason = reasonNotToRun(hook, examined);
  if (reason !== null) {
    return [
      say.skipped(`the command of ${where} was not executed: ${reason}`, { evidence: [shown] }),
    ];
  }
  return inTrialProject(examined, (trial) => {
    const outcomes = events.map((event) => ({ event, outcome: trial.send(hook, event) }));
    const missing = missingFile(hook);
    const troubles = [
      ...outcomes.flatMap(({ event, outcome }) => troublesWith(event, outcome)),
      ...(missing === undefined ? [] : [`not there: ${missing}`]),
    ];
    const evidence = [shown, ...outcomes.map(({ event, outcome }) => `${event}: ${told(outcome)}`)];
    if (troubles.length > 0)
      return [failure(registered, where, outcomes, { troubles, evidence: [shown, ...troubles] })];
    const cost = timed(trial, hook, events);
    return [
      say.ok(`the command of ${where} works as registered`, {
        evidence: [...evidence, cost.words],
      }),
      ...slowness(where, cost),
    ];
  });
}

function failure(
  { isPlugin }: Registered,
  where: string,
  outcomes: readonly { event: TrialEvent; outcome: Outcome }[],
  { troubles, evidence }: { troubles: string[]; evidence: string[] },
): Finding {
  if (outcomes.some(({ outcome }) => outcome.isMissing)) {
    return say.broken(`the command of ${where} names a program that is not on the PATH`, {
      evidence,
      fix: 'install Node 20 or newer, so that `node` is found',
    });
  }
  const isSilent = outcomes.every(
    ({ outcome }) => outcome.code === 0 && outcome.stdout === '' && outcome.stderr === '',
  );
  const fix = isPlugin ? 'update the plugin with /plugin' : 'holdfast init';
  if (isSilent) {
    return say.broken(`the command of ${where} does nothing: holdfast's files are gone`, {
      evidence,
      fix,
    });
  }
  return say.broken(`the command of ${where} does not work: ${troubles[0] ?? ''}`, {
    evidence,
    fix,
  });
}

function missingFile({ args }: JsonObject): string | undefined {
  const words = Array.isArray(args) ? args.filter((word) => typeof word === 'string') : [];
  return words.find((word) => isAbsolute(word) && !existsSync(word));
}

function told({ stdout, code, milliseconds }: Outcome): string {
  const reply = stdout === '' ? 'no reply' : `${stdout.length} characters`;
  return `exit ${code ?? 'by a signal'}, ${reply}, ${Math.round(milliseconds)} ms`;
}

function off({ environment }: Examined): Finding[] {
  return environment.HOLDFAST === 'off'
    ? [
        say.warning('HOLDFAST=off is set here: what is started from this terminal has no hooks', {
          fix: 'unset HOLDFAST',
        }),
      ]
    : [];
}
