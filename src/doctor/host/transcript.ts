import { isObject, type JsonObject, parseJsonObject } from '../../util/json.ts';

/** A run of one of our hooks. */
export interface HookExecution {
  event: string;
  at: number;
  /** null if it succeeded. */
  failure: string | null;
}

export interface Compaction {
  at: number;
  /** Whether the client lists one of our hooks for this compaction; null if it lists no hooks. */
  isListed: boolean | null;
}

export interface Transcript {
  traces: HookExecution[];
  compactions: Compaction[];
}

/**
 * Finds hook runs in a transcript. The client records hooks that replied or failed, and after `/compact` every
 * PreCompact and PostCompact hook. It does not record other hooks that succeed without a reply.
 */
export function readTranscript(
  lines: readonly string[],
  isOurs: (commandLine: string) => boolean,
): Transcript {
  const traces: HookExecution[] = [];
  const compactions: Compaction[] = [];
  for (const line of lines) {
    const record = parseJsonObject(line);
    const at = Date.parse(typeof record['timestamp'] === 'string' ? record['timestamp'] : '');
    if (Number.isNaN(at)) continue;
    traces.push(...attachedTrace(record, at, isOurs));
    if (record['subtype'] === 'compact_boundary') compactions.push({ at, isListed: null });
    const told = compactionReport(record);
    if (told === null) continue;
    const listed = listedTraces(told, at, isOurs);
    traces.push(...listed);
    const last = compactions.at(-1);
    if (last !== undefined) last.isListed = listed.length > 0;
  }
  return { traces, compactions };
}

function attachedTrace(
  { attachment }: JsonObject,
  at: number,
  isOurs: (commandLine: string) => boolean,
): HookExecution[] {
  if (!isObject(attachment)) return [];
  const { type, command, hookEvent, hookName, exitCode, stderr } = attachment;
  if (typeof type !== 'string' || !type.startsWith('hook_') || typeof hookEvent !== 'string')
    return [];
  if (typeof command !== 'string' || !isOurs(command)) return [];
  const event = typeof hookName === 'string' ? hookName : hookEvent;
  const isFine = type === 'hook_success' && exitCode === 0;
  const words = typeof stderr === 'string' && stderr !== '' ? stderr : type.replaceAll('_', ' ');
  return [{ event, at, failure: isFine ? null : words }];
}

/** The output of `/compact`. */
function compactionReport({ type, message, content }: JsonObject): string | null {
  const output = isObject(message) ? message['content'] : content;
  if ((type !== 'user' && type !== 'system') || typeof output !== 'string') return null;
  const report = /^<local-command-stdout>(Compacted[^]*?)(?:<\/local-command-stdout>)?$/.exec(
    output,
  );
  return report?.[1] ?? null;
}

function listedTraces(
  report: string,
  at: number,
  isOurs: (commandLine: string) => boolean,
): HookExecution[] {
  const lines = report.matchAll(
    /^(PreCompact|PostCompact) \[(.+)\] (completed successfully|failed)(?:: (.*))?$/gm,
  );
  return [...lines].flatMap(([, event = '', command = '', end, words = '']) =>
    isOurs(command) ? [{ event, at, failure: end === 'failed' ? words || 'failed' : null }] : [],
  );
}
