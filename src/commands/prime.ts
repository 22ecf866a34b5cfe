import { isNewerFormat } from '../state/store/state-format.ts';
import { isArchived } from '../state/paths.ts';
import { manual } from '../guidance/artifacts/declared.ts';
import {
  lineFor,
  printArtifacts,
  whereIs,
} from '../guidance/artifacts/prime.ts';
import {
  isAbsent,
  isMissing,
  sizeOf,
} from '../guidance/artifacts/load-plain.ts';
import { withActor } from '../runs/change-run.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import {
  type Considered,
  artifactMissing,
  considerArtifacts,
  recordPrinted,
} from '../runs/due-artifacts.ts';
import { type OperationContext, isHolder } from '../sessions/open-project.ts';
import {
  previewTarget,
  runToRead,
  runToShow,
  storeIfDetected,
} from '../runs/which-run.ts';
import { isActive } from '../state/run.ts';
import { findDetectedRuns } from '../sources/project-sources.ts';
import type { Run } from '../state/types.ts';
import { formatSize, pluralize, timeAgo } from '../text/relative-time.ts';
import { command, type Shown, RUN, tool } from './command.ts';
import type { PrimeDocument, PrimePlanDocument } from './json/documents.ts';
import {
  flag,
  namesFrom,
  numberOption,
  parsedOption,
  textOption,
  textsOption,
} from './options.ts';
import { type CommandContext, table } from './view/output.ts';

export const prime = command({
  usage: 'prime [run]',
  about: 'load the critical artifacts of the run now and print them',
  examples: [
    'holdfast prime',
    'holdfast prime --artifacts spec,plan --force',
    'holdfast prime --dry-run',
  ],
  options: {
    runId: { ...textOption('', 'run'), isHidden: true },
    artifacts: parsedOption(
      'only these, separated by commas',
      'ids',
      namesFrom,
    ),
    force: flag('load again what was loaded a moment ago'),
    dryRun: flag('show what would be loaded and why'),
    maxChars: numberOption(
      'maximum number of characters to print (default: 25000)',
    ),
  },
  run: (
    cli,
    { run: name, runId, artifacts: only, force, dryRun, maxChars },
  ): Shown<PrimeDocument | PrimePlanDocument> => {
    const run = runToPrime(cli, name ?? runId, dryRun);
    const considered = consider(cli, run, force, only);
    if (dryRun) return showPlan(cli, run, considered);
    return showLoaded(
      cli,
      run,
      considered,
      primeRun(cli, run, considered, maxChars),
    );
  },
  tool: tool({
    name: 'prime_context',
    about:
      'Loads the critical artifacts of the workflow into the conversation. ' +
      'Skips what was loaded a moment ago.',
    takes: {
      artifacts: textsOption('Only these, by id, even if just loaded'),
      run: RUN,
    },
    reply: (context, { run: name, artifacts: ids }) => {
      const only = ids.length === 0 ? undefined : ids;
      const run = runToPrime(context, name, false);
      const considered = consider(context, run, only !== undefined, only);
      const { text, absent } = primeRun(context, run, considered);
      if (absent.length > 0) throw artifactMissing(absent, { details: text });
      return { run: run.runId, text: text === '' ? 'Nothing to load.' : text };
    },
  }),
});

/** A workflow that is only declared is stored first. */
function runToPrime(
  context: OperationContext,
  name: string | undefined,
  isDryRun: boolean,
) {
  const { runs } = context.store.list();
  const [only, ...more] = runs.some(isActive)
    ? []
    : findDetectedRuns(context, runs);
  const wanted = name ?? (more.length === 0 ? only?.runId : undefined);
  if (wanted !== undefined && isDryRun)
    return previewTarget(context, wanted) ?? runToRead(context, wanted).run;
  if (wanted !== undefined) storeIfDetected(context, wanted);
  return runToShow(context, wanted);
}

const MAX_CHARS = 25_000;

/** Loads the artifacts of the run now; what is printed counts as in context of the session that asks. */
function primeRun(
  context: OperationContext,
  run: Run,
  considered: Considered[],
  maxChars = MAX_CHARS,
) {
  const loaded = considered.filter(({ verdict }) => verdict === 'load');
  const { text, given } = printArtifacts(loaded, maxChars);
  const isKept = isArchived(run) || isNewerFormat(run.state);
  if (given.length > 0 && !isKept && isHolder(context, run))
    context.store.transaction((tx) => {
      const current = tx.reread(run);
      if (current === undefined) return;
      const artifacts = given.map(({ id }) => id);
      const event = withActor(context.caller, { event: 'primed', artifacts });
      tx.write(
        current,
        recordPrinted(current.state, given, context.now),
        event,
      );
    });
  return {
    text,
    given,
    /** Their content is not in the text, only their name. */
    named: loaded.filter((one) => !given.includes(one)),
    absent: loaded.filter(isMissing),
  };
}

