import { templateDecides } from '../runs/advance.ts';
import { withRun } from '../runs/change-run.ts';
import { type Edits, applyEdits, hasEdits } from '../state/edits.ts';
import { phaseLabel } from '../state/phases.ts';
import { PHASE_STATUSES, type PhaseStatus, type RunState, type StoredRun } from '../state/types.ts';
import { parseRun } from '../templates/run-view.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { humanizeStatus, pluralize } from '../text/relative-time.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { command } from './command.ts';
import {
  type Bad,
  DETAILS,
  listOption,
  namesFrom,
  parseDetails,
  parsedOption,
  readingEntry,
  textOption,
} from './options.ts';
import { showChange, warnAboutReading } from './view/report-run.ts';

export const update = command({
  usage: 'update [run]',
  about: 'edit a run by hand',
  examples: [
    'holdfast update --phase 3 --remind "keep the API stable" --set budget="2 days"',
    'holdfast update --unread docs/old.md --forget "keep the API stable" --unset budget',
  ],
  agent: 'may',
  options: {
    phase: parsedOption('the current phase, as 3 or 3/7', 'n', phaseFrom),
    phases: parsedOption(
      'all phases, separated by commas; the run stays in its phase by name',
      'names',
      namesFrom,
    ),
    name: textOption('the name of the current phase', 'name'),
    status: parsedOption('not_started, in_progress, completed or blocked', 'status', statusFrom),
    ...DETAILS,
    unread: listOption('remove a required file (repeatable)', 'path'),
    forget: listOption('remove a reminder (repeatable)'),
    unset: listOption('remove a fact (repeatable)', 'key'),
  },
  run: (cli, { run: name, ...options }) => {
    const edits = {
      ...options,
      ...parseDetails(cli, options),
      unread: options.unread.map((path) => readingEntry(cli, path)),
    };
    if (!hasEdits(edits))
      throw new HoldfastError('nothing_to_change', 'no change was given', {
        hint: 'for example `holdfast update --phase 2 --remind "keep the API stable"`; `holdfast update --help` lists all',
      });
    const { run, before } = withRun(cli, name, (found, tx, log) => {
      requireOwnPhases(found.runId, found.state, edits);
      const event = log({ event: 'updated', changes: withoutEmpty(options) });
      return { run: tx.write(found, applyEdits(found.state, edits), event), before: found.state };
    });
    const shown = showChange(cli, run, { done: changesText(run, before, edits) });
    warnAboutReading(
      cli,
      shown.data.reading.filter(({ path }) => edits.read.includes(path)),
    );
    return shown;
  },
});

function phaseFrom(input: string, bad: Bad): { current: number; total?: number } {
  const match = /^(\d{1,6})(?:\/(\d{1,6}))?$/.exec(input.trim());
  if (match === null) throw bad('a number such as 3 or 3/7');
  const [, current, total] = match;
  return { current: Number(current), ...(total === undefined ? {} : { total: Number(total) }) };
}

function statusFrom(input: string, bad: Bad): PhaseStatus {
  const wanted = input
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
  const status = PHASE_STATUSES.find((each) => each === wanted);
  if (status === undefined) throw bad(`one of ${PHASE_STATUSES.join(', ')}`);
  return status;
}

function withoutEmpty(options: object): object {
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) =>
      Array.isArray(value) ? value.length > 0 : value !== undefined,
    ),
  );
}

/** A template decides the phases of its run; by hand it can only be unblocked. */
function requireOwnPhases(run: string, state: RunState, edits: Edits): void {
  // Also throws for a template run whose state is broken, before anything is written.
  if (parseRun(state).kind === 'phases') return;
  const { status } = edits;
  const option = (['phases', 'phase', 'name'] as const).find((key) => edits[key] !== undefined);
  if (option !== undefined) throw templateDecides(`--${option}`, run);
  const isUnblocked = status === 'in_progress' && state.phase.status === 'blocked';
  if (status !== undefined && !isUnblocked) throw templateDecides(`--status ${status}`, run);
}

/** What has changed, for people; what the run had already is not counted. */
function changesText({ runId, state }: StoredRun, before: RunState, edits: Edits): string {
  const { phase, phases, name, status } = edits;
  const isMoved = [phase, phases, name, status].some((edit) => edit !== undefined);
  const added = (list: string[] = [], present: string[] = []): number =>
    list.filter((entry) => !present.includes(entry)).length;
  const entries = (fields = {}) => Object.entries(fields).map((each) => JSON.stringify(each));
  const keys = (fields = {}): string[] => Object.keys(fields);
  const [reading, reminders] = [state.required_reading, state.key_reminders];
  const counted: [count: number, one: string, verb: string][] = [
    [added(reading, before.required_reading), 'required file', 'added'],
    [added(before.required_reading, reading), 'required file', 'removed'],
    [added(reminders, before.key_reminders), 'reminder', 'added'],
    [added(before.key_reminders, reminders), 'reminder', 'removed'],
    [added(entries(state.context), entries(before.context)), 'fact', 'set'],
    [added(keys(before.context), keys(state.context)), 'fact', 'removed'],
    [added(entries(state.artifacts), entries(before.artifacts)), 'file', 'named'],
  ];
  const at = `phase ${sanitizeLine(phaseLabel(state.phase))} (${humanizeStatus(state.phase.status)})`;
  const changes = [
    ...(isMoved ? [at] : []),
    ...counted
      .filter(([count]) => count > 0)
      .map(([count, one, verb]) => `${pluralize(count, one)} ${verb}`),
  ];
  return changes.length === 0
    ? `Nothing changed in ${runId}: it has all of this already.`
    : `Updated ${runId}: ${changes.join(', ')}.`;
}
