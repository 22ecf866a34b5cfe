import { writeSync } from 'node:fs';
import { speakWith } from '../errors.ts';
import { describe } from './words.ts';
import { homedir } from 'node:os';
import { findProjectRoot } from '../io/project-root.ts';
import { readStdin } from '../io/stdin.ts';
import { artifactsAreIn, type ArtifactRoom } from './artifact-room.ts';
import { logFailure } from './log.ts';
import { postCompact } from './post-compact.ts';
import { postToolUse } from './post-tool-use.ts';
import { preCompact } from './pre-compact.ts';
import { preToolUse } from './pre-tool-use.ts';
import { readingIsIn, type ReadingRoom } from './reading-room.ts';
import { isFromSubagent, parseInput, type Reply } from './protocol.ts';
import { sessionEnd } from './session-end.ts';
import { sessionStart } from './session-start.ts';
import { stepsAreIn, type StepRoom } from './step-room.ts';
import { userPromptSubmit } from './user-prompt-submit.ts';
import { surroundingsOf, type Surroundings } from './surroundings.ts';

/** What lies in files of its own, which the loader brings: it runs this code as the body of a function. */
declare const require: {
  (file: './hook-artifacts.cjs'): ArtifactRoom;
  (file: './hook-reading.cjs'): ReadingRoom;
  (file: './hook-steps.cjs'): StepRoom;
};

const MAX_INPUT_BYTES = 20_000_000;

const handlers = new Map<string, (around: Surroundings) => Reply>([
  ['PreCompact', preCompact],
  ['SessionStart', sessionStart],
  ['SessionEnd', sessionEnd],
  ['PostCompact', postCompact],
  ['PostToolUse', postToolUse],
  ['UserPromptSubmit', userPromptSubmit],
  ['PreToolUse', preToolUse],
]);

/** Standard input to reply, in a straight line. Whatever goes wrong inside, the host sees a hook that did nothing. */
function main(): void {
  if (process.env.HOLDFAST === 'off') return;
  const { event, cwd } = readArguments(process.argv.slice(2));
  const now = new Date();
  let root: string | null = null;
  let name = event ?? 'hook';
  const note = (problem: unknown): void => logFailure(root, name, problem, now);
  artifactsAreIn(ifThere(() => require('./hook-artifacts.cjs'), note));
  readingIsIn(ifThere(() => require('./hook-reading.cjs'), note));
  stepsAreIn(ifThere(() => require('./hook-steps.cjs'), note));
  try {
    root = findProjectRoot(cwd ?? process.cwd(), homedir());
    const text = readStdin(MAX_INPUT_BYTES);
    if (text === null) throw new Error('the input is larger than 20 MB');
    const input = parseInput(text, event);
    if (input === null) throw new Error('the input names no event');
    if (isFromSubagent(input)) return;
    name = input.event;
    const handler = handlers.get(name);
    if (handler === undefined) return;
    root = findProjectRoot(cwd ?? input.cwd ?? process.cwd(), homedir());
    const reply = handler(surroundingsOf(input, root, now, note));
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

/** `[hook] [event] [--cwd dir]`: the dispatcher is reached as `holdfast hook` and directly. */
function readArguments(words: string[]): { event?: string; cwd?: string } {
  const parts = words.flatMap((word) =>
    word.startsWith('--cwd=') ? ['--cwd', word.slice('--cwd='.length)] : [word],
  );
  const at = parts.indexOf('--cwd');
  const cwd = at < 0 ? undefined : parts[at + 1];
  const rest = parts.filter((_, index) => at < 0 || (index !== at && index !== at + 1));
  const event = rest.find((word) => word !== 'hook');
  return { ...(event === undefined ? {} : { event }), ...(cwd === undefined ? {} : { cwd }) };
}

function writeAll(text: string): void {
  let bytes = Buffer.from(text);
  while (bytes.length > 0) bytes = bytes.subarray(writeSync(1, bytes));
}

speakWith(describe);
main();
