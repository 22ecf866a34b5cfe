import type { PhaseState } from '../workflow/run-view.ts';
import type { Trouble } from './limits.ts';
import type { StopReason } from './stop.ts';
import type { Verdict } from './verdict.ts';

/** What was used, by a step or in all. `cost_usd` is null if some of it is unknown. */
export interface Usage {
  turns: number;
  tokens: number;
  cost_usd: number | null;
  seconds: number;
}

export interface StepSummary extends Usage {
  step: string;
  label: string;
  outcome: 'finished' | 'failed' | 'left' | 'stopped';
}

interface Started {
  event: 'started';
  workflow: string;
  template: string;
  client: string | null;
  steps: { id: string; title: string; state: PhaseState }[];
  log: string;
}

interface StepBegun {
  event: 'step';
  step: string;
  label: string;
  number: number;
  total: number;
  attempt: number;
  /** Of all steps, in their order. */
  states: PhaseState[];
}

export interface Stopped {
  event: 'stopped';
  reason: StopReason;
  exit_code: number;
  message: string;
  hint: string;
  usage: Usage;
  steps: StepSummary[];
  /** Of all steps, in their order; empty if the run is gone. */
  states: PhaseState[];
  log: string;
  error?: { code: string; message: string; hint: string };
}

/** One line of `holdfast run --json`; `schemas/run-events.schema.json` describes it. */
export type DriverEvent =
  | Started
  | { event: 'took_over'; pid: number }
  | { event: 'client_stopped'; pid: number; session: string }
  | StepBegun
  | {
      event: 'session';
      session: string;
      kind: 'fresh' | 'resumed';
      agent: string | null;
      stream: string;
    }
  | { event: 'compacted'; session: string; tokens_before: number | null }
  | { event: 'compaction_failed'; reason: string }
  | { event: 'activity'; tool: string; target: string; sub_agent: boolean }
  | { event: 'tokens'; tokens: number; context_percent: number | null }
  | {
      event: 'turn';
      step: string;
      result: Verdict['kind'];
      usage: Usage;
      context_percent: number | null;
    }
  | {
      event: 'gate';
      step: string;
      result: 'passed' | 'failed' | 'timed_out';
      command: string;
      output: string;
    }
  | { event: 'until'; step: string; command: string; met: boolean }
  | { event: 'retry'; why: Trouble; message: string; wait_seconds: number; attempt: number }
  | { event: 'waiting_for_reset'; resets_at: string | null; wait_seconds: number }
  | { event: 'step_ended'; summary: StepSummary }
  | Stopped;

/** As it is printed and logged. */
export type StampedEvent = { at: string; run: string } & DriverEvent;
