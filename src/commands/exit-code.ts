/** Thrown by a command that has printed everything and ends with a code of its own. */
export class ExitCode extends Error {
  constructor(readonly code: number) {
    super(`exit ${code}`);
  }
}
