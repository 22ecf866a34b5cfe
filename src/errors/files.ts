import type { Messages } from './messages.ts';

/** A file that could not be written, where that is worth a line in the log only. */
export interface UnwrittenFile {
  path: string;
  reason: string;
}

export function describeUnwritten({ path, reason }: UnwrittenFile): string {
  return `${path} was not written: ${reason}`;
}

export interface FileFailures {
  blocked_path: { path: string };
  outside_project: { path: string };
  /** A link to another folder of the project. */
  foreign_folder: { path: string };
  /** `isPartial`: other files of the same change were written before. */
  not_writable: { path: string; reason: string; isPartial?: boolean };
  run_too_large: { run: string; bytes: number; maxBytes: number };
  locked: { path: string; seconds: number };
  output_failed: { reason: string };
}

/** What the log of hooks says; only people at a terminal and agents with tools are told what to do next. */
export const fileSentences: {
  [Code in keyof FileFailures]: (failure: FileFailures[Code]) => string;
} = {
  blocked_path: ({ path }) => `${path} exists but is not a directory`,
  outside_project: ({ path }) => `${path} is a link that leads out of the project`,
  foreign_folder: ({ path }) => `${path} is a link to another folder of the project`,
  not_writable: ({ path, reason }) => `cannot write ${path} (${reason})`,
  run_too_large: ({ run, bytes, maxBytes }) =>
    bytes > maxBytes
      ? `${run} would exceed the ${maxBytes / 1_000_000} MB limit for state files`
      : `${run} would have too many values, or too deeply nested ones, to be read again`,
  locked: ({ path, seconds }) =>
    `another holdfast process has held ${path} for more than ${seconds} s`,
  output_failed: ({ reason }) => `the result could not be written to standard output (${reason})`,
};

export const fileMessages: Messages<FileFailures> = {
  blocked_path: (failure) => ({
    message: fileSentences.blocked_path(failure),
    hint: 'move or rename it, then try again',
  }),
  outside_project: (failure) => ({
    message: fileSentences.outside_project(failure),
    hint: 'replace the link with a directory; holdfast writes inside the project only',
  }),
  foreign_folder: (failure) => ({
    message: fileSentences.foreign_folder(failure),
    hint: 'replace the link with a directory; holdfast keeps only its own files there',
  }),
  not_writable: (failure) => ({
    message: fileSentences.not_writable(failure),
    hint: failure.isPartial
      ? 'check the permissions and the free space; a part of the change was made, and `holdfast status` shows it'
      : 'check the permissions and the free space; nothing was changed',
  }),
  run_too_large: (failure) => ({
    message: fileSentences.run_too_large(failure),
    hint: 'nothing was changed; move long texts into files and name those, or set fewer tasks at once',
  }),
  locked: (failure) => ({
    message: fileSentences.locked(failure),
    hint: 'try again; if no holdfast is running, delete that file',
  }),
  output_failed: (failure) => ({
    message: fileSentences.output_failed(failure),
    hint: 'if the command changes anything, that is done; `holdfast status` shows where the run stands',
  }),
};