const FIVE_MINUTES = 300_000;

/** Artifact by artifact; `force` also loads what the session has just been given; without `only`, all of them. */
function consider(
  context: OperationContext,
  run: Run,
  force: boolean,
  only?: string[],
) {
  const { now } = context;
  const all = considerArtifacts(context, run, manual);
  const ids = all.map(({ id }) => id);
  const unknown = only?.find((id) => !ids.includes(id));
  if (unknown !== undefined)
    throw new HoldfastError(
      'unknown_artifact',
      `this run has no artifact "${unknown}"`,
      {
        hint:
          ids.length > 0
            ? `available: ${ids.join(', ')}`
            : 'this run declares no artifacts',
      },
    );
  const isOwn = isHolder(context, run);
  return all.map((one): Considered => {
    if (only?.includes(one.id) === false)
      return { ...one, verdict: 'not asked for', trigger: 'not asked for' };
    const { verdict, since = '' } = one;
    // The clock may have been set back since.
    const isRecent = Math.abs(now.getTime() - Date.parse(since)) < FIVE_MINUTES;
    return verdict !== 'load' || force || !isOwn || !isRecent
      ? one
      : {
          ...one,
          verdict: 'in context',
          trigger: `loaded ${timeAgo(since, now)}`,
        };
  });
}

function showLoaded(
  cli: CommandContext,
  { runId }: Run,
  considered: readonly Considered[],
  { text, given, named, absent }: ReturnType<typeof primeRun>,
): Shown<PrimeDocument> {
  const skipped = considered
    .filter(({ verdict }) => verdict !== 'load' && verdict !== 'not asked for')
    .map(({ id, trigger: why }) => ({ id, why }));
  const report: PrimeDocument = {
    run_id: runId,
    loaded: given.flatMap(({ id, loaded }) =>
      loaded.kind === 'text' ? [{ id, ...loaded, size: sizeOf(loaded) }] : [],
    ),
    named: named.map((one) => ({
      id: one.id,
      state: isAbsent(one) ? 'missing' : one.loaded.kind,
      words: lineFor(one),
    })),
    skipped,
    missing: absent.map(({ id }) => id),
  };
  for (const { id, why } of skipped) cli.output.warn(`${id} skipped: ${why}`);
  const hint = considered.some(({ verdict }) => verdict === 'in context')
    ? '; use --force to load it again'
    : '';
  const nothing =
    considered.length === 0 ? NONE_DECLARED : `Nothing to load${hint}.`;
  if (absent.length === 0) return { data: report, text: text || nothing };
  if (!cli.output.json && text !== '') cli.output.result({}, text);
  throw artifactMissing(absent, { data: report });
}

const NONE_DECLARED = 'This run declares no critical artifacts.';

function showPlan(
  cli: CommandContext,
  { runId }: Run,
  considered: readonly Considered[],
): Shown<PrimePlanDocument> {
  const rows = considered.map(
    ({
      id,
      type,
      condition = null,
      verdict,
      trigger,
      loaded,
    }): PrimePlanDocument['artifacts'][number] => ({
      id,
      type,
      where: whereIs(loaded),
      size: sizeOf(loaded),
      condition,
      verdict: verdict === 'load' ? 'LOAD' : 'SKIP',
      why: trigger,
    }),
  );
  const loads = rows.filter(({ verdict }) => verdict === 'LOAD');
  const bytes = loads.reduce((sum, { size }) => sum + (size ?? 0), 0);
  const columns = ['ARTIFACT', 'WHERE', 'SIZE', 'CONDITION', 'VERDICT'];
  const lines = rows.map(({ id, where, size, condition, verdict, why }) => [
    id,
    where,
    size === null ? '' : formatSize(size),
    condition ?? '',
    `${verdict}: ${why}`,
  ]);
  const totals = {
    load: loads.length,
    skip: rows.length - loads.length,
    bytes,
  };
  return {
    data: { run_id: runId, artifacts: rows, totals },
    text:
      rows.length === 0
        ? NONE_DECLARED
        : `${table(columns, lines, cli.output.columns ?? undefined)}\n\n${pluralize(totals.load, 'artifact')} to load, ${formatSize(bytes)}; ${totals.skip} skipped. Nothing was loaded.`,
  };
}
