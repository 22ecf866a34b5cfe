import { withholder } from '../files/context-files.ts';
import { isAbsent } from '../files/read-file.ts';
import type { SourceFiles } from './source-files.ts';

/** The sources that a Read rule of the client keeps from agents. What a file declares is told to agents, so none of them is read. */
export class WithheldSources {
  readonly #isWithheld: (path: string) => boolean;
  readonly #found = new Set<string>();

  constructor(private readonly root: string) {
    this.#isWithheld = withholder(root);
  }

  has(path: string): boolean {
    if (isAbsent(this.root, path) || !this.#isWithheld(path)) return false;
    this.#found.add(path);
    return true;
  }

  /** One sentence for all of them: a rule may keep every file of the project from agents. */
  report(files: SourceFiles): void {
    const [first, ...more] = this.#found;
    if (first === undefined) return;
    const why =
      more.length === 0
        ? 'it is kept from agents'
        : `it and ${more.length} more are kept from agents`;
    files.addProblem(first, why);
  }
}
