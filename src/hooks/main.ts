import { writeSync } from 'node:fs';
import { registerArtifactSupport, type ArtifactSupport } from '../restore/artifact-support.ts';
import type { HookCall } from './entry.ts';
import { logFailure } from './log.ts';
import { postCompact } from './post-compact.ts';
import { postToolUse } from './post-tool-use.ts';
import { preCompact } from './pre-compact.ts';
import { preToolUse } from './pre-tool-use.ts';
import { registerReadingSupport, type ReadingSupport } from './reading-support.ts';
import type { Reply } from './protocol.ts';
import { sessionEnd } from './session-end.ts';
import { sessionStart } from './session-start.ts';
import { registerStepSupport, type StepSupport } from '../restore/step-support.ts';
import { userPromptSubmit } from './user-prompt-submit.ts';
import { createHookContext, type HookContext } from './context.ts';

/** What lies in files of its own, which the loader brings: it runs this code as the body of a function. */
declare const require: {
  (file: './hook-artifacts.cjs'): ArtifactSupport;
  (file: './hook-reading.cjs'): ReadingSupport;
  (file: './hook-steps.cjs'): StepSupport;
};
declare const call: HookCall;

const handlers = new Map<string, (around: HookContext) => Reply>([
  ['PreCompact', preCompact],
  ['SessionStart', sessionStart],
  ['SessionEnd', sessionEnd],
  ['PostCompact', postCompact],
  ['PostToolUse', postToolUse],
  ['UserPromptSubmit', userPromptSubmit],
  ['PreToolUse', preToolUse],
]);

/** From a call to its reply, in a straight line. Whatever goes wrong inside, the host sees a hook that did nothing. */
function main({ event, root, ...given }: HookCall): void {
  const now = new Date();
  const note = (problem: unknown): void => logFailure(root, event, problem, now);
  registerArtifactSupport(ifThere(() => require('./hook-artifacts.cjs'), note));
  registerReadingSupport(ifThere(() => require('./hook-reading.cjs'), note));
  registerStepSupport(ifThere(() => require('./hook-steps.cjs'), note));
  try {
    if ('failure' in given) throw given.failure;
    const handler = handlers.get(event);
    if (handler === undefined || root === null) return;
    const reply = handler(createHookContext(given.input, root, now, note));
    if (reply !== null) writeAll(reply);
  } catch (error) {
    note(error);
  }
}

/** The rest of the guidance does not need what is missing; that is noted once. */
function ifThere<Room>(enter: () => Room, note: (problem: unknown) => void): () => Room | null {
  let entered: { room: Room | null } | null = null;
  const tried = (): Room | null => {
    try {
      return enter();
    } catch (error) {
      note(error);
      return null;
    }
  };
  return () => (entered ??= { room: tried() }).room;
}

function writeAll(text: string): void {
  let bytes = Buffer.from(text);
  while (bytes.length > 0) bytes = bytes.subarray(writeSync(1, bytes));
}

main(call);
