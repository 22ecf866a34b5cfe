import { templateDecides } from '../runs/advance.ts';
import { withRun } from '../runs/change-run.ts';
import { type Edits, applyEdits } from '../state/edits.ts';
import { isPhaseNumber } from '../state/phase-labels.ts';
import { phaseWords } from '../state/phase-words.ts';
import {
  PHASE_STATUSES,
  type PhaseStatus,
  type RunState,
  type Run,
} from '../state/types.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { sameJson } from '../text/json.ts';
import { humanizeStatus } from '../text/relative-time.ts';
import { command, type Shown } from './command.ts';
import type { RunDocument } from './json/documents.ts';
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
import { requireUsable } from '../state/run.ts';

export const update = command({
  usage: 'update [run]',
  about: 'edit a run by hand',
  examples: [
    'holdfast update --phase 3 --remind "keep the API stable" --set budget="2 days"',
    'holdfast update --unread docs/old.md --forget "keep the API stable" --unset budget',
  ],
  options: {
    phase: parsedOption(
      'the current phase, as 3 or 3/7, or as its plan calls it, such as 7.3',
      'n',
      phaseFrom,
    ),
    phases: parsedOption(
      'all phases, separated by commas; the run stays in its phase by name',
      'names',
      namesFrom,
    ),
    name: textOption('the name of the current phase', 'name'),
    status: parsedOption(
      'not_started, in_progress, completed or blocked',
      'status',
      statusFrom,
    ),
    ...DETAILS,
    unread: listOption('remove a required file (repeatable)', 'path'),
    forget: listOption('remove a reminder (repeatable)'),
    unset: listOption('remove a fact (repeatable)', 'key'),
  },
  run: (cli, { run: name, ...options }): Shown<RunDocument> => {
    const changes = withoutEmpty(options);
    if (Object.keys(changes).length === 0)
      throw new HoldfastError('nothing_to_change', 'no change was given', {
        hint: 'for example `holdfast update --phase 2 --remind "keep the API stable"`; `holdfast update --help` lists all',
      });
    const edits = {
      ...options,
      ...parseDetails(cli, options),
      unread: options.unread.map((path) => readingEntry(cli, path)),
    };
    const { run, before } = withRun(cli, name, (found, tx, log) => {
      requireOwnPhases(found, edits);
      const event = log({ event: 'updated', changes });
      return {
        run: tx.write(found, applyEdits(found.state, edits, cli.now), event),
        before: found.state,
      };
    });
    const shown = showChange(cli, run, {
      done: changesText(run, before, edits),
      isEntered: run.state.phase.current !== before.phase.current,
    });
    warnAboutReading(
      cli,
      shown.data.reading.filter(({ path }) => edits.read.includes(path)),
    );
    return shown;
  },
});

function phaseFrom(input: string, bad: Bad): { typed: string; total?: number } {
  const match = TYPED_PHASE.exec(input.trim());
  const [, typed = '', total] = match ?? [];
  if (!isPhaseNumber(typed)) throw bad('a number such as 3, 3/7 or 7.3');
  return total === undefined ? { typed } : { typed, total: Number(total) };
}

/** `3`, `3/7`, `7.3`. */
const TYPED_PHASE = /^([^/]{1,40})(?:\/(\d{1,6}))?$/;

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
function requireOwnPhases(run: Run, edits: Edits): void {
  const { runId, state } = run;
  // Also throws for a template run whose state is broken, before anything is written.
  if (requireUsable(run).kind === 'phases') return;
  const { status } = edits;
  const option = (['phases', 'phase', 'name'] as const).find(
    (key) => edits[key] !== undefined,
  );
  if (option !== undefined) throw templateDecides(`--${option}`, runId);
  const isUnblocked =
    status === 'in_progress' && state.phase.status === 'blocked';
  if (status !== undefined && !isUnblocked)
    throw templateDecides(`--status ${status}`, runId);
}

const FIELDS = [
  ['required_reading', 'required files'],
  ['key_reminders', 'reminders'],
  ['context', 'facts'],
  ['artifacts', 'named files'],
] as const;

/** What has changed, for people; what the run had already is not named. */
function changesText(
  { runId, state }: Run,
  before: RunState,
  edits: Edits,
): string {
  const { phase, phases, name, status } = edits;
  const isMoved = [phase, phases, name, status].some(
    (edit) => edit !== undefined,
  );
  const at = `phase ${phaseWords(state.phase)} (${humanizeStatus(state.phase.status)})`;
  const changed = FIELDS.filter(([key]) => !sameJson(state[key], before[key]));
  const changes = [
    ...(isMoved ? [at] : []),
    ...changed.map(([, title]) => title),
  ];
  return changes.length === 0
    ? `Nothing changed in ${runId}: it has all of this already.`
    : `Updated ${runId}: ${changes.join(', ')}.`;
}
