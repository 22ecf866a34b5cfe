import { isSameProcess, clientProcess } from '../sessions/client-process.ts';
import { hostOf, HOSTS, withSession } from '../hosts/hosts.ts';
import { readEnd, unlessRefused } from '../files/read-file.ts';
import { LIVE_FOR } from '../state/live-for.ts';
import { WakeMarks } from '../state/store/state-folder.ts';
import { digestOf } from '../text/slug.ts';
import { stringField, type HookContext, type Reply } from './context.ts';

/** What is said when, in hosts whose events do not come as those of Claude Code do. `handle` is what it would do. */
export function handleInHost(
  context: HookContext,
  handle: (context: HookContext) => Reply,
): Reply {
  const { session, event, raw, registry } = context;
  const host = HOSTS[hostOf(context.environment)];
  if (event === 'BeforeTool') return withSession(raw, session);
  if (session === null) return handle(context);
  const call = (name: string, more: object, who = session): Reply =>
    handle({ ...context, event: name, session: who, raw: { ...raw, ...more } });
  noteProcess(context, session);
  if (event === 'SessionStart') {
    const reported = stringField(raw, 'source') ?? 'startup';
    const { pendingStart, isCompacted: wasCompacted } =
      registry.entry(session) ?? {};
    // A compaction that was not told, or whose telling is forgotten, is told.
    const isCompacted =
      pendingStart === 'compact' || (host.forgets && wasCompacted);
    const source =
      reported === 'resume' && isCompacted === true ? 'compact' : reported;
    const former =
      source === 'clear' ? lastSeenInProcess(context, session) : null;
    if (former !== null) call('SessionEnd', { reason: 'clear' }, former);
    // After a /clear the run is handed over now: the next prompt may be long after.
    const isNow = !host.startsAtPrompt || source === 'clear';
    const reply = isNow
      ? call('SessionStart', { source, belated: source !== reported })
      : null;
    noteProcess(context, session);
    if (host.startsAtPrompt || source === 'compact')
      registry.update(session, {
        ...(host.startsAtPrompt
          ? { pendingStart: source, pendingReply: reply ?? undefined }
          : {}),
        ...(source === 'compact' ? { isCompacted: true } : {}),
      });
    if (!host.startsAtPrompt) return reply;
    new WakeMarks(context.config).wake(session, ['UserPromptSubmit']);
    return null;
  }
  // Qwen tells the end after the session that follows has begun.
  if (
    event === 'SessionEnd' &&
    registry.entry(session)?.followedBy !== undefined
  )
    return null;
  if (event !== 'UserPromptSubmit' || !host.startsAtPrompt)
    return handle(context);
  const compacted = newSnapshot(context, session);
  const source =
    compacted === null ? registry.entry(session)?.pendingStart : 'compact';
  if (source === undefined)
    return raw['prompt'] === '' ? null : handle(context);
  if (compacted !== null)
    for (const name of ['PreCompact', 'PostCompact']) call(name, {});
  // What the run asked for is noted by the compaction itself, and another request may have come since.
  const start = { source, belated: true, prompt_id: context.now.toISOString() };
  const reply =
    registry.entry(session)?.pendingReply ?? call('SessionStart', start);
  registry.update(session, {
    pendingStart: undefined,
    pendingReply: undefined,
    ...(compacted === null ? {} : { snapshot: compacted }),
  });
  return reply;
}

/** Codex sends no event when `/clear` ends a session. */
function lastSeenInProcess(
  { registry, environment, root }: HookContext,
  session: string,
): string | null {
  const client = clientProcess(environment['HOLDFAST_PID']);
  const others = registry.entries(LIVE_FOR).filter((entry) => {
    const isOther = entry.session !== session && entry.project === root;
    return isOther && isSameProcess(entry.process ?? null, client) === true;
  });
  return registry.lastOpen(others);
}

function noteProcess(
  { registry, environment }: HookContext,
  session: string,
): void {
  const process = clientProcess(environment['HOLDFAST_PID']);
  const entry = registry.entry(session);
  if (
    process !== null &&
    entry !== null &&
    isSameProcess(entry.process ?? null, process) !== true
  )
    registry.update(session, { process });
}

/** Of the end of a transcript: the last snapshot is near it. */
const MAX_TRANSCRIPT_BYTES = 8_000_000;

/** Gemini has no event after a compression: its transcript shows the last one. Null if there is none that is new. */
function newSnapshot(
  { raw, environment, registry }: HookContext,
  session: string,
): string | null {
  const path = stringField(raw, 'transcript_path');
  if (path === null || hostOf(environment) !== 'gemini') return null;
  const lines = unlessRefused(() => readEnd(path, MAX_TRANSCRIPT_BYTES));
  const last = lines?.findLast(
    (line) => line.includes('"$set"') && line.includes('<state_snapshot>'),
  );
  const [snapshot] =
    /<state_snapshot>.*?<\/state_snapshot>/.exec(last ?? '') ?? [];
  const digest = snapshot === undefined ? null : digestOf(snapshot);
  return digest === registry.entry(session)?.snapshot ? null : digest;
}
