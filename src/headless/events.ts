import type { PhaseState } from '../workflow/run-view.ts';
import type { Trouble } from './turn/verdict.ts';

/** Why a driver has stopped. */
export type StopReason =
  | 'done'
  | 'step'
  | 'approval'
  | 'tasks'
  | 'failed'
  | 'blocked'
  | 'limit'
  | 'paused'
  | 'waiting'
  | 'budget'
  | 'time'
  | 'step_time'
  | 'no_progress'
  | 'permission'
  | 'authentication'
  | 'usage_limit'
  | 'api'
  | 'client'
  | 'log'
  | 'ended'
  | 'cancelled'
  | 'gone'
  | 'taken'
  | 'interrupted';

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

/** One line of `holdfast run --json`; `schemas/run-events.schema.json` describes it. */
export type DriverEvent =
  | {
      event: 'started';
      workflow: string;
      template: string;
      client: string | null;
      steps: { id: string; title: string; state: PhaseState }[];
      log: string;
    }
  | { event: 'took_over'; pid: number }
  | { event: 'waiting_for_client'; pid: number; session: string }
  | { event: 'client_ended'; pid: number }
  | {
      event: 'step';
      step: string;
      label: string;
      number: number;
      total: number;
      attempt: number;
      /** Of all steps, in their order. */
      states: PhaseState[];
    }
  | {
      event: 'session';
      session: string;
      kind: 'fresh' | 'continued' | 'resumed';
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
      result:
        | 'moved'
        | 'requested'
        | 'reported'
        | 'gave_up'
        | 'ask_again'
        | 'unfinished'
        | 'try_again'
        | 'stop';
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
  | { event: 'warning'; message: string }
  | {
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
    };

/** As it is printed and logged. */
export type StampedEvent = { at: string; run: string } & DriverEvent;
