import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SourceStatus } from '../../src/sources/types.ts';
import {
  isPlanFormatId,
  type PlanFormatId,
} from '../../src/settings/settings.ts';

const FOLDER = join(import.meta.dirname, '../fixtures/plans');
const EXPECTED = 'expected.json';

/** A project of one tool in one state: `test/fixtures/plans/<tool>/<state>/`. */
export interface PlanFixture {
  format: PlanFormatId;
  state: string;
  /** By path relative to the project. */
  files: Record<string, string>;
  /** What each plan of the project declares, by path. */
  expected: Record<string, SourceStatus>;
}

export function planFixtures(): PlanFixture[] {
  return readdirSync(FOLDER)
    .filter(isPlanFormatId)
    .flatMap((format) =>
      readdirSync(join(FOLDER, format)).map((state) => {
        const { [EXPECTED]: expected = '{}', ...files } = filesIn(
          join(FOLDER, format, state),
        );
        return { format, state, files, expected: JSON.parse(expected) };
      }),
    );
}

function filesIn(folder: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    paths.map((path) => [
      path.slice(folder.length + 1),
      readFileSync(path, 'utf8'),
    ]),
  );
}
