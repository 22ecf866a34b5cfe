import { currentTime } from '../files/environment.ts';
import { write } from '../files/streams.ts';
import { replyFor } from '../hosts/hosts.ts';
import { handleInHost } from './other-hosts.ts';
import { createHookContext, type HookContext } from './context.ts';
import { logFailure } from './log.ts';
import { postCompact } from './post-compact.ts';
import { postToolUse } from './post-tool-use.ts';
import { preCompact } from './pre-compact.ts';
import { permission, preToolUse } from './pre-tool-use.ts';
import { type Reply, PERMISSION, readCall, type HookCall } from './protocol.ts';
import { sessionEnd } from './session-end.ts';
import { sessionStart } from './session-start.ts';
import { printStatusLine } from './statusline/status-line.ts';
import { userPromptSubmit } from './user-prompt-submit.ts';
import { settleMarks } from './wake.ts';
import { MARKED_EVENTS } from '../state/store/state-folder.ts';

const handlers = new Map<string, (context: HookContext) => Reply>([
  ['PreCompact', preCompact],
  ['SessionStart', sessionStart],
  ['SessionEnd', sessionEnd],
  ['PostCompact', postCompact],
  ['PostToolUse', postToolUse],
  ['UserPromptSubmit', userPromptSubmit],
  ['PreToolUse', preToolUse],
]);

/** The only place that catches everything: a failing hook must not disturb the host, so it logs and replies nothing. */
function main({ event, root, ...parsed }: HookCall): void {
  const now = currentTime();
  const note = (problem: unknown): void => logFailure(root, event, problem, now);
  try {
    if ('failure' in parsed) throw parsed.failure;
    if (root === null) return;
    const { input, elsewhere, environment, host } = parsed;
    if (event === PERMISSION) {
      write(1, permission(input) ?? '');
      return;
    }
    const options = { input, root, elsewhere, environment, now, note };
    const context = createHookContext(options);
    const handle = (call: HookContext): Reply => handlers.get(call.input.event)?.(call) ?? null;
    const reply = host === 'claude' ? handle(context) : handleInHost(context, handle);
    write(1, replyFor(host, input.hostEvent ?? event, reply) ?? '');
    if (MARKED_EVENTS.some((marked) => marked === event)) settleMarks(context);
  } catch (error) {
    note(error);
  }
}

const [command, ...words] = process.argv.slice(2);
// The client asks for the status line after every message, so it is here and not behind the command line.
if (command === 'statusline') {
  printStatusLine({
    segment: words.includes('--segment'),
    unknown: words.filter((word) => word !== '--segment'),
  });
} else {
  const call = readCall();
  if (call !== null) main(call);
}
