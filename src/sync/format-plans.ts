import { existsSync } from 'node:fs';
import { FORMATS, isPlanOf } from '../detect/formats/all-formats.ts';
import { LOCATIONS } from '../detect/formats/locations.ts';
import type { PlanFormat } from '../detect/formats/types.ts';
import { expandGlob } from '../io/glob.ts';
import { readProjectFile } from '../io/read-file.ts';
import type { PlanFormatId } from '../settings/settings.ts';

/** A roadmap or ledger is smaller; a larger one counts as absent. */
const MAX_COMPANION_BYTES = 200_000;
const MAX_TOTAL_COMPANION_BYTES = 2_000_000;

/**
 * The plans of other tools, to be read from the last to the first. A project that does not use a tool costs one check of
 * its folder. The tool with the most plans comes first, so that the limits of a hook leave out its oldest plans.
 */
export function findFormatPlans(root: string, enabled: readonly PlanFormatId[]): string[] {
  return [...new Set(enabled)]
    .map((id) => plansOf(root, FORMATS[id]))
    .toSorted((one, other) => other.length - one.length)
    .flat();
}

/** In the order of their names, which start with a number or a date where a tool gives them one. */
function plansOf(root: string, format: PlanFormat): string[] {
  const used = LOCATIONS[format.id].filter((location) => existsSync(`${root}/${location.root}`));
  return used
    .flatMap(({ pattern }) => expandGlob(root, pattern))
    .filter((path) => isPlanOf(format, path))
    .toSorted();
}

/** Reads the files that plans depend on, each once. */
export class CompanionFiles {
  readonly #texts = new Map<string, string | undefined>();
  #remaining = MAX_TOTAL_COMPANION_BYTES;

  constructor(private readonly root: string) {}

  read(paths: readonly string[]): ReadonlyMap<string, string> {
    return new Map(
      paths.flatMap((path) => {
        const text = this.#text(path);
        return text === undefined ? [] : [[path, text] as const];
      }),
    );
  }

  #text(path: string): string | undefined {
    if (!this.#texts.has(path)) {
      const limit = Math.min(this.#remaining, MAX_COMPANION_BYTES);
      const file = readProjectFile(this.root, path, limit);
      if (file.kind === 'text') this.#remaining -= file.text.length;
      this.#texts.set(path, file.kind === 'text' ? file.text : undefined);
    }
    return this.#texts.get(path);
  }
}
