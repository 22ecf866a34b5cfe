import { existsSync, realpathSync } from 'node:fs';
import { relative } from 'node:path';
import { canonicalPath, isInside } from '../files/environment.ts';
import { readProjectFile } from '../files/read-file.ts';
import { artifactFiles } from '../guidance/artifacts/declared.ts';
import {
  isCovered,
  isPendingReads,
  MAX_READ_BYTES,
  readingList,
  readingRefusal,
  refusalsLeft,
  requiredPaths,
  savePendingReads,
  withRange,
  type LineRange,
} from '../guidance/reading/required-reading.ts';
import { hostOf } from '../hosts/hosts.ts';
import { heldRun, holderOf } from '../sessions/holder.ts';
import { decidePermission, isOwnCommand } from '../sessions/permission.ts';
import { MAX_PLAN_BYTES } from '../state/paths.ts';
import { REPEATED_WITHIN_MS } from '../state/store/answered-calls.ts';
import type { Transaction } from '../state/store/store.ts';
import type { Run } from '../state/types.ts';
import { digestOf } from '../text/slug.ts';
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
import { unreadToRefuse } from './wake.ts';
import { recordAdded } from '../state/in-context.ts';

/** Where the client has no shell, it starts the same command for edits and for calls of holdfast. */
export function preToolUse(context: HookContext): Reply {
  const denial = isFromSubagent(context) ? null : denyUntilRead(context);
  return denial ?? permission(context);
}

/** Which calls of holdfast need no prompt, and which always need one. It depends on the command alone. */
export function permission({ raw }: HookInput): Reply {
  const decision = decidePermission(bashCommand(raw) ?? '');
  if (decision === null) return null;
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
  if (isOwn || unreadToRefuse(context) === null) return null;
  // If the hook is installed twice, one refusal is enough for the client.
  return once(context, (tx) => {
    const unread = unreadToRefuse(context, tx.runs, tx.hookState);
    if (unread === null) return null;
    const pending = {
      ...unread.pending,
      refusals: unread.pending.refusals + 1,
    };
    savePendingReads(tx, session, pending);
    return decisionReply(
      'deny',
      readingRefusal(unread.files, refusalsLeft(pending)),
    );
  });
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

/** Records what the session read. A file counts as read once it has read all of it, at once or in parts. */
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
    return path === null ? [] : [canonicalPath(root, fromProject(root, path))];
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
  if (text === null || text.length > MAX_PLAN_BYTES) return null;
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
): 'all' | 'unknown' {
  // Both as JSON, without the quotation marks around the content.
  const written = JSON.stringify(content.trim()).slice(1, -1);
  const shown = JSON.stringify(response) ?? '';
  const isShown = written.length <= MAX_SHOWN_CHARS && shown.includes(written);
  return isShown ? 'all' : 'unknown';
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
  const shownOf = hostOf(environment) === 'claude' ? shownLines : shownByOther;
  const shown = shownOf(raw, content);
  if (shown === 'unknown') return;
  store.transaction((tx) => {
    if (
      shown !== 'all' &&
      !completesFile(tx, session, `@${file}`, content, shown)
    )
      return;
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

/** The project may have been opened through a link, and the host may name the file by its real path, or the reverse. */
function fromProject(root: string, path: string): string {
  if (isInside(root, path) || !existsSync(path)) return path;
  return relative(realpathSync.native(root), realpathSync.native(path));
}

type Part = { range: LineRange; lines: number };

/** Records the part, and returns whether the parts now cover the whole pending file. */
function completesFile(
  tx: Transaction,
  session: string,
  path: string,
  content: string,
  { range, lines }: Part,
): boolean {
  const receipt = tx.hookState.receipts[session];
  const none = {
    at: tx.now.getTime(),
    owed: [],
    reminded: true,
    refusals: 0,
    parts: {},
  };
  const pending = isPendingReads(receipt) ? receipt : none;
  const next = withRange(pending, path, digestOf(content), range);
  savePendingReads(tx, session, next);
  return isCovered(next, path, lines);
}

/**
 * Which lines of the file the call has shown, as far as that can be told. `file_unchanged`, the answer to a repeated
 * Read, says nothing about which lines were read before; a call with an offset or a limit does not read the whole file.
 */
function shownLines(
  { tool_input: call, tool_response: response }: JsonObject,
  content: string,
): Part | 'all' | 'unknown' {
  if (!isObject(response)) return 'all';
  if (response['type'] === 'file_unchanged') return 'unknown';
  const { startLine, numLines, totalLines } = isObject(response['file'])
    ? response['file']
    : {};
  const { offset, limit } = isObject(call) ? call : {};
  if (typeof numLines !== 'number')
    return offset === undefined && limit === undefined ? 'all' : 'unknown';
  if (typeof totalLines !== 'number') return 'all';
  const from = typeof startLine === 'number' ? startLine : 1;
  // The client counts the empty line after a final newline, but a Read that ends before it has shown everything.
  const countsEmptyLine =
    content.endsWith('\n') && totalLines === content.split('\n').length;
  const lines = countsEmptyLine ? totalLines - 1 : totalLines;
  const isWhole = from <= 1 && numLines >= lines;
  return isWhole ? 'all' : { range: [from, from + numLines - 1], lines };
}
