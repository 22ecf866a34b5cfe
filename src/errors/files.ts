import type { Messages } from './messages.ts';

export interface FileFailures {
  blocked_path: { path: string };
  outside_project: { path: string };
  not_writable: { path: string; reason: string };
  run_too_large: { run: string; bytes: number };
  locked: { path: string; seconds: number };
}

export const fileMessages: Messages<FileFailures> = {
  blocked_path: (failure) => ({
    message: `${failure.path} is in the way: holdfast needs a folder there`,
    hint: 'move or rename it, then try again',
  }),
  outside_project: (failure) => ({
    message: `${failure.path} is a link that leads out of the project`,
    hint: 'holdfast writes inside the project only; replace the link with a folder',
  }),
  not_writable: (failure) => ({
    message: `cannot write ${failure.path} (${failure.reason})`,
    hint: 'check the permissions and the free space; nothing was changed',
  }),
  run_too_large: (failure) => ({
    message: `${failure.run} would become too large to be read again (${Math.ceil(failure.bytes / 1_000_000)} MB)`,
    hint: 'nothing was changed; keep long texts in files and name them, and give fewer tasks at once',
  }),
  locked: (failure) => ({
    message: `another holdfast process has held ${failure.path} for more than ${failure.seconds} s`,
    hint: 'try again; if no holdfast is running, delete that file',
  }),
};
