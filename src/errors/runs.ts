import type { Messages } from './messages.ts';

export interface RunFailures {
  artifact_missing: {
    what: string[];
    /** The command that advances without the artifact. */
    forced: string | null;
    /** What could be loaded, as text and for --json. */
    loaded?: { text: string } | { report: object };
  };
  not_active: { run: string; status: string; command: string };
}

export const runMessages: Messages<RunFailures> = {
  artifact_missing: ({ what, forced, loaded }) => ({
    message: `required artifact missing: ${what.join('; ')}`,
    hint:
      forced === null
        ? 'create it, then try again'
        : `the run was not advanced; create it, or advance without it: \`${forced}\``,
    ...(loaded === undefined
      ? {}
      : 'text' in loaded
        ? { details: loaded.text }
        : { data: loaded.report }),
  }),
  not_active: (failure) => ({
    message: `${failure.run} is ${failure.status}`,
    hint:
      failure.status === 'completed'
        ? `archive it with \`holdfast complete ${failure.run}\``
        : `resume it with \`holdfast resume ${failure.run}\`, then ${failure.command}`,
  }),
};
