import type { Messages } from './messages.ts';
import { describeProblem, isUnread, type FileProblem } from './problems.ts';

export interface InputFailures {
  no_such_folder: { path: string };
  /** `schemas` is the folder that describes the formats; null if it is not there. */
  invalid_files: { checked: number; problems: FileProblem[]; schemas: string | null };
  not_text: { path: string };
  /** `forbidden` is what the user has no right to use: the path itself, or a folder that it is in. */
  disk_refused: { path: string; reason: string; forbidden: string | null };
}

export const inputMessages: Messages<InputFailures> = {
  no_such_folder: (failure) => ({
    message: `there is no folder ${failure.path}`,
    hint: 'check --cwd',
  }),
  invalid_files: ({ checked, problems, schemas }) => ({
    message: `${problems.length} ${problems.length === 1 ? 'problem' : 'problems'} found`,
    hint: invalidFilesHint(problems, schemas),
    data: { checked, problems: problems.map(describeProblem) },
  }),
  not_text: (failure) => ({
    message: `${failure.path} is not UTF-8 text`,
    hint: 'save it as UTF-8, then try again; nothing was changed',
  }),
  disk_refused: (failure) => ({
    message: `the file system refused ${failure.path} (${failure.reason})`,
    hint:
      failure.forbidden === null
        ? 'try again; `holdfast status` shows where the run stands'
        : `check the permissions of ${failure.forbidden}`,
  }),
};

function invalidFilesHint(problems: readonly FileProblem[], schemas: string | null): string {
  const unread = problems.filter(({ defect }) => isUnread(defect)).length;
  return [
    ...(unread < problems.length ? ['correct the lines named above'] : []),
    ...(unread > 0 ? ['name files that exist and that you may read'] : []),
    ...(unread < problems.length && schemas !== null ? [`${schemas} describes the formats`] : []),
  ].join('; ');
}
