import type { DriveOptions } from '../../headless/drive-context.ts';
import { shellQuote } from '../../util/shell-quote.ts';

/** The options of `run`. */
export interface RunOptions {
  template: string | undefined;
  set: [string, string][];
  maxCost: number | undefined;
  maxTime: number | undefined;
  stepTime: number | undefined;
  model: string | undefined;
  permissionMode: string | undefined;
  allow: string[];
  waitLimits: boolean;
  onStop: string | undefined;
  step: boolean;
  dryRun: boolean;
}

export function driveOptions(options: RunOptions): DriveOptions {
  return {
    limits: {
      costUsd: options.maxCost ?? null,
      timeMs: options.maxTime ?? null,
      stepTimeMs: options.stepTime ?? null,
    },
    model: options.model ?? null,
    permissionMode: options.permissionMode ?? null,
    allow: options.allow,
    waitsForReset: options.waitLimits,
    isStepwise: options.step,
  };
}

/** The command that continues a run in the same way. Limits are left out: they belong to one call. */
export function continueCommand(runId: string, options: RunOptions): string {
  const { model, permissionMode, allow, waitLimits, step } = options;
  return [
    'holdfast run',
    shellQuote(runId),
    ...(model === undefined ? [] : ['--model', shellQuote(model)]),
    ...(permissionMode === undefined ? [] : ['--permission-mode', permissionMode]),
    ...allow.flatMap((rule) => ['--allow', shellQuote(rule)]),
    ...(waitLimits ? ['--wait-limits'] : []),
    ...(step ? ['--step'] : []),
  ].join(' ');
}
