import { HoldfastError } from '../../errors/holdfast-error.ts';
import { applyEdits, hasEdits, type Edits } from '../../state/edits.ts';
import type { RunState } from '../../state/types.ts';
import { parseRun } from '../../workflow/run.ts';
import type { CommandContext } from '../context.ts';
import {
  parseDetails,
  nonBlank,
  phaseNumber,
  phaseStatus,
  readingEntry,
  warnAboutReading,
  type DetailOptions,
} from '../options.ts';
import { changeRun } from '../../operations/with-run.ts';
import { reportRun } from '../output/report-run.ts';

export interface UpdateOptions extends DetailOptions {
  phase?: string;
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
  if (parseRun(state).kind === 'phases') return;
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

function readEdits(cli: CommandContext, options: UpdateOptions): Edits {
  return {
    ...parseDetails(cli, options),
    phase: options.phase === undefined ? undefined : phaseNumber(options.phase),
    name: options.name === undefined ? undefined : nonBlank('--name', options.name),
    status: options.status === undefined ? undefined : phaseStatus(options.status),
    unread: (options.unread ?? []).map((path) => readingEntry(cli, path)),
    forget: (options.forget ?? []).map((text) => nonBlank('--forget', text)),
    unset: options.unset ?? [],
  };
}
