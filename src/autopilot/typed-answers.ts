import { parseJsonObject } from '../text/json.ts';
import type { Client } from './client.ts';
import { continueRun, SETTLE_MS } from './continue-run.ts';
import { enqueue, type Memory } from './memory.ts';
import { callHoldfastForPerson, reasonOf } from './program.ts';
import { reportOfOwnRun, type ModuleReport } from './report.ts';

export type AnswerVerb = 'approve' | 'reject';

/**
 * Carries out `/holdfast:approve` or `/holdfast:reject` that a person typed; `words` is what follows it. Returns what to
 * show, or null where holdfast did not take the secret of this client: then the client and its hooks handle the command.
 */
export async function answerWait(
  memory: Memory,
  client: Client,
  verb: AnswerVerb,
  words: string,
): Promise<string | null> {
  const secret = await memory.secret;
  if (secret === null) return null;
  if (verb === 'reject' && words === '')
    return 'Say what has to change: /holdfast:reject <feedback>';

  let waitingNow: string | null = null;
  try {
    const report = await reportOfOwnRun(memory, client, memory.promptedFor);
    if (report === null)
      return 'This session holds no run that could wait for your answer.';
    waitingNow = report.wait;
    const seen = seenWait(memory, report);
    if (seen === null) return showWait(memory, report);

    const call = [report.runId, '--for', seen];
    const option = verb === 'reject' ? '--feedback' : '--note';
    if (words !== '') call.push(`${option}=${words}`);
    const text = await callHoldfastForPerson(client, verb, call, secret);
    continueAfterAnswer(memory, client);
    return text.split('\n', 1)[0] ?? '';
  } catch (error) {
    // A refusal because something else waits by now names that, so the next answer may be for it.
    memory.shownWait = waitingNow;
    return reasonOf(error);
  }
}

function continueAfterAnswer(memory: Memory, client: Client): void {
  const { moment } = memory;
  memory.hasActed = true;
  const goOn = (): Promise<void> => continueRun(memory, client, moment, true);
  client.after(SETTLE_MS, () => void enqueue(memory, goOn));
}

/**
 * What an answer of the user is for: not what waits now, which nobody may have seen yet, but what was told to the session
 * or shown here. Null if nothing was.
 */
function seenWait(memory: Memory, report: ModuleReport): string | null {
  const isShown = report.wait !== null && report.wait === memory.shownWait;
  return isShown ? report.wait : report.toldWait;
}

/** Says what waits; from then on it can be answered. */
function showWait(memory: Memory, report: ModuleReport): string {
  memory.shownWait = report.wait;
  return report.wait === null
    ? 'Nothing in this run waits for your answer.'
    : `${report.told} It was not shown in this session yet: look at it, then answer again.`;
}

/**
 * Carries out `/holdfast:trust` that a person typed. The name of a template shows its commands; the same with `yes`
 * behind it allows exactly what was shown. Returns what to show, or null as `answerWait` does.
 */
export async function trustTemplate(
  memory: Memory,
  client: Client,
  words: string,
): Promise<string | null> {
  const secret = await memory.secret;
  if (secret === null) return null;
  // `my-template`, `my-template yes`
  const [, name = '', confirmation] = /^(.*?)(\s+yes)?$/s.exec(words) ?? [];
  if (name === '') return 'Name the template: /holdfast:trust <template>';

  const call = ['--json'];
  const seenHash = memory.seenTemplates.get(name);
  if (confirmation !== undefined && seenHash !== undefined)
    call.push(`--seen=${seenHash}`);
  call.push('--', name);
  try {
    const reply = parseJsonObject(
      await callHoldfastForPerson(client, 'trust', call, secret),
    );
    const { told, trusted, hash } = reply;
    const isAsked = trusted === false && typeof hash === 'string';
    if (!isAsked) return String(told);
    memory.seenTemplates.set(name, hash);
    return `${String(told)}\nTo allow exactly this, type /holdfast:trust ${name} yes`;
  } catch (error) {
    return reasonOf(error);
  }
}
