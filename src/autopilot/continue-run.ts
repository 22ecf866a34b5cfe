import type { Client } from './client.ts';
import { enqueue, isStillNow, type Memory, type Moment } from './memory.ts';
import { reasonOf, wait } from './program.ts';
import {
  mayAct,
  reportOfOwnRun,
  revisionOf,
  type ModuleReport,
} from './report.ts';

/** Prompts and commands that were queued during a turn run first. A queued prompt starts its turn after about 150 ms. */
export const SETTLE_MS = 400;
export const SETTLE_AFTER_QUEUED_PROMPT_MS = 3_000;

/** How often the module looks whether the user has stopped typing. */
const POLL_FOR_USER_MS = 1_000;
/** Ten minutes. */
const MAX_POLLS_FOR_USER = 600;
/** How often it looks whether somebody has answered elsewhere. */
const POLL_FOR_ANSWER_MS = 2_000;
/** Four seconds, one poll each `SETTLE_MS`. */
const MAX_POLLS_FOR_HOOKS = 10;

/**
 * After a turn that ended at the moment `since`: performs what is due before the next step and prompts the agent for it,
 * or tells the user why the run stops. `isAnswer`: the agent ended the turn, rather than the user or an error.
 */
export async function continueRun(
  memory: Memory,
  client: Client,
  since: Moment,
  isAnswer: boolean,
): Promise<void> {
  if (!isStillNow(memory, since) || !(await mayAct(client))) return;
  const report = await reportOfOwnRun(memory, client, memory.promptedFor);
  // After an interruption or an error the user decides.
  if (report === null || !isAnswer) return;

  const { next, position } = report;
  if (next.stop === 'approval') watchForAnswer(memory, client, since, report);
  const isToPrepare =
    next.perform !== 'none' && position !== memory.preparedFor;
  const goesOn = next.prompt !== null || isToPrepare;
  if (!goesOn || position === null) {
    announceStop(memory, client, report);
    return;
  }

  const user = await untilUserIsIdle(memory, client, since);
  if (user === 'busy') return;
  if (user === 'idle later') {
    // Meanwhile the run may have been paused or moved from elsewhere.
    await continueRun(memory, client, since, isAnswer);
    return;
  }

  memory.hasActed = true;
  if (next.prompt === null) {
    memory.preparedFor = position;
    await prepareStep(memory, client, report);
    return;
  }
  memory.promptedFor = position;
  if (next.perform === 'none') {
    await submit(client, next.prompt);
    return;
  }
  const { perform: action } = next;
  const prompt = await performAction(memory, client, action, report, since);
  if (prompt !== null) await submit(client, prompt);
}

/** Answers may come from anywhere: the client that waits goes on by itself once the run has changed. */
export function watchForAnswer(
  memory: Memory,
  client: Client,
  since: Moment,
  waiting: ModuleReport,
): void {
  const look = async (): Promise<void> => {
    if (!isStillNow(memory, since)) return;
    const revision = await revisionOf(client, waiting.runId);
    if (revision === waiting.revision)
      watchForAnswer(memory, client, since, waiting);
    else await continueRun(memory, client, since, true);
  };
  client.after(POLL_FOR_ANSWER_MS, () => void enqueue(memory, look));
}

/** Tells the user, once for each place where a run stops that was continued here. */
function announceStop(
  memory: Memory,
  client: Client,
  { next, told, wait: waitingFor }: ModuleReport,
): void {
  if (!memory.hasActed || next.stop === null) return;
  if (told === memory.announcedStop) return;
  memory.announcedStop = told;
  memory.shownWait = waitingFor;
  client.say(told);
}

/**
 * `idle later`: time has passed, so what was known of the run may be outdated.
 * `busy`: another turn or session has begun, or the user did not become idle.
 */
async function untilUserIsIdle(
  memory: Memory,
  client: Client,
  since: Moment,
): Promise<'idle' | 'idle later' | 'busy'> {
  for (let poll = 0; poll < MAX_POLLS_FOR_USER; poll += 1) {
    if (!isStillNow(memory, since)) return 'busy';
    const isIdle =
      (await client.draft()) === '' && !(await client.hasRunningAgents());
    if (isIdle && isStillNow(memory, since))
      return poll === 0 ? 'idle' : 'idle later';
    await wait(client, POLL_FOR_USER_MS);
  }
  return 'busy';
}

/** The step waits for the user's word: the conversation is made ready for it, and nobody is prompted. */
async function prepareStep(
  memory: Memory,
  client: Client,
  { next, told }: ModuleReport,
): Promise<void> {
  const { perform: action } = next;
  if (action === 'none' || !(await ranAction(client, action))) return;
  client.say(told);
  await wait(client, SETTLE_MS);
  const latest = await reportOfOwnRun(memory, client, memory.promptedFor);
  if (latest !== null) announceStop(memory, client, latest);
}

/** Whether `/compact` or `/clear` could be run; what went wrong is said. */
async function ranAction(
  client: Client,
  action: 'compact' | 'clear',
): Promise<boolean> {
  try {
    if (action === 'clear') await client.clear();
    else await client.compact();
    return true;
  } catch (error) {
    client.say(
      `Could not run /${action} for you: ${reasonOf(error)}. Type /${action} yourself, then tell the agent to continue.`,
    );
    return false;
  }
}

/** The prompt that continues the run; null if the action failed or the user was faster. */
async function performAction(
  memory: Memory,
  client: Client,
  action: 'compact' | 'clear',
  report: ModuleReport,
  since: Moment,
): Promise<string | null> {
  if (!(await ranAction(client, action))) return null;
  client.say(report.told);
  const prompt = await promptAfterAction(memory, client, report.position);
  if (prompt === null)
    client.say(
      `Ran /${action}, but the hooks of holdfast did not see it. Run \`holdfast doctor\`; the run waits for you.`,
    );

  // `/clear` ends the session, so only the count of turns shows whether the user was faster.
  const isUserFaster =
    memory.moment.turns !== since.turns || (await client.draft()) !== '';
  return isUserFaster ? null : prompt;
}

/** The hooks record what happened; until they have, the agent would be prompted without its guidance. */
async function promptAfterAction(
  memory: Memory,
  client: Client,
  position: string | null,
): Promise<string | null> {
  for (let poll = 0; poll < MAX_POLLS_FOR_HOOKS; poll += 1) {
    await wait(client, SETTLE_MS);
    const report = await reportOfOwnRun(memory, client, null);
    const isSameStep = report !== null && report.position === position;
    if (isSameStep && report.next.perform === 'none') return report.next.prompt;
  }
  return null;
}

async function submit(client: Client, prompt: string): Promise<void> {
  try {
    await client.submit(prompt);
  } catch (error) {
    client.say(
      `Could not prompt the agent for the next step: ${reasonOf(error)}. Tell the agent to continue.`,
    );
  }
}
