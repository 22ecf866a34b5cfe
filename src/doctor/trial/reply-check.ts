import { sanitizeLine, truncate } from '../../util/sanitize.ts';
import { parseJsonObject, isObject } from '../../util/json.ts';
import type { HookEvent } from '../../install/plan/hook-entry.ts';
import { TRIAL_WORKFLOW, type Outcome } from './trial.ts';

/** What is wrong with the reply of a hook. */
export function replyProblems(event: HookEvent, outcome: Outcome): string[] {
  const because = (what: string): string[] => [`${event} ${what}`];
  if (outcome.isMissing) return because('could not be started');
  if (outcome.isTimedOut) return because('did not end in time');
  if (outcome.code !== 0) return because(`ended with ${outcome.code ?? 'a signal'}`);
  if (outcome.stderr !== '')
    return because(`complained: ${truncate(sanitizeLine(outcome.stderr), 200)}`);
  switch (event) {
    case 'PreCompact':
      return isPlainText(outcome.stdout) ? [] : because('gave no text for the summariser');
    case 'SessionStart':
      return isGuidance(outcome.stdout) ? [] : because('gave no guidance');
    default:
      return outcome.stdout === '' ? [] : because('gave a reply that Claude Code does not expect');
  }
}

function isPlainText(stdout: string): boolean {
  return stdout.includes(TRIAL_WORKFLOW) && !stdout.trimStart().startsWith('{');
}

function isGuidance(stdout: string): boolean {
  const { hookSpecificOutput: output } = parseJsonObject(stdout);
  return (
    isObject(output) &&
    output['hookEventName'] === 'SessionStart' &&
    typeof output['additionalContext'] === 'string' &&
    output['additionalContext'].includes(TRIAL_WORKFLOW)
  );
}
