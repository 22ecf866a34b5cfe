import { HOOK_EVENTS, type HookEvent } from '../../install/plan/hook-entry.ts';
import { payloads } from './recorded-payloads.generated.ts';

/** Every event, in the order in which a session sends them. The compaction comes first, because it creates the run. */
export const TRIAL_EVENTS: readonly HookEvent[] = [
  'PreCompact',
  ...HOOK_EVENTS.filter((event) => event !== 'PreCompact' && event !== 'SessionEnd'),
  'SessionEnd',
];

export const TRIAL_SESSION = 'holdfast-doctor';

/** The project root in the recordings. */
const RECORDED_ROOT = '/home/dev/shop';

/** A recorded payload, adapted to this folder and to one call. */
export function recordedPayload(event: HookEvent, folder: string, call: number): string {
  const payload = {
    ...payloads[event],
    session_id: TRIAL_SESSION,
    prompt_id: `${TRIAL_SESSION}-${call}`,
    transcript_path: `${folder}/transcript.jsonl`,
  };
  return JSON.stringify(payload, (_key, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(RECORDED_ROOT, () => folder) : value,
  );
}
