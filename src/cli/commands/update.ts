import { updateRun } from '../../operations/update.ts';
import type { Edits } from '../../state/edits.ts';
import { phaseLabel } from '../../state/phases.ts';
import type { RunState, StoredRun } from '../../state/types.ts';
import { sameJson } from '../../util/json.ts';
import { humanizeStatus, pluralize } from '../../util/relative-time.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import type { CommandContext } from '../context.ts';
import {
  parseDetails,
  nonBlank,
  phaseNames,
  phaseNumber,
  phaseStatus,
  readingEntry,
  warnAboutReading,
  type DetailOptions,
} from '../options.ts';
import { reportChange } from '../output/report-run.ts';

export interface UpdateOptions extends DetailOptions {
  phase?: string;
  phases?: string;
  name?: string;
  status?: string;
  unread?: string[];
  forget?: string[];
  unset?: string[];
}

export function update(
  cli: CommandContext,
  name: string | undefined,
  options: UpdateOptions,
): void {
  const edits = readEdits(cli, options);
  const { before, ...run } = updateRun(cli, name, edits, { ...options });
  const report = reportChange(cli, run, {
    done: changesText(run, before, edits),
  });
  warnAboutReading(
    cli,
    report.reading.filter(({ path }) => edits.read.includes(path)),
  );
}

function readEdits(cli: CommandContext, options: UpdateOptions): Edits {
  return {
    ...parseDetails(cli, options),
    phase: options.phase === undefined ? undefined : phaseNumber(options.phase),
    phases: options.phases === undefined ? undefined : phaseNames(options.phases),
    name: options.name === undefined ? undefined : nonBlank('--name', options.name),
    status: options.status === undefined ? undefined : phaseStatus(options.status),
    unread: (options.unread ?? []).map((path) => readingEntry(cli, path)),
    forget: (options.forget ?? []).map((text) => nonBlank('--forget', text)),
    unset: options.unset ?? [],
  };
}

/** What has changed, for people; what the run had already is not counted. */
function changesText({ runId, state }: StoredRun, before: RunState, edits: Edits): string {
  const { phase, phases, name, status } = edits;
  const isMoved = [phase, phases, name, status].some((edit) => edit !== undefined);
  const added = (list: string[] = [], known: string[] = []): number =>
    list.filter((entry) => !known.includes(entry)).length;
  const [reading, reminders] = [state.required_reading, state.key_reminders];
  const [facts, factsBefore] = [state.context ?? {}, before.context ?? {}];
  const counted: [count: number, one: string, verb: string][] = [
    [added(reading, before.required_reading), 'required file', 'added'],
    [added(before.required_reading, reading), 'required file', 'removed'],
    [added(reminders, before.key_reminders), 'reminder', 'added'],
    [added(before.key_reminders, reminders), 'reminder', 'removed'],
    [changedKeys(facts, factsBefore), 'fact', 'set'],
    [added(Object.keys(factsBefore), Object.keys(facts)), 'fact', 'removed'],
    [changedKeys(state.artifacts ?? {}, before.artifacts ?? {}), 'file', 'named'],
  ];
  const changes = [
    ...(isMoved
      ? [`phase ${sanitizeLine(phaseLabel(state.phase))} (${humanizeStatus(state.phase.status)})`]
      : []),
    ...counted
      .filter(([count]) => count > 0)
      .map(([count, one, verb]) => `${pluralize(count, one)} ${verb}`),
  ];
  return changes.length === 0
    ? `Nothing changed in ${runId}: it has all of this already.`
    : `Updated ${runId}: ${changes.join(', ')}.`;
}

/** The entries that are new or have another value. */
function changedKeys(after: Record<string, unknown>, before: Record<string, unknown>): number {
  return Object.keys(after).filter(
    (key) => !Object.hasOwn(before, key) || !sameJson(after[key], before[key]),
  ).length;
}
