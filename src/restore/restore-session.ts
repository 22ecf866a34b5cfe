import type { Transaction } from '../state/store/store.ts';
import { withContextActionDone } from './choose-restoration.ts';
import { chooseUnderLock, type ChoiceRequest } from './choose-under-lock.ts';
import { recordRestoration, type RecordContext } from './record-restoration.ts';
import { renderRestoration, type RenderedRestoration } from './render-restoration.ts';

export interface RestoreRequest extends ChoiceRequest, Omit<RecordContext, 'session'> {
  /** The compaction was some time ago and has been recorded since. */
  isBelated?: boolean;
}

/** What a session gets back: chosen, rendered and recorded, under the lock. */
export function restoreSession(tx: Transaction, request: RestoreRequest): RenderedRestoration {
  const { choice, sources } = chooseUnderLock(tx, request);
  const rendered = renderRestoration(withContextActionDone(choice, request), {
    ...request,
    sources,
  });
  const { session } = request;
  if (session !== null) recordRestoration(tx, rendered, { ...request, session });
  return rendered;
}
