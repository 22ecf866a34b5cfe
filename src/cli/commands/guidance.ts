import type { SyncInput } from '../../sync/types.ts';
import { joined, estimatedTokens } from '../../guidance/budget.ts';
import type { GuidanceSection } from '../../guidance/guidance.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import { pendingReadingText } from '../../guidance/reading-messages.ts';
import { pluralize } from '../../util/relative-time.ts';
import {
  chooseRestoration,
  withContextActionDone,
  type Restoration,
} from '../../restore/choose-restoration.ts';
import { renderRestoration, type RenderedRestoration } from '../../restore/render-restoration.ts';
import { readSyncInput } from '../../sync/sync-input.ts';
import { resolveSession, holderOf } from '../../sessions/holder.ts';
import type { PendingReading } from '../../reading/pending-reading.ts';
import { runIdFor, stateFile } from '../../state/paths.ts';
import { byRecency, isActive } from '../../sessions/select-run.ts';
import { slugOf } from '../../util/slug.ts';
import { planSync } from '../../sync/plan-sync.ts';
import type { StoredRun } from '../../state/types.ts';
import type { CommandContext } from '../context.ts';
import { namedRun } from '../../operations/with-run.ts';
import { pendingFor } from '../pending-reading.ts';
import { section } from '../output/status-text.ts';
import { table } from '../output/table.ts';

export interface GuidanceOptions {
  source: string;
  explain?: boolean;
}

/** Exactly what a session would be given; nothing is written. */
export function guidance(
  cli: CommandContext,
  name: string | undefined,
  options: GuidanceOptions,
): void {
  const { input, problems } = readSyncInput(cli, {
    runs: cli.store.list().runs,
    sourceRecords: cli.store.sourceRecords(),
  });
  const { sources } = input;
  for (const { path, why } of problems) cli.output.warn(`${path} was not read: ${why}`);
  const runs = options.source === 'compact' ? afterDetection(input) : input.runs;
  const session = cli.session === null ? null : resolveSession(cli.session, runs);
  const request = {
    ...cli,
    runs,
    sources,
    session,
    source: options.source,
    isAttended: process.env['CLAUDE_CODE_SESSION_ATTENDED'] !== '0',
  };
  const choice =
    name === undefined ? chooseRestoration(request) : full(namedRun(runs, name), runs, session);
  const prepared = renderRestoration(withContextActionDone(choice, request), request);
  const held = runs.find((run) => isActive(run) && holderOf(run.state) === session);
  const pending = held === undefined || session === null ? null : pendingFor(cli, held);
  const explanation = { ...explain(prepared), pending_reading: pending };
  const text = prepared.text ?? `Nothing would be given: ${prepared.choice.why}.`;
  cli.output.result(
    { text: prepared.text, system_message: prepared.userLine, ...explanation },
    options.explain === true ? explanationText(cli, prepared, explanation) : text,
  );
}

/** The runs as they would be once the sources were merged. */
function afterDetection(input: SyncInput): readonly StoredRun[] {
  const { runs, now } = input;
  const changes = planSync(input);
  const current = new Map(runs.map((run) => [run.runId, run]));
  for (const change of changes) {
    if (change.kind === 'forget') continue;
    if (change.kind === 'archive') current.delete(change.run.runId);
    else if (change.kind === 'update')
      current.set(change.run.runId, { ...change.run, state: change.state });
    else {
      const slug = slugOf(change.state.workflow);
      const runId = runIdFor(slug, now);
      const path = stateFile({ slug, runId });
      current.set(runId, {
        slug,
        runId,
        path,
        state: { ...change.state, run_id: runId },
        modifiedAt: now.getTime(),
      });
    }
  }
  return [...current.values()];
}

function full(run: StoredRun, runs: readonly StoredRun[], session: string | null): Restoration {
  const others = byRecency(runs.filter((other) => other.runId !== run.runId && isActive(other)));
  const isOwn = session === null || holderOf(run.state) === session;
  return { kind: 'full', run, takes: isOwn, isOwn, others, why: 'it was named' };
}

interface Explanation {
  run_id: string | null;
  kind: string;
  why: string;
  characters: number;
  tokens: number;
  sections: {
    name: string;
    part: GuidanceSection['part'];
    characters: number;
    tokens: number;
    cut: string | null;
  }[];
  left_out: string[];
  pending_reading: PendingReading | null;
}

function explain({
  choice,
  text,
  guidance: parts,
}: RenderedRestoration): Omit<Explanation, 'pending_reading'> {
  const characters = text?.length ?? 0;
  const sections = (parts?.sections ?? []).map(({ name, part, text: given, cut }) => ({
    name,
    part,
    characters: given.length,
    tokens: estimatedTokens(given.length),
    cut,
  }));
  return {
    run_id: 'run' in choice ? choice.run.runId : null,
    kind: choice.kind,
    why: choice.why,
    characters,
    tokens: estimatedTokens(characters),
    sections,
    left_out: parts?.leftOut ?? [],
  };
}

function explanationText(
  cli: CommandContext,
  { text, guidance: parts }: RenderedRestoration,
  told: Explanation,
): string {
  const { bold } = cli.output.colors;
  const rows = told.sections.map(({ name, part, characters, tokens, cut }) => [
    sanitizeLine(name),
    part,
    String(characters),
    String(tokens),
    cut ?? '',
  ]);
  const columns = [
    { title: 'SECTION', max: 34 },
    { title: 'PART' },
    { title: 'CHARS' },
    { title: 'TOKENS' },
    { title: 'CUT', max: 80 },
  ];
  return [
    `${bold('Run')}    ${told.run_id ?? 'none'}`,
    `${bold('Given')}  ${told.kind}: ${told.why}`,
    `${bold('Cost')}   ${pluralize(told.characters, 'character')}, about ${pluralize(told.tokens, 'token')}`,
    ...(told.pending_reading === null ? [] : ['', pendingReadingText(told.pending_reading)]),
    ...(rows.length === 0 ? [] : ['', table(columns, rows)]),
    ...(told.left_out.length === 0 ? [] : ['', section(bold('Left out'), told.left_out)]),
    ...(text === null
      ? []
      : ['', section(bold('Text'), (parts === null ? text : joined(parts.sections)).split('\n'))]),
  ].join('\n');
}
