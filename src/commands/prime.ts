import {
  decide,
  type Decision,
  declaredArtifacts,
  manual,
} from '../guidance/artifacts/declared.ts';
import { loadArtifact } from '../guidance/artifacts/load.ts';
import {
  isAbsent,
  lineFor,
  printArtifacts,
  type LoadedArtifact,
} from '../guidance/artifacts/print.ts';
import type { Loaded } from '../guidance/artifacts/load-plain.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { artifactMissing, loadArtifacts, recordPrinted } from '../operations/artifacts-at-move.ts';
import type { OperationContext } from '../operations/open-project.ts';
import { isHolder, runToRead } from '../operations/target-run.ts';
import { withActor } from '../operations/with-run.ts';
import type { StoredRun } from '../state/types.ts';
import { formatSize, pluralize, timeAgo } from '../text/relative-time.ts';
import { describeSettings } from '../settings/describe-schema-error.ts';
import { command, type Shown, RUN, tool } from './command.ts';
import {
  flag,
  NOT_BLANK,
  numberOption,
  parsedOption,
  textOption,
  textsOption,
  type Bad,
} from './options.ts';
import type { CommandContext } from './view/output.ts';
import { table } from './view/table.ts';

export const prime = command({
  usage: 'prime',
  about: 'load the critical artifacts of the run now and print them',
  examples: [
    'holdfast prime',
    'holdfast prime --artifacts spec,plan --force',
    'holdfast prime --dry-run',
  ],
  agent: 'may',
  options: {
    run: textOption('the run to load them for', 'run'),
    runId: { ...textOption('', 'run'), isHidden: true },
    artifacts: parsedOption('only these, separated by commas', 'ids', idsFrom),
    force: flag('load again what was loaded a moment ago'),
    dryRun: flag('show what would be loaded and why'),
    maxChars: numberOption('maximum number of characters to print (default: 25000)'),
  },
  run: (context, { run: name, runId, artifacts: only, force, dryRun, maxChars }) => {
    const { run } = runToRead(context, name ?? runId);
    const options = { only, force, maxChars };
    return dryRun
      ? { run, plan: previewPrime(context, run, options) }
      : primeRun(context, run, options);
  },
  show: (cli, primed) => ('plan' in primed ? showPlan(cli, primed) : showLoaded(cli, primed)),
  tool: tool({
    name: 'prime_context',
    about:
      'Loads the critical artifacts of the workflow into the conversation. ' +
      'Skips what was loaded a moment ago.',
    takes: {
      artifacts: textsOption('Only these, by id, even if they were loaded a moment ago'),
      run: RUN,
    },
    reply: (context, { run: name, artifacts: ids }) => {
      const only = ids.length === 0 ? undefined : ids;
      const { run } = runToRead(context, name);
      const { text, absent } = primeRun(context, run, { only, force: only !== undefined });
      if (absent.length > 0) throw artifactMissing(absent, { details: text });
      return { run: run.runId, text: text === '' ? 'Nothing to load.' : text };
    },
  }),
});

function idsFrom(given: string, bad: Bad): string[] {
  if (given.trim() === '') throw bad(NOT_BLANK);
  return given
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
}

const MAX_CHARS = 25_000;

interface PrimeOptions {
  /** Only these artifacts; all of them if undefined. */
  only?: string[] | undefined;
  /** Load again what was loaded a moment ago. */
  force: boolean;
  maxChars?: number | undefined;
}

interface PrimedRun {
  run: StoredRun;
  text: string;
  decisions: Decision[];
  given: LoadedArtifact[];
  /** Artifacts that should be loaded but whose content is not in the text, only their name. */
  named: LoadedArtifact[];
  /** Required artifacts that do not exist. */
  absent: LoadedArtifact[];
}

/** Loads the artifacts of the run now; what is printed counts as in context of the session that asks. */
function primeRun(context: OperationContext, run: StoredRun, options: PrimeOptions): PrimedRun {
  const decisions = decideArtifacts(context, run, options);
  const loaded = loadArtifacts(context, run, decisions);
  const { text, given } = printArtifacts(loaded, options.maxChars ?? MAX_CHARS);
  const absent = loaded.filter((one) => one.artifact.required === true && isAbsent(one));
  const written =
    given.length === 0 || !isHolder(context, run) ? run : savePrinted(context, run, given);
  const named = loaded.filter((one) => !given.includes(one));
  return { run: written, text, decisions, given, named, absent };
}

interface PrimePreview {
  decision: Decision;
  loaded: Loaded;
  lastLoadedAt: string | null;
}

