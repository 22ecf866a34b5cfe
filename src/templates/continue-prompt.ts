/** What a step, run or workflow may be called for its name to go into a prompt: `build-api`, `auth_2026.1`. */
const IDENTIFIER = /^[\p{L}\p{N}._-]{1,128}$/u;

/**
 * The prompt by which a run goes on. It is submitted without a person, so it carries no text of a template or repository
 * except what looks like an identifier.
 */
export function continuePrompt(runId: string, step: string): string {
  const run = IDENTIFIER.test(runId) ? ` ${runId}` : '';
  const at = IDENTIFIER.test(step) ? ` at step ${step}` : '';
  return `Continue the holdfast run${run}${at}. \`holdfast status\` shows the instructions of this step, \`holdfast advance\` finishes it. If you need the user, say what for and stop.`;
}
