import { existsSync } from 'node:fs';
import { startedProgram } from '../../install/host-commands.ts';
import { hookEvents, type HookEvent } from '../../install/hooks.ts';
import { isObject, parseJsonObject } from '../../text/json.ts';
import { sanitizeLine, truncate } from '../../text/sanitize.ts';
import { fixCommandFor, placesIn, type Registration } from '../client-settings.ts';
import type { Facts } from '../facts.ts';
import { broken, INSTALL_NODE, ok, skipped, type Finding } from '../finding.ts';
import { reasonNotToRun } from '../safe-to-run.ts';
import { commandLine, recordedPayload, tryOut, TRIAL_WORKFLOW, type Outcome } from '../trial.ts';

/** Executes the registered commands. */
export function checkHookReplies(facts: Facts): Finding[] {
  const groups = new Map<string, Registration[]>();
  for (const registration of facts.registrations) {
    // The line for a shell names its event; apart from that the hooks of one place are the same.
    const key = commandLine(registration.hook).replace(/^e=\w+;/, '');
    groups.set(key, [...(groups.get(key) ?? []), registration]);
  }
  return [...groups.values()].map((registrations) => execute(facts, registrations));
}

/** In the order in which a session sends them. The compaction comes first, because it creates the run. */
function trialEvents(): HookEvent[] {
  const others = hookEvents().filter((event) => event !== 'PreCompact' && event !== 'SessionEnd');
  return ['PreCompact', ...others, 'SessionEnd'];
}

function execute(facts: Facts, registrations: readonly Registration[]): Finding {
  const where = `the command of ${placesIn(registrations).join(', ')}`;
  const { hook = {} } = registrations[0] ?? {};
  const shown = truncate(sanitizeLine(commandLine(hook)), 200);
  const reason = reasonNotToRun(hook, facts);
  if (reason !== null) return skipped(`${where} was not executed: ${reason}`, [shown]);
  const calls = trialEvents().flatMap((event) =>
    [
      // The client would send the same event to all places that have the same command.
      ...new Map(
        registrations
          .filter((each) => each.event === event)
          .map((each) => [commandLine(each.hook), each]),
      ).values(),
    ].map(({ hook: command }) => ({
      event,
      command,
      input: (folder: string, call: number) => recordedPayload(event, folder, call),
    })),
  );
  const outcomes = tryOut(facts, calls);
  const problems = outcomes.flatMap((outcome) => {
    const problem = replyProblem(outcome.event, outcome);
    return problem === null ? [] : [`${outcome.event} ${problem}`];
  });
  const started = startedProgram(hook, facts);
  const file = typeof started === 'string' ? null : started.file;
  const isGone = file === null || !existsSync(file);
  if (isGone || problems.length > 0) {
    const why = isGone
      ? "does nothing: holdfast's files are gone"
      : `does not work: ${problems[0]}`;
    const fix = facts.node === null ? INSTALL_NODE : fixCommandFor(registrations);
    return broken(`${where} ${why}`, fix, [shown, ...problems]);
  }
  const replies = outcomes.map(({ event, stdout }) =>
    stdout === '' ? `${event}: no reply` : `${event}: ${stdout.length} characters`,
  );
  return ok(`${where} works as registered`, [shown, ...new Set(replies)]);
}

function replyProblem(event: HookEvent, { stdout, stderr, failure }: Outcome): string | null {
  if (failure !== null) return failure;
  if (stderr !== '') return `complained: ${truncate(sanitizeLine(stderr), 200)}`;
  switch (event) {
    case 'PreCompact': {
      const isText = stdout.includes(TRIAL_WORKFLOW) && !stdout.trimStart().startsWith('{');
      return isText ? null : 'gave no text for the summariser';
    }
    case 'SubagentStart':
    case 'SessionStart': {
      const { hookSpecificOutput: output } = parseJsonObject(stdout);
      const isGuidance =
        isObject(output) &&
        output['hookEventName'] === event &&
        String(output['additionalContext']).includes(TRIAL_WORKFLOW);
      return isGuidance ? null : 'gave no guidance';
    }
    default:
      return stdout === '' ? null : 'gave a reply that Claude Code does not expect';
  }
}
