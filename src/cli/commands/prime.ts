import { describeAction, describeMissing } from '../../artifacts/describe-loaded.ts';
import { describeDecision } from '../../artifacts/describe-decision.ts';
import type { Decision } from '../../artifacts/decide.ts';
import { isAbsent, lineFor } from '../../artifacts/print.ts';
import { formatSize } from '../../util/format-size.ts';
import type { Loaded } from '../../artifacts/types.ts';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import { timeAgo, pluralize } from '../../util/relative-time.ts';
import {
  previewPrime,
  primeRun,
  type PrimeOptions,
  type PrimePreview,
} from '../../operations/prime.ts';
import { runToRead } from '../../operations/target-run.ts';
import type { StoredRun } from '../../state/types.ts';
import type { CommandContext } from '../context.ts';
import { nonBlank, wholeNumber } from '../options.ts';
import { table } from '../output/table.ts';

export interface PrimeCommandOptions {
  run?: string;
  /** The same as `run`. */
  runId?: string;
  artifacts?: string;
  force?: boolean;
  dryRun?: boolean;
  maxChars?: string;
}

export function prime(cli: CommandContext, given: PrimeCommandOptions): void {
  const run = runToRead(cli, given.run ?? given.runId).run;
  const options: PrimeOptions = {
    only: given.artifacts === undefined ? undefined : idsIn(given.artifacts),
    force: given.force === true,
    maxChars: given.maxChars === undefined ? undefined : wholeNumber('--max-chars', given.maxChars),
  };
  if (given.dryRun === true) showPlan(cli, run, options);
  else loadNow(cli, run, options);
}

function idsIn(given: string): string[] {
  return nonBlank('--artifacts', given)
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
}

function loadNow(cli: CommandContext, run: StoredRun, options: PrimeOptions): void {
  const { text, decisions, given, named, absent } = primeRun(cli, run, options);
  const skipped = decisions.filter(
    (decision) => decision.verdict === 'skip' && decision.skip.kind !== 'not asked for',
  );
  const report = {
    run_id: run.runId,
    loaded: given.map(({ artifact, loaded }) => ({ id: artifact.id, ...loaded })),
    named: named.map((one) => ({
      id: one.artifact.id,
      state: isAbsent(one) ? 'missing' : one.loaded.kind,
      words: lineFor(one),
    })),
    skipped: skipped.map((decision) => ({
      id: decision.artifact.id,
      why: describeDecision(decision, cli.now),
    })),
    missing: absent.map(({ artifact }) => artifact.id),
  };
  for (const decision of skipped)
    cli.output.warn(`${decision.artifact.id} skipped: ${describeDecision(decision, cli.now)}`);
  if (absent.length === 0) {
    cli.output.result(report, text === '' ? nothingLoadedText(decisions) : text);
    return;
  }
  if (!cli.output.json && text !== '') cli.output.result({}, text);
  const what = absent.map((one) => sanitizeLine(lineFor(one)));
  throw new HoldfastError({ code: 'artifact_missing', what, forced: null, loaded: { report } });
}

function nothingLoadedText(decisions: readonly Decision[]): string {
  if (decisions.length === 0) return 'This run declares no critical artifacts.';
  const isSkippedAsLoaded = decisions.some(
    (decision) => decision.verdict === 'skip' && decision.skip.kind === 'in context',
  );
  return `Nothing to load${isSkippedAsLoaded ? '; use --force to load it again' : ''}.`;
}

/** Prints what would be loaded, from where and why. */
function showPlan(cli: CommandContext, run: StoredRun, options: PrimeOptions): void {
  const rows = previewPrime(cli, run, options).map((preview) => rowFor(cli, preview));
  const loads = rows.filter(({ verdict }) => verdict === 'LOAD');
  const bytes = loads.reduce((sum, { size }) => sum + (size ?? 0), 0);
  const columns = [
    { title: 'ARTIFACT', min: 12, max: 24 },
    { title: 'WHERE', min: 12, max: 40 },
    { title: 'SIZE', isOptional: true },
    { title: 'CONDITION', max: 30, isOptional: true },
    { title: 'LAST LOADED', isOptional: true },
    { title: 'VERDICT', min: 10, max: 60 },
  ];
  const lines = rows.map(({ id, where, size, condition, last_loaded: last, verdict, why }) => [
    id,
    where,
    size === null ? '' : formatSize(size),
    condition ?? '',
    last === null ? 'never' : timeAgo(last, cli.now),
    `${verdict}: ${why}`,
  ]);
  const totals = { load: loads.length, skip: rows.length - loads.length, bytes };
  cli.output.result(
    { run_id: run.runId, artifacts: rows, totals },
    rows.length === 0
      ? 'This run declares no critical artifacts.'
      : `${table(columns, lines, cli.output.columns ?? undefined)}\n\n${pluralize(totals.load, 'artifact')} to load, ${formatSize(bytes)}; ${totals.skip} skipped. Nothing was loaded.`,
  );
}

interface Row {
  id: string;
  type: string;
  where: string;
  size: number | null;
  condition: string | null;
  last_loaded: string | null;
  verdict: 'LOAD' | 'SKIP';
  why: string;
}

function rowFor(cli: CommandContext, { decision, loaded, lastLoadedAt }: PrimePreview): Row {
  const { artifact, verdict } = decision;
  return {
    id: artifact.id,
    type: artifact.type,
    where: whereIs(loaded),
    size: 'size' in loaded ? (loaded.size ?? null) : null,
    condition: artifact.condition ?? null,
    last_loaded: lastLoadedAt,
    verdict: verdict === 'load' ? 'LOAD' : 'SKIP',
    why: describeDecision(decision, cli.now),
  };
}

function whereIs(loaded: Loaded): string {
  if ('path' in loaded && loaded.path !== undefined) {
    return loaded.kind === 'refused' ? `@${loaded.path} (${loaded.why})` : `@${loaded.path}`;
  }
  if (loaded.kind === 'listed') return describeAction(loaded.todo);
  return loaded.kind === 'missing' ? `missing: ${describeMissing(loaded.why).what}` : '';
}
