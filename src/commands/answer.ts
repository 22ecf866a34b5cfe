import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { readTextFile } from '../files/read-file.ts';
import { readStdin } from '../files/streams.ts';
import { withoutAgent } from '../hosts/hosts.ts';
import { holderOf } from '../sessions/holder.ts';
import { isActive } from '../sessions/select-run.ts';
import { isDuplicateCall, recordCall } from '../state/store/hook-state.ts';
import { WakeMarks } from '../state/store/state-folder.ts';
import { parseJsonObject, type JsonObject } from '../text/json.ts';
import { command } from './command.ts';
import { packageFolder } from './view/installation.ts';
import { type CommandContext, print } from './view/output.ts';

const MAX_INPUT_BYTES = 1_000_000;

/** Called by bin/hook.sh with an answer typed in a client without the module; acts as from the person's terminal. */
export const answer = command({
  usage: 'answer',
  about: 'called by Claude Code with a slash command that was typed',
  examples: [],
  agent: 'asked',
  isHidden: true,
  isLook: true,
  run: (context) => {
    const { session, store, root, config, now } = context;
    const raw = parseJsonObject(readStdin(MAX_INPUT_BYTES) ?? '');
    const [, verb] = /^holdfast:(approve|reject)$/.exec(String(raw['command_name'])) ?? [];
    if (verb === undefined || session === null || !isTyped(context, raw, verb)) return;
    const call = `${session} ${verb} ${String(raw['prompt_id'])}`;
    // The hook may be installed twice, in the settings and by a plugin.
    const isRepeated = store.transaction((tx) => {
      const isKnown = isDuplicateCall(tx.hookState, call, now.getTime());
      tx.saveHookState(recordCall(tx.hookState, call, now.getTime()));
      return isKnown;
    });
    if (isRepeated) return;
    const { runs } = store.list();
    const run = runs.find((each) => isActive(each) && holderOf(each.state) === session);
    if (run === undefined) return stop('This session holds no run.');
    const text = typeof raw['command_args'] === 'string' ? raw['command_args'] : '';
    const option =
      verb === 'reject' ? [`--feedback=${text}`] : text === '' ? [] : [`--note=${text}`];
    const program = join(packageFolder(), 'bin/holdfast.cjs');
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [program, '--cwd', root, verb, run.runId, ...option],
      { encoding: 'utf8', env: withoutAgent(process.env) },
    );
    if (status !== 0) return stop(stderr.trim());
    // The turn that begins goes on by itself.
    new WakeMarks(config).remove(session, ['FileChanged']);
    const [done = ''] = stdout.split('\n', 1);
    const additionalContext = `${done} Recorded as the user's answer: run \`holdfast status\` and continue.`;
    const hookSpecificOutput = { hookEventName: 'UserPromptExpansion', additionalContext };
    print(1, JSON.stringify({ hookSpecificOutput, systemMessage: done }));
  },
});

function stop(stopReason: string): void {
  print(1, JSON.stringify({ continue: false, stopReason }));
}

/** The agent can neither type nor schedule a command that the model may not invoke, and its own clients are not `cli`. */
function isTyped(
  { root, launchFolder, environment, config }: CommandContext,
  raw: JsonObject,
  verb: string,
): boolean {
  if (environment['CLAUDE_CODE_ENTRYPOINT'] !== 'cli') return false;
  if (raw['command_source'] === 'plugin') return true;
  return [join(root, '.claude'), join(launchFolder, '.claude'), config].every((folder) => {
    const file = readTextFile(join(folder, 'commands/holdfast', `${verb}.md`), 100_000);
    return file.kind !== 'text' || /^disable-model-invocation: true$/m.test(file.text);
  });
}
