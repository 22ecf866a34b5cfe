import { conversationText, type ModelRequest } from './request.ts';

/** Everything in the request that the model could read, or nothing if there was no such request. */
export function given(request: ModelRequest | undefined): string {
  return request === undefined ? '' : conversationText(request);
}

/** The reply that the guidance asks for, as often as it does: `Checkout, Phase 2/3`. */
export function restoredIn(
  request: ModelRequest | undefined,
): readonly string[] {
  const asked = given(request).matchAll(/✅ Workflow restored: (.+)/g);
  return [...asked].map(([, which = '']) => which);
}

/** The request from our guidance on. */
export function guidanceIn(request: ModelRequest | undefined): string {
  return (
    /WORKFLOW RESTORED AFTER COMPACTION[^]*/.exec(given(request))?.[0] ?? ''
  );
}

/** What SessionStart hooks gave, as far as it is one paragraph: the host adds words of its own below. */
export function noticesIn(
  request: ModelRequest | undefined,
): readonly string[] {
  const notices = given(request).matchAll(
    /SessionStart hook additional context: (.+(?:\n.+)*)/g,
  );
  return [...notices].map(([, notice = '']) => notice);
}

export function occurrences(text: string, of: string): number {
  return text.split(of).length - 1;
}
