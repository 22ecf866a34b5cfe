import { pluralize } from '../util/relative-time.ts';
import type { StoredRun } from '../state/types.ts';
import { parseRun } from '../workflow/run.ts';
import { safeJson } from '../util/safe-json.ts';
import { cutTo, fairShare, latestWithin } from './fit-text.ts';

/** The host truncates much longer replies without saying what is missing. */
const MAX_CHARS = 50_000;
const MAX_BESIDE_OUTPUTS = 8_000;
const MAX_LEFT_OUT_NOTE = 400;
/** A shorter excerpt of an output would be useless. */
const LEAST_SHARE = 300;

interface RunOutputs {
  heading: object;
  context?: Record<string, unknown>;
  outputs: Record<string, string>;
  artefacts: Record<string, string[]>;
}

/** The outputs of the finished steps or phases; if they do not fit, the latest ones. */
export function contextOf(run: StoredRun): object {
  const { runId } = run;
  const { heading, outputs, artefacts, context } = outputsOf(run);
  const values = Object.entries(context ?? {});
  const keptValues = latestWithin(values, MAX_BESIDE_OUTPUTS, costOf);
  const paths = Object.entries(artefacts).flatMap(([step, made]) =>
    made.map((path) => [step, path] as const),
  );
  const keptPaths = latestWithin(paths, MAX_BESIDE_OUTPUTS, ([step, path]) =>
    costOf([step, [path]]),
  );
  const first = {
    ...heading,
    ...(context === undefined ? {} : { context: Object.fromEntries(keptValues) }),
  };
  const last = { artefacts: grouped(keptPaths) };
  const budget = MAX_CHARS - MAX_LEFT_OUT_NOTE - safeJson({ ...first, ...last }).length;
  const where = `\`holdfast show ${runId} --json\``;
  const kept = latestOutputs(outputs, budget, where);
  const leftOut = [
    [Object.keys(outputs).length - kept.length, 'earlier output'],
    [paths.length - keptPaths.length, 'earlier artefact'],
    [values.length - keptValues.length, 'context value'],
  ] as const;
  const omitted = leftOut.flatMap(([count, what]) => (count === 0 ? [] : [pluralize(count, what)]));
  return {
    ...first,
    outputs: Object.fromEntries(kept),
    ...last,
    ...(omitted.length === 0 ? {} : { leftOut: `${omitted.join(', ')}: ${where} shows them all` }),
  };
}

function outputsOf({ runId, state }: StoredRun): RunOutputs {
  const heading = { run: runId, workflow: state.workflow };
  const run = parseRun(state);
  if (run.kind === 'template') {
    const { summary, outputs, artefacts } = run.machine;
    return {
      heading: { ...heading, ...(summary === undefined ? {} : { summary }) },
      outputs,
      artefacts,
    };
  }
  const phases = Object.entries(state.outputs ?? {});
  return {
    heading,
    context: state.context ?? {},
    outputs: Object.fromEntries(
      phases.flatMap(([phase, { text }]) => (text === undefined ? [] : [[phase, text]])),
    ),
    artefacts: Object.fromEntries(
      phases.flatMap(([phase, made]) =>
        made.artefacts === undefined ? [] : [[phase, made.artefacts]],
      ),
    ),
  };
}

/** The latest outputs; long ones are cut to an equal share. */
function latestOutputs(
  outputs: Record<string, string>,
  budget: number,
  where: string,
): (readonly [string, string])[] {
  const bare = (key: string): number => costOf([key, '']);
  const kept = latestWithin(Object.entries(outputs), budget, (entry) =>
    Math.min(costOf(entry), bare(entry[0]) + LEAST_SHARE),
  );
  const left = kept.reduce((rest, [key]) => rest - bare(key), budget);
  const share = fairShare(
    kept.map((entry) => costOf(entry) - bare(entry[0])),
    left,
  );
  return kept.map(([key, text]) => [key, cutTo(text, share, where)]);
}

function grouped(paths: readonly (readonly [string, string])[]): Record<string, string[]> {
  const steps = new Map<string, string[]>();
  for (const [step, path] of paths) steps.set(step, [...(steps.get(step) ?? []), path]);
  return Object.fromEntries(steps);
}

/** The length of an entry in the reply, where it is nested at the second level. */
function costOf([key, value]: readonly [string, unknown]): number {
  return safeJson({ o: Object.fromEntries([[key, value]]) }).length;
}
