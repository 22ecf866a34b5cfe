import { canonicalPath } from '../files/environment.ts';
import { readProjectFile } from '../files/read-file.ts';
import { artifactFiles } from '../guidance/artifacts/declared.ts';
import {
  MAX_READ_BYTES,
  pathInProject,
  readingList,
  requiredPaths,
} from '../guidance/reading/required-reading.ts';
import {
  readingRefusal,
  refusalsLeft,
} from '../guidance/reading/pending-reads.ts';
import { hostOf } from '../hosts/hosts.ts';
import { heldRun, holderOf } from '../sessions/holder.ts';
import { decidePermission, isOwnCommand } from '../sessions/permission.ts';
import { MAX_PLAN_BYTES } from '../state/paths.ts';
import { REPEATED_WITHIN_MS } from '../state/store/answered-calls.ts';
import type { Run } from '../state/types.ts';
import { isObject, type JsonObject } from '../text/json.ts';
import {
  contextReply,
  isFromSubagent,
  once,
  stringField,
  type HookContext,
  type HookInput,
  type Reply,
} from './context.ts';
import { readsToEnforce, settleReads, unreadFiles } from './wake.ts';
import { recordAdded } from '../state/in-context.ts';

/** Where the client has no shell, it starts the same command for edits and for calls of holdfast. */
export function preToolUse(context: HookContext): Reply {
  const denial = isFromSubagent(context) ? null : denyUntilRead(context);
  return denial ?? permission(context);
}

/** Which calls of holdfast need no prompt, and which always need one. It depends on the call alone. */
export function permission({ raw }: HookInput): Reply {
  const decision = decidePermission(bashCommand(raw) ?? '');
  if (decision === null) return null;
  // `advance` may run a trusted gate, whose scripts the agent may have written: outside the sandbox, the user decides.
  if (decision === 'allow' && leavesSandbox(raw)) return null;
  const reason =
    decision === 'ask'
      ? 'holdfast leaves this to the user'
      : 'holdfast allows it';
  return decisionReply(decision, reason);
}

const CHANGING_TOOLS = new Set([
  'Edit',
  'MultiEdit',
  'Write',
  'NotebookEdit',
  'Bash',
]);

/** With `reading.enforce: block`, refuses changes until the required files were read after a restore. */
function denyUntilRead(context: HookContext): Reply {
  const { session, raw } = context;
  const tool = stringField(raw, 'tool_name') ?? '';
  if (session === null || !CHANGING_TOOLS.has(tool)) return null;
  const isOwn = isOwnCommand(bashCommand(raw) ?? '');
  if (isOwn || readsToEnforce(context) === null) return null;
  const unread = unreadFiles(context, context.store.list().runs);
  // If the hook is installed twice, one refusal is enough for the client.
  return once(context, (tx) => {
    const before = readsToEnforce(context, tx.runs, tx.hookState);
    if (before === null) return null;
    const pending = { ...before, refusals: before.refusals + 1 };
    settleReads(tx, session, unread, pending);
    if (unread.length === 0) return null;
    return decisionReply('deny', readingRefusal(unread, refusalsLeft(pending)));
  });
}

/** Whether the agent asks the client to run the command outside its sandbox, about which the client asks the user. */
function leavesSandbox({ tool_input: input }: JsonObject): boolean {
  return isObject(input) && input['dangerouslyDisableSandbox'] === true;
}

function bashCommand(raw: JsonObject): string | null {
  const { tool_name: tool, tool_input: input } = raw;
  return tool === 'Bash' && isObject(input)
    ? stringField(input, 'command')
    : null;
}

/** Whether the tool is run, the reply to PreToolUse. The model sees the reason if it is not. */
const decisionReply = (
  decision: 'allow' | 'ask' | 'deny',
  reason: string,
): Reply =>
  JSON.stringify({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: decision,
      permissionDecisionReason: reason,
    },
  });

/**
 * Records which files the session read whole, for the journal, for artifacts, and for a session without a transcript.
 * What was read in parts, written or attached is found in the transcript.
 */
export function postToolUse(context: HookContext): Reply {
  const { session, raw, store } = context;
  if (session === null) return null;
  if (raw['tool_name'] === 'ExitPlanMode')
    return planAccepted(context, session);
  const { runs } = store.list();
  const own = runs.filter(({ state }) => holderOf(state) === session);
  for (const file of filesRead(context, own))
    recordRead(context, session, file, own);
  return null;
}

