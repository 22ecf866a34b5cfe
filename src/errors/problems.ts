/** A mistake in a file, and its line. */
export interface FileProblem {
  file: string;
  line: number;
  message: string;
}