/** What `primeRun` would do, artifact by artifact. Nothing is written. */
function previewPrime(
  context: OperationContext,
  run: StoredRun,
  options: PrimeOptions,
): PrimePreview[] {
  const inContext = run.state.context_metadata?.artifacts_in_context ?? [];
  return decideArtifacts(context, run, options).map((decision) => {
    const { artifact } = decision;
    const last = inContext.findLast((entry) => entry.artifact_id === artifact.id);
    return {
      decision,
      loaded: loadArtifact(artifact, run, context.root),
      lastLoadedAt: last?.loaded_at ?? null,
    };
  });
}

function decideArtifacts(
  context: OperationContext,
  run: StoredRun,
  { only, force }: PrimeOptions,
): Decision[] {
  const { artifacts, problems } = declaredArtifacts(run.state, context.settings);
  for (const sentence of describeSettings(problems)) context.warn(sentence);
  requireKnown(
    artifacts.map(({ id }) => id),
    only,
  );
  return decide(artifacts, manual, run.state, {
    now: context.now,
    force,
    ...(only === undefined ? {} : { only }),
    inContext: isHolder(context, run)
      ? (run.state.context_metadata?.artifacts_in_context ?? [])
      : [],
  });
}

function savePrinted(
  context: OperationContext,
  run: StoredRun,
  printed: readonly LoadedArtifact[],
): StoredRun {
  return context.store.transaction((tx) => {
    const current = tx.reread(run);
    if (current === undefined) return run;
    const ids = printed.map(({ artifact }) => artifact.id);
    const event = withActor(context, { event: 'primed', artifacts: ids });
    return tx.write(current, recordPrinted(current.state, printed, context.now), event);
  });
}

function requireKnown(ids: string[], only: string[] | undefined): void {
  const unknown = only?.find((id) => !ids.includes(id));
  if (unknown === undefined) return;
  throw new HoldfastError('unknown_artifact', `this run has no artifact "${unknown}"`, {
    hint: ids.length > 0 ? `available: ${ids.join(', ')}` : 'this run declares no artifacts',
  });
}

function showLoaded(
  cli: CommandContext,
  { run, text, decisions, given, named, absent }: PrimedRun,
): Shown {
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
      why: reasonOf(decision),
    })),
    missing: absent.map(({ artifact }) => artifact.id),
  };
  for (const decision of skipped)
    cli.output.warn(`${decision.artifact.id} skipped: ${reasonOf(decision)}`);
  if (absent.length === 0)
    return { data: report, text: text === '' ? nothingLoadedText(decisions) : text, isExact: true };
  if (!cli.output.json && text !== '') cli.output.result({}, text);
  throw artifactMissing(absent, { data: report });
}

function reasonOf(decision: Decision): string {
  return decision.verdict === 'load' ? decision.trigger : decision.skip.why;
}

function nothingLoadedText(decisions: readonly Decision[]): string {
  if (decisions.length === 0) return 'This run declares no critical artifacts.';
  const isSkippedAsLoaded = decisions.some(
    (decision) => decision.verdict === 'skip' && decision.skip.kind === 'in context',
  );
  return `Nothing to load${isSkippedAsLoaded ? '; use --force to load it again' : ''}.`;
}

interface PrimePlan {
  run: StoredRun;
  plan: PrimePreview[];
}

/** What would be loaded, from where and why. */
function showPlan(cli: CommandContext, { run, plan }: PrimePlan): Shown {
  const rows = plan.map(rowFor);
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
  return {
    data: { run_id: run.runId, artifacts: rows, totals },
    isExact: true,
    text:
      rows.length === 0
        ? 'This run declares no critical artifacts.'
        : `${table(columns, lines, cli.output.columns ?? undefined)}\n\n${pluralize(totals.load, 'artifact')} to load, ${formatSize(bytes)}; ${totals.skip} skipped. Nothing was loaded.`,
  };
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

function rowFor({ decision, loaded, lastLoadedAt }: PrimePreview): Row {
  const { artifact, verdict } = decision;
  return {
    id: artifact.id,
    type: artifact.type,
    where: whereIs(loaded),
    size: 'size' in loaded ? (loaded.size ?? null) : null,
    condition: artifact.condition ?? null,
    last_loaded: lastLoadedAt,
    verdict: verdict === 'load' ? 'LOAD' : 'SKIP',
    why: reasonOf(decision),
  };
}

function whereIs(loaded: Loaded): string {
  if ('path' in loaded && loaded.path !== undefined) {
    return loaded.kind === 'refused' ? `@${loaded.path} (${loaded.why})` : `@${loaded.path}`;
  }
  if (loaded.kind === 'listed') return loaded.todo;
  return loaded.kind === 'missing' ? `missing: ${loaded.what}` : '';
}
