import { HoldfastError } from '../../errors.ts';
import { applyEdits, hasEdits, type Edits } from '../../state/edits.ts';
import type { RunState } from '../../state/types.ts';
import { viewOf } from '../../workflow/run-view.ts';
import type { Cli } from '../context.ts';
import {
  details,
  filled,
  phaseNumber,
  phaseStatus,
  readingEntry,
  warnAboutReading,
  type DetailOptions,
} from '../inputs.ts';
import { changeRun } from '../../operations/pick.ts';
import { reportRun } from '../report.ts';

export interface UpdateOptions extends DetailOptions {
  phase?: string;
  name?: string;
  status?: string;
  unread?: string[];
  forget?: string[];
  unset?: string[];
}

export function update(cli: Cli, name: string | undefined, options: UpdateOptions): void {
  const edits = readEdits(cli, options);
  if (!hasEdits(edits)) throw new HoldfastError({ code: 'nothing_to_change' });
  const run = changeRun(cli, name, ({ runId, state }) => {
    requireOwnPhases(runId, state, edits);
    return {
      state: { ...applyEdits(state, edits), adopted: true },
      event: { event: 'updated', changes: { ...options } },
    };
  });
  const report = reportRun(cli, run, [], `Updated ${run.runId}.`);
  warnAboutReading(
    cli,
    report.reading.filter(({ path }) => edits.read.includes(path)),
  );
}

/** Where a template drives the run, only whether it is blocked can be said by hand. */
function requireOwnPhases(run: string, state: RunState, { phase, name, status }: Edits): void {
  if (viewOf(state) === null) return;
  const option =
    phase !== undefined
      ? '--phase'
      : name !== undefined
        ? '--name'
        : status === 'completed' || status === 'not_started'
          ? `--status ${status}`
          : null;
  if (option !== null) throw new HoldfastError({ code: 'template_decides', option, run });
}

function readEdits(cli: Cli, options: UpdateOptions): Edits {
  return {
    ...details(cli, options),
    phase: options.phase === undefined ? undefined : phaseNumber(options.phase),
    name: options.name === undefined ? undefined : filled('--name', options.name),
    status: options.status === undefined ? undefined : phaseStatus(options.status),
    unread: (options.unread ?? []).map((path) => readingEntry(cli, path)),
    forget: (options.forget ?? []).map((text) => filled('--forget', text)),
    unset: options.unset ?? [],
  };
}
