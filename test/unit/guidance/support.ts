import type { GuidanceInput } from '../../../src/guidance/guidance.ts';
import { requires } from '../../../src/guidance/reading/required-reading.ts';
import { NO_STEP, type ShownPaths } from '../../../src/guidance/step.ts';
import { aRun } from '../../support/runs.ts';

export const AS_IS: ShownPaths = {
  isRequired: () => false,
  resolve: (path) => path,
  mark: (path) => path,
};

/** A run without anything to say; `fields` override it. */
export function guidanceOf(fields: Partial<GuidanceInput> = {}): GuidanceInput {
  const { reading = [] } = fields;
  return {
    isCompacted: true,
    run: aRun(),
    isOwn: true,
    sources: [],
    step: NO_STEP,
    paths: { ...AS_IS, isRequired: requires(reading, '/project') },
    reading,
    contentOf: () => undefined,
    artifacts: [],
    todo: [],
    others: [],
    maxChars: 8_000,
    inlineChars: 2_000,
    ...fields,
  };
}
