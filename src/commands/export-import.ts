import { readJournalOf } from '../state/store/journal-files.ts';
import { listArchive } from '../state/store/run-files.ts';
import { requireKnownFormat } from '../state/store/state-format.ts';
import { unreadableInput, HoldfastError } from '../text/holdfast-error.ts';
import { endRun } from '../runs/move-run.ts';
import type { OperationContext, Project } from '../sessions/open-project.ts';
import { requireOutsideOwnGate, runToShow } from '../runs/which-run.ts';
import {
  otherHolder,
  tellHolder,
  transact,
  withActor,
} from '../runs/change-run.ts';
import { compareHistories } from '../state/compare-histories.ts';
import { phaseWords } from '../state/phase-words.ts';
import { isEnded } from '../state/phases.ts';
import {
  parseExport,
  toExport,
  type ExportFile,
  type PortableRun,
} from '../state/export-format.ts';
import type { NewEvent } from '../state/journal.ts';
import { isArchived } from '../state/paths.ts';
import {
  adoptRun,
  archiveReplaced,
  replaceJournal,
} from '../state/store/foreign-runs.ts';
import type { RunState, Run } from '../state/types.ts';
import { parseJson, safeJson } from '../text/json.ts';
import { command, type Shown } from './command.ts';
import type { RunDocument } from './json/documents.ts';
import { flag, textFile } from './options.ts';
import { showChange } from './view/report-run.ts';

export const exportRun = command({
  usage: 'export [run]',
  about: 'print one run as one file',
  examples: ['holdfast export user-auth > user-auth.json'],
  run: (context, { run: name }): Shown<ExportFile> => {
    const run = runToShow(context, name);
    const file = toExport(
      run,
      readJournalOf(context.store.root, run),
      context.now,
    );
    return { data: file, text: safeJson(file) };
  },
});

export const importRun = command({
  usage: 'import <file>',
  about: 'import a run that was exported elsewhere; - reads standard input',
  examples: [
    'holdfast import user-auth.json',
    'holdfast import user-auth.json --force',
  ],
  options: {
    force: flag(
      'replace the run here even if it moved on; its state is archived',
    ),
  },
  run: (cli, { file, force }): Shown<RunDocument> => {
    const imported = parse(textFile(cli, '<file>', file), file);
    const { run, replaced } = storeRun(cli, imported, force);
    const { path, state } = run;
    const { status = 'in_progress' } = state;
    const [where, next] = isArchived(run)
      ? [
          `which is ${status === 'cancelled' ? 'cancelled' : 'completed'}: its record is in ${path}`,
          `holdfast reopen ${run.runId}, if it should continue`,
        ]
      : [
          `at phase ${phaseWords(state.phase)}${status === 'in_progress' ? '' : ` (${status})`}`,
          `holdfast resume ${run.runId}, in a Claude Code session`,
        ];
    return showChange(cli, run, {
      done: `Imported ${run.runId}, ${where}.${replaced === null ? '' : `\nThe state it replaced was archived as ${replaced}.`}`,
      next,
    });
  },
});

/** A copy of the run here is replaced only if the file continues its history; `force` archives the former. */
function storeRun(
  context: OperationContext,
  imported: PortableRun,
  force: boolean,
) {
  requireOutsideOwnGate(context, imported);
  return transact(context, (tx) => {
    const isSame = ({ runId }: Run): boolean => runId === imported.runId;
    const stored = tx.runs.find(isSame);
    const holder =
      stored === undefined
        ? null
        : otherHolder(context, context.caller, stored);
    const existing =
      stored ?? listArchive(context.store.root).runs.find(isSame);
    for (const run of existing === undefined
      ? [imported]
      : [imported, existing])
      requireKnownFormat(run);
    const isContinued =
      existing === undefined ||
      isContinuedBy(context, existing, imported, force);
    // An edit by hand leaves no trace in the journal, so the comparison of histories cannot see it.
    const written = Date.parse(existing?.state.updated_at ?? '');
    const isAsWritten = (existing?.modifiedAt ?? 0) - written <= WRITE_TAKES_MS;
    const replaced =
      existing === undefined || (isContinued && isAsWritten)
        ? null
        : archiveReplaced(tx, existing);
    const revision = Math.max(
      existing?.state.revision ?? 0,
      imported.state.revision ?? 0,
    );
    // Numbers that notes were given here count, too, even if the file replaces them.
    const lastNote = Math.max(
      existing?.state.last_note ?? 0,
      imported.state.last_note ?? 0,
    );
    const event = withActor(context.caller, {
      event: 'imported',
      exported_at: imported.exported_at,
      ...(replaced === null ? {} : { replaced }),
    });
    const state = {
      ...imported.state,
      revision,
      adopted: true,
      ...(lastNote > 0 && { last_note: lastNote }),
    };
    const save = (logged?: NewEvent): Run => {
      if (stored === undefined)
        return adoptRun(tx, imported, state, imported.events, logged);
      // Its file may have another name than its id, which can be written by hand.
      replaceJournal(tx, stored, imported.events);
      return tx.write(stored, state, logged);
    };
    const run = isEnded(state)
      ? endRun(context, context.caller, tx, save(), state, event, false)
      : save(event);
    if (stored !== undefined && holder !== null)
      tellHolder(context, tx, stored, holder, {
        command: 'import',
        endedAs: state.status,
      });
    return { run, replaced };
  });
}

function parse(text: string, file: string): PortableRun {
  const json = parseJson(text);
  const run = json === undefined ? 'it is not JSON' : parseExport(json);
  const hint =
    'give a file that `holdfast export` has written; nothing was changed';
  if (typeof run === 'string') throw unreadableInput(file, run, hint);
  return run;
}

function isContinuedBy(
  { store }: Project,
  existing: Run,
  imported: PortableRun,
  force: boolean,
): boolean {
  const stored = {
    state: existing.state,
    events: readJournalOf(store.root, existing),
  };
  const relation = compareHistories(stored, imported);
  if (relation === 'continues') return true;
  if (force) return false;
  const versions = `here it has ${versionText(existing.state)}; the file has ${versionText(imported.state)}`;
  const message = {
    diverged: `${imported.runId} moved on in both places: ${versions}`,
    same: `${imported.runId} is already here, with ${versionText(existing.state)}`,
    behind: `${imported.runId} is newer here: ${versions}`,
  }[relation];
  throw new HoldfastError(
    relation === 'diverged' ? 'diverged' : 'not_newer',
    message,
    {
      hint: 'nothing was changed; `holdfast import <file> --force` takes the file and archives the state that is here',
    },
  );
}

function versionText({
  phase,
  status = 'in_progress',
  ...state
}: RunState): string {
  const { revision = 0, updated_at: at = state.created_at } = state;
  const end = status === 'in_progress' ? '' : `, ${status}`;
  return `revision ${revision} of ${at}, at ${phaseWords(phase)}${end}`;
}

/** Holdfast writes the file at the time that is in it. */
const WRITE_TAKES_MS = 2_000;
