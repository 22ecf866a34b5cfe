import { listSetAside } from '../../state/store/set-aside.ts';
import { requireFolderOrNothing } from '../../state/store/state-folder.ts';
import { join } from 'node:path';
import { describeUnreadable } from '../../errors/state-files.ts';
import { describeDefect } from '../../errors/problems.ts';
import { pluralize } from '../../util/relative-time.ts';
import { locate, readTextFile } from '../../io/read-file.ts';
import { STATE_FOLDER } from '../../state/paths.ts';
import type { Unreadable } from '../../state/store/read-run.ts';
import { checkStateFile } from '../../operations/validate-state-file.ts';
import { findingsFor } from '../findings.ts';
import { quoteForShell } from '../quote-for-shell.ts';
import { closedFolder, fixForUnreadable, refusedPlaces } from './state-access.ts';
import type { Check, DoctorContext, Finding } from '../types.ts';

const report = findingsFor('state');
const MAX_BYTES = 5_000_000;

/** Whether every state file can be read and written, and matches its schema. */
export const checkState: Check = {
  run: (context) => {
    const place = locate(context.root, join(context.root, STATE_FOLDER));
    if (place === 'outside the project') {
      return [
        report.broken(`${STATE_FOLDER} cannot be used: ${place}`, {
          fix: `make ${STATE_FOLDER} a folder of this project that you may read and write`,
        }),
      ];
    }
    const closed = closedFolder(context.root);
    if (closed !== null) return [closed];
    requireFolderOrNothing(context.root, STATE_FOLDER);
    const { runs, unreadable } = context.store.list();
    const broken = unreadable.map((file) =>
      report.broken(describeUnreadable(file), { fix: fixFor(context, file) }),
    );
    const invalid = runs.flatMap(({ path }) => schemaProblems(context, path));
    const fine = runs.length - invalid.length;
    return [
      ...(runs.length + unreadable.length === 0 ? [report.ok('there are no state files')] : []),
      ...(fine === 0 ? [] : [report.ok(`${pluralize(fine, 'state file')} read and valid`)]),
      ...broken,
      ...invalid,
      ...refusedPlaces(
        context.root,
        unreadable.map(({ path }) => path),
      ),
      ...leftAside(context),
    ];
  },
};

function fixFor({ root }: DoctorContext, { path, why }: Unreadable): string {
  return why.kind === 'refused' && why.why === 'not permitted'
    ? fixForUnreadable(root, path)
    : `correct it (\`holdfast validate ${quoteForShell(path)}\` names the line), or delete it`;
}

function schemaProblems({ root }: DoctorContext, path: string): Finding[] {
  const file = readTextFile(join(root, path), MAX_BYTES);
  if (file.kind !== 'text') return [report.skipped(`${path} could not be read a second time`)];
  const problems = checkStateFile(file.text);
  return problems.length === 0
    ? []
    : [
        report.warning(`${path} is usable but does not match its schema`, {
          evidence: problems.map(
            ({ line, defect }) => `${path}:${line}: ${describeDefect(defect)}`,
          ),
          fix: 'correct these lines',
        }),
      ];
}

/** Unreadable files that a writer moved aside. */
function leftAside({ root }: DoctorContext): Finding[] {
  const aside = listSetAside(root);
  return aside.length === 0
    ? []
    : [
        report.warning(`${pluralize(aside.length, 'unreadable state file')} moved aside`, {
          evidence: aside,
          fix: 'repair and rename the files worth keeping, delete the rest',
        }),
      ];
}