/** The files that the call may have read, from the project root. */
function filesRead(context: HookContext, own: readonly Run[]): string[] {
  const { raw, root, environment, launchFolder } = context;
  if (hostOf(environment) === 'claude') {
    const { tool_name: tool, tool_input: input } = raw;
    if (tool !== 'Read' || !isObject(input)) return [];
    const path = stringField(input, 'file_path');
    return path === null
      ? []
      : [canonicalPath(root, pathInProject(root, path))];
  }
  // Other hosts do not name the file, so all required ones are looked for in what the tool has shown.
  return own
    .flatMap((run) => readingList(run.state, root, launchFolder))
    .map(({ path }) => path.slice(1));
}

/** Remembers the plan that the person accepted, and offers a run from it to a session that has none. */
function planAccepted(
  { raw, root, store, registry, now }: HookContext,
  session: string,
): Reply {
  const response = raw['tool_response'];
  if (!isObject(response)) return null;
  const text = stringField(response, 'plan');
  const path = stringField(response, 'filePath') ?? '';
  if (text === null || Buffer.byteLength(text) > MAX_PLAN_BYTES) return null;
  const at = now.getTime();
  const before = registry.entry(session)?.plan;
  registry.update(session, { plan: { project: root, path, text, at } });
  // The hook may be installed twice. An idle project is not written to, so the registry knows the first call.
  if (before?.text === text && at - before.at < REPEATED_WITHIN_MS) return null;
  if (heldRun(store.list().runs, session) !== undefined) return null;
  return contextReply('PostToolUse', [PLAN_OFFER]);
}

const PLAN_OFFER =
  'The accepted plan is lost with a /clear. If its work takes several phases, `holdfast start --from` keeps it as a run, with its steps as phases; tell the user that `/holdfast:start` does the same.';

/** A longer output is cut by these hosts, so a longer file is never shown in full. */
const MAX_SHOWN_CHARS = 8_000;

/** Other hosts read files in many ways: one counts as read if what a tool printed has all of it, and none of it was cut. */
function shownByOther(
  { tool_response: response }: JsonObject,
  content: string,
): boolean {
  // Both as JSON, without the quotation marks around the content.
  const written = JSON.stringify(content.trim()).slice(1, -1);
  const shown = JSON.stringify(response) ?? '';
  return written.length <= MAX_SHOWN_CHARS && shown.includes(written);
}

function recordRead(
  context: HookContext,
  session: string,
  file: string,
  own: readonly Run[],
): void {
  const { raw, root, store, now, environment } = context;
  const idsIn = (run: Run): string[] => idsOf(run, file, context);
  const concerned = own.filter((run) => idsIn(run).length > 0);
  const reading =
    concerned.length === 0 ? null : readProjectFile(root, file, MAX_READ_BYTES);
  if (reading?.kind !== 'text') return;
  const content = reading.text;
  const isWhole = hostOf(environment) === 'claude' ? readWhole : shownByOther;
  if (!isWhole(raw, content)) return;
  store.transaction((tx) => {
    for (const run of concerned.flatMap((listed) => tx.reread(listed) ?? [])) {
      if (holderOf(run.state) !== session) continue;
      const read = idsIn(run).map((id) => ({ id, content, trigger: 'read' }));
      if (read.length === 0) continue;
      const state = recordAdded(run.state, read, now);
      tx.write(run, state, { event: 'read', file, session_id: session });
    }
  });
}

/** The ids of this file in the run: as required reading, as a critical artifact, or both. */
function idsOf(run: Run, file: string, context: HookContext): string[] {
  const required = requiredPaths(run.state, context.root).filter(
    (entry) => entry === `@${file}`,
  );
  const artifacts = artifactFiles(run, context).filter(
    ({ path }) => path === file,
  );
  return [...required, ...artifacts.map(({ id }) => id)];
}

/**
 * Whether a Read has shown the whole file. `file_unchanged`, the answer to a repeated Read, says nothing about which
 * lines were read before; a call with an offset or a limit does not read the whole file.
 */
function readWhole(
  { tool_input: call, tool_response: response }: JsonObject,
  content: string,
): boolean {
  if (!isObject(response)) return true;
  if (response['type'] === 'file_unchanged') return false;
  const { startLine, numLines, totalLines } = isObject(response['file'])
    ? response['file']
    : {};
  const { offset, limit } = isObject(call) ? call : {};
  if (typeof numLines !== 'number')
    return offset === undefined && limit === undefined;
  if (typeof totalLines !== 'number') return true;
  const from = typeof startLine === 'number' ? startLine : 1;
  // The client counts the empty line after a final newline, but a Read that ends before it has shown everything.
  const countsEmptyLine =
    content.endsWith('\n') && totalLines === content.split('\n').length;
  const lines = countsEmptyLine ? totalLines - 1 : totalLines;
  return from <= 1 && numLines >= lines;
}
