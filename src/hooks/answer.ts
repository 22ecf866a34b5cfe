import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { wakeMark } from '../files/environment.ts';
import { readTextFile } from '../files/read-file.ts';
import { write } from '../files/streams.ts';
import { hostOf, withoutAgent } from '../hosts/hosts.ts';
import { WakeMarks } from '../state/store/state-folder.ts';
import type { StoredRun } from '../state/types.ts';
import { isObject } from '../text/json.ts';
import {
  contextReply,
  heldRun,
  once,
  stringField,
  type HookContext,
  type Reply,
} from './context.ts';

const WAKING = 'FileChanged';

/**
 * An answer to an approval step that was typed in a client without the module, which would have dealt with it before this
 * event. The command line is called as from the person's terminal.
 */
export function userPromptExpansion(context: HookContext): Reply {
  const { input, store, root, config } = context;
  const { raw, session, event } = input;
  const [, verb] = /^holdfast:(approve|reject)$/.exec(stringField(raw, 'command_name') ?? '') ?? [];
  if (verb === undefined || session === null || !isTyped(context, verb)) return null;
  // Not under the lock, which the command takes.
  if (once(context, () => true) === null) return null;
  const run = heldRun(store.list().runs, session);
  if (run === undefined) return stop('This session holds no run.');
  const words = stringField(raw, 'command_args') ?? '';
  const option =
    verb === 'reject' ? [`--feedback=${words}`] : words === '' ? [] : [`--note=${words}`];
  const program = join(__dirname, '../bin/holdfast.cjs');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [program, '--cwd', root, verb, run.runId, ...option],
    { encoding: 'utf8', env: withoutAgent(context.environment) },
  );
  if (status !== 0) return stop(stderr.trim());
  // The turn that begins goes on by itself.
  new WakeMarks(config).remove(session, [WAKING]);
  const [done = ''] = stdout.split('\n', 1);
  return contextReply(
    event,
    `${done} Recorded as the user's answer: run \`holdfast status\` and continue.`,
    done,
  );
}

function stop(stopReason: string): Reply {
  return JSON.stringify({ continue: false, stopReason });
}

/** The agent can neither type nor schedule a command that the model may not invoke, and its own clients are not `cli`. */
function isTyped(
  { input: { raw }, root, launchFolder, environment, config }: HookContext,
  verb: string,
): boolean {
  if (environment['CLAUDE_CODE_ENTRYPOINT'] !== 'cli') return false;
  if (raw['command_source'] === 'plugin') return true;
  return [join(root, '.claude'), join(launchFolder, '.claude'), config].every((folder) => {
    const file = readTextFile(join(folder, 'commands/holdfast', `${verb}.md`), 100_000);
    return file.kind !== 'text' || /^disable-model-invocation: true$/m.test(file.text);
  });
}

/** What the client watches for a session whose run has approval steps; nothing is written there until one is answered. */
export function watchedBy(
  { input: { session }, config, environment }: HookContext,
  { state }: StoredRun,
): object | undefined {
  const steps = state.template?.['steps'];
  const isAsking =
    Array.isArray(steps) && steps.some((step) => isObject(step) && step['type'] === 'approval');
  if (session === null || !isAsking || hostOf(environment) !== 'claude') return undefined;
  new WakeMarks(config).remove(session, [WAKING]);
  return { watchPaths: [wakeMark(config, session, WAKING)] };
}

/** The run's approval was answered elsewhere. The client tells the model that this is not the user's word, so it only points to it. */
export function fileChanged({ input: { session }, config }: HookContext): Reply {
  if (session === null || !existsSync(wakeMark(config, session, WAKING))) return null;
  new WakeMarks(config).remove(session, [WAKING]);
  write(2, 'The run of this session has changed: run `holdfast status` and do what it says.\n');
  process.exitCode = 2;
  return null;
}
