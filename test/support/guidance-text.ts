import type { ReadingEntry } from '../../src/guidance/reading/required-reading.ts';

/** The lines as Markdown reads them: text in a code fence is not holdfast's own. */
export function outsideFences(text: string): string[] {
  let fence: string | null = null;
  return text.split('\n').filter((line) => {
    if (fence === null) {
      fence = /^`{3,}$/.exec(line)?.[0] ?? null;
      return fence === null;
    }
    if (/^`+$/.test(line) && line.length >= fence.length) fence = null;
    return false;
  });
}

const HOST_TAG =
  /<[\s/]*(?:system|command|local-command|user-|assistant|human|function|invoke|tool|task-|bash-|persisted|session|post-tool-use-hook|stop-hook|cc-memory|pasted_content|previous-conversation|truncated-output|subagent|mcp-|summary|analysis|thinking)/iu;

/** The client's tags as a model might read them, without invisible characters. */
export function hostTagIn(text: string): string | null {
  const seen = text.replace(
    /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}]/gu,
    '',
  );
  return HOST_TAG.exec(seen)?.[0] ?? null;
}

/** The files that the guidance asks the agent to open: list items without a mark. */
export function askedFor(readingSection: string): string[] {
  return readingSection
    .split('\n')
    .filter((line) => line.startsWith('@'))
    .filter(
      (line) =>
        !/ \((?:content below|loaded by the host|missing|outside the project)\)$/.test(
          line,
        ),
    );
}

export const READING_STATES = [
  'in_context',
  'changed',
  'unread',
  'missing',
  'outside',
  'host',
] as const satisfies readonly ReadingEntry['state'][];
