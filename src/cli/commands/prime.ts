import { describeDecision } from '../../artifacts/describe-decision.ts';
import type { Decision } from '../../artifacts/decide.ts';
import { isAbsent, lineFor } from '../../artifacts/print.ts';
import { formatSize } from '../../util/format-size.ts';
import type { Loaded } from '../../artifacts/types.ts';
import { loadArtifact } from '../../artifacts/load.ts';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import { timeAgo, pluralize } from '../../util/relative-time.ts';
import { planPrime, primeRun, type PrimeOptions } from '../../operations/prime.ts';
import { runToRead } from '../../operations/run-to-read.ts';
import type { StoredRun } from '../../state/types.ts';
import type { CommandContext } from '../context.ts';
import { nonBlank, wholeNumber } from '../options.ts';
import { table } from '../output/table.ts';

export interface PrimeWords {
  runId?: string;
  artifacts?: string;
  force?: boolean;
  dryRun?: boolean;
  maxChars?: string;
}

export function prime(cli: CommandContext, words: PrimeWords): void {
  const run = runToRead(cli, words.runId).run;
  const options: PrimeOptions = {
    only: words.artifacts === undefined ? undefined : idsIn(words.artifacts),
    force: words.force === true,
    maxChars: words.maxChars === undefined ? undefined : wholeNumber('--max-chars', words.maxChars),
  };
  if (words.dryRun === true) showPlan(cli, run, options);
  else load(cli, run, options);
}

function idsIn(given: string): string[] {
  return nonBlank('--artifacts', given)
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
}

function load(cli: CommandContext, run: StoredRun, options: PrimeOptions): void {
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
    cli.warn(`${decision.artifact.id} skipped: ${describeDecision(decision, cli.now)}`);
  if (absent.length === 0) {
    cli.output.result(report, text === '' ? nothingWords(decisions) : text);
    return;
  }
  if (!cli.output.json && text !== '') cli.output.result({}, text);
  const what = absent.map((one) => sanitizeLine(lineFor(one)));
  throw new HoldfastError({ code: 'artifact_missing', what, forced: null, loaded: { report } });
}

function nothingWords(decisions: readonly Decision[]): string {
  if (decisions.length === 0) return 'This run declares no critical artifacts.';
  const isHeldBack = decisions.some(
    (decision) => decision.verdict === 'skip' && decision.skip.kind === 'in context',
  );
  return `Nothing had to be loaded${isHeldBack ? '; --force loads it again' : ''}.`;
}

/** What would be loaded, from where and why; nothing is written. */
function showPlan(cli: CommandContext, run: StoredRun, options: PrimeOptions): void {
  const decisions = planPrime(cli, run, options);
  const rows = decisions.map((decision) => rowFor(cli, run, decision));
  const loads = rows.filter(({ verdict }) => verdict === 'LOAD');
  const bytes = loads.reduce((sum, { size }) => sum + (size ?? 0), 0);
  const columns = [
    { title: 'ARTIFACT', max: 24 },
    { title: 'WHERE', max: 40 },
    { title: 'SIZE' },
    { title: 'CONDITION', max: 30 },
    { title: 'LAST LOADED' },
    { title: 'VERDICT', max: 60 },
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
      : `${table(columns, lines)}\n\n${pluralize(totals.load, 'artifact')} to load, ${formatSize(bytes)}; ${totals.skip} skipped. Nothing was written.`,
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

function rowFor(cli: CommandContext, { runId, state }: StoredRun, decision: Decision): Row {
  const { artifact, verdict } = decision;
  const loaded = loadArtifact(artifact, state, { root: cli.root, runId });
  const before = (state.context_metadata?.artifacts_in_context ?? []).findLast(
    (entry) => entry.artifact_id === artifact.id,
  );
  return {
    id: artifact.id,
    type: artifact.type,
    where: whereIs(loaded),
    size: 'size' in loaded ? (loaded.size ?? null) : null,
    condition: artifact.condition ?? null,
    last_loaded: before?.loaded_at ?? null,
    verdict: verdict === 'load' ? 'LOAD' : 'SKIP',
    why: describeDecision(decision, cli.now),
  };
}

function whereIs(loaded: Loaded): string {
  if ('path' in loaded && loaded.path !== undefined) {
    return loaded.kind === 'refused' ? `@${loaded.path} (${loaded.why})` : `@${loaded.path}`;
  }
  if (loaded.kind === 'listed') return loaded.words;
  return loaded.kind === 'missing' ? `missing: ${loaded.what}` : '';
}
