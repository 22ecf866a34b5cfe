import { HoldfastError } from '../errors/holdfast-error.ts';
import type { DriveOptions } from '../driver/drive-context.ts';
import { parseDuration } from '../driver/limits/limits.ts';
import { shellQuote } from '../util/shell-quote.ts';

/** The options of `run`, as commander passes them. */
export interface RunOptions {
  template?: string;
  set?: string[];
  maxCost?: string;
  maxTime?: string;
  stepTime?: string;
  model?: string;
  permissionMode?: string;
  allow?: string[];
  waitLimits?: boolean;
  onStop?: string;
  step?: boolean;
  dryRun?: boolean;
}

export function driveOptions(options: RunOptions): DriveOptions {
  return {
    limits: {
      costUsd: amount('--max-cost', options.maxCost),
      timeMs: duration('--max-time', options.maxTime),
      stepTimeMs: duration('--step-time', options.stepTime),
    },
    model: options.model ?? null,
    permissionMode: options.permissionMode ?? null,
    allow: options.allow ?? [],
    waitsForReset: options.waitLimits === true,
    isStepwise: options.step === true,
  };
}

/** The command that continues a run in the same way. Limits are left out: they belong to one call. */
export function continueCommand(runId: string, options: RunOptions): string {
  const { model, permissionMode, allow = [], waitLimits, step } = options;
  return [
    'holdfast run',
    shellQuote(runId),
    ...(model === undefined ? [] : ['--model', shellQuote(model)]),
    ...(permissionMode === undefined ? [] : ['--permission-mode', permissionMode]),
    ...allow.flatMap((rule) => ['--allow', shellQuote(rule)]),
    ...(waitLimits === true ? ['--wait-limits'] : []),
    ...(step === true ? ['--step'] : []),
  ].join(' ');
}

function amount(option: string, given: string | undefined): number | null {
  if (given === undefined) return null;
  const value = /^\$?\d{1,7}(?:\.\d{1,4})?$/.test(given.trim())
    ? Number(given.trim().replace('$', ''))
    : 0;
  if (value > 0) return value;
  throw new HoldfastError({ code: 'bad_value', option, given, expected: { kind: 'amount' } });
}

function duration(option: string, given: string | undefined): number | null {
  if (given === undefined) return null;
  const value = parseDuration(given);
  if (value !== null) return value;
  throw new HoldfastError({ code: 'bad_value', option, given, expected: { kind: 'duration' } });
}
