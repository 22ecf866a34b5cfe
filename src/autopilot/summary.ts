import type { Client } from './client.ts';
import type { Memory } from './memory.ts';
import { callHoldfast, wait } from './program.ts';
import { mayAct, reportOfOwnRun } from './report.ts';

/** A compaction waits for the answer of the model, but not for ever. */
const MAX_ANSWER_MS = 60_000;

/** What the model is asked before a compaction. */
const QUESTION = `The context is about to be compacted. The workflow run of this session keeps its phase, required reading, reminders and notes. Which decisions with their reasons, failed attempts, agreements with the user and places of unfinished work will later phases need that are not recorded there yet? Your answer replaces the last one to this question, so repeat what still counts. Answer in at most 1,500 characters, one point a line, without any other words; if there is nothing: nothing`;

/** What the summariser of a compaction is told; empty if the hooks have to tell it. */
export async function summaryText(
  memory: Memory,
  client: Client,
): Promise<string> {
  try {
    if (!(await mayAct(client))) return '';
    const report = await reportOfOwnRun(memory, client, memory.promptedFor);
    if (report === null) return '';
    const isNoted =
      report.asksModel && (await noteAnswer(client, report.runId));
    if (!isNoted) return report.summary;
    // The note belongs into the text.
    const latest = await reportOfOwnRun(memory, client, memory.promptedFor);
    return latest?.summary ?? '';
  } catch {
    // The compaction must go on, whatever is wrong with holdfast.
    return '';
  }
}

/** Keeps as a note what the model knows and the run does not. Whatever fails, the compaction goes on. */
async function noteAnswer(client: Client, runId: string): Promise<boolean> {
  try {
    const answer = await Promise.race([
      client.ask(QUESTION),
      wait(client, MAX_ANSWER_MS).then(() => ''),
    ]);
    // A text that begins with a dash would be taken for an option.
    const text = answer.replace(/^[\s-]+/, '');
    const isNothing = text === '' || /^nothing\W*$/i.test(text);
    if (isNothing) return false;
    await callHoldfast(client, ['note', text, '--model', '--run', runId]);
    return true;
  } catch {
    return false;
  }
}
