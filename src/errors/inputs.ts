import type { Messages } from './messages.ts';

/** What is read for a command; hooks have no words for it. */
export interface InputFailures {
  no_such_folder: { path: string };
  invalid_files: { problems: number };
  unreadable_input: { what: string; reason: string };
  not_text: { path: string };
  disk_refused: { path: string; reason: string };
}

export const inputMessages: Messages<InputFailures> = {
  no_such_folder: (failure) => ({
    message: `there is no folder ${failure.path}`,
    hint: 'check --cwd',
  }),
  invalid_files: (failure) => ({
    message: `${failure.problems} ${failure.problems === 1 ? 'problem' : 'problems'} found`,
    hint: 'correct the lines named above; schemas/ describes the format',
  }),
  unreadable_input: (failure) => ({
    message: `cannot read ${failure.what}: ${failure.reason}`,
    hint: 'check the path, and that you may read it',
  }),
  not_text: (failure) => ({
    message: `${failure.path} is not text in UTF-8`,
    hint: 'save it as UTF-8, then try again; nothing was changed',
  }),
  disk_refused: (failure) => ({
    message: `the file system refused ${failure.path} (${failure.reason})`,
    hint: 'try again; `holdfast status` tells where the work stands',
  }),
};
