import type { JsonObject } from '../../util/json.ts';
import { findingsFor } from '../findings.ts';
import type { HookEvent } from '../../install/plan/hook-entry.ts';
import type { TrialProject } from './trial.ts';
import { isNode } from '../../install/plan/hook-command.ts';
import type { Finding } from '../types.ts';

const report = findingsFor('commands');
const ROUNDS = 3;
const RETAKES = 2;
const SLOW = 3;

export interface Cost {
  /** Relative to a process that does nothing. */
  ratio: number;
  words: string;
}

/** Measures the hook that fires most often. Slow results are measured again, because the machine may be busy. */
export function timed(
  trial: Pick<TrialProject, 'send' | 'idle'>,
  hookFor: (event: HookEvent) => JsonObject,
  events: readonly HookEvent[],
): Cost {
  const event = events.find((candidate) => candidate === 'UserPromptSubmit') ?? events[0];
  if (event === undefined) return { ratio: 0, words: 'no event to measure' };
  const hook = hookFor(event);
  let cost = measured(trial, hook, event);
  for (let left = RETAKES; left > 0 && cost.ratio > SLOW; left -= 1) {
    const again = measured(trial, hook, event);
    if (again.ratio < cost.ratio) cost = again;
  }
  return cost;
}

/** Interleaved, so that a busy machine slows both equally. */
function measured(
  trial: Pick<TrialProject, 'send' | 'idle'>,
  hook: JsonObject,
  event: HookEvent,
): Cost {
  const program =
    typeof hook['command'] === 'string' && isNode(hook['command']) ? hook['command'] : 'node';
  const rounds = Array.from({ length: ROUNDS }, () => ({
    idle: trial.idle(program).milliseconds,
    hook: trial.send(hook, event).milliseconds,
  }));
  const idle = median(rounds.map((round) => round.idle));
  const cost = median(rounds.map((round) => round.hook));
  const ratio = cost / Math.max(idle, 1);
  const words = `${event} takes ${ratio.toFixed(1)} times as long as \`node -e 0\` (${Math.round(cost)} ms, ${Math.round(idle)} ms)`;
  return { ratio, words };
}

export function slowness(where: string, { ratio, words }: Cost, init: string): Finding[] {
  return ratio > SLOW
    ? [
        report.warning(`the hooks of ${where} are slow`, {
          evidence: [words],
          fix: init,
        }),
      ]
    : [];
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
