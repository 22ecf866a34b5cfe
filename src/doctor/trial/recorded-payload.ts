import { payloads } from './recorded-payloads.generated.ts';

/** Events in the order in which a session sends them; the compaction comes first, because it makes the run. */
export const TRIAL_EVENTS = [
  'PreCompact',
  'SessionStart',
  'PostCompact',
  'UserPromptSubmit',
  'PostToolUse',
  'PreToolUse',
  'SessionEnd',
] as const;
export type TrialEvent = (typeof TRIAL_EVENTS)[number];

/** The project of the recordings. */
const RECORDED_ROOT = '/home/dev/shop';

/** What the client sent once, as if it had been sent from this folder, by a call of its own. */
export function recordedPayload(event: TrialEvent, folder: string, call: number): string {
  const payload = {
    ...payloads[event],
    session_id: 'holdfast-doctor',
    prompt_id: `holdfast-doctor-${call}`,
    transcript_path: `${folder}/transcript.jsonl`,
  };
  return JSON.stringify(payload, (_key, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(RECORDED_ROOT, () => folder) : value,
  );
}
