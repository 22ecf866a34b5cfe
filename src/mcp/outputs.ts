import { shortened } from '../guidance/plain.ts';
import type { StoredRun } from '../state/types.ts';
import { allArtefacts } from '../workflow/artefacts.ts';
import { viewOf } from '../workflow/run-view.ts';

/** The host cuts off what is much longer, and would not say what is missing. */
const MAX_CHARS = 50_000;

/** What the finished steps or phases of a run handed on. */
export function contextOf({ runId, state }: StoredRun): object {
  const view = viewOf(state);
  const heading = { run: runId, workflow: state.workflow };
  if (view !== null) {
    const { machine } = view;
    return {
      ...heading,
      ...(machine.summary === undefined ? {} : { summary: machine.summary }),
      outputs: withinLimit(machine.outputs, runId),
      artefacts: allArtefacts(machine),
    };
  }
  const phases = Object.entries(state.outputs ?? {});
  const outputs = phases.flatMap(([phase, { text }]) =>
    text === undefined ? [] : [[phase, text]],
  );
  const artefacts = phases.flatMap(([phase, made]) =>
    made.artefacts === undefined ? [] : [[phase, made.artefacts]],
  );
  return {
    ...heading,
    context: state.context ?? {},
    outputs: withinLimit(Object.fromEntries(outputs), runId),
    artefacts: Object.fromEntries(artefacts),
  };
}

/** Where all of them are too long together, the long ones are cut so that each keeps its share. */
function withinLimit(outputs: Record<string, string>, runId: string): Record<string, string> {
  const share = fairShare(Object.values(outputs).map(({ length }) => length));
  return Object.fromEntries(
    Object.entries(outputs).map(([key, text]) => [
      key,
      text.length <= share
        ? text
        : `${shortened(text, share)} (${text.length - share} more characters: \`holdfast show ${runId} --json\`)`,
    ]),
  );
}

/** The length up to which every text may go, so that all of them fit. */
export function fairShare(lengths: readonly number[], max = MAX_CHARS): number {
  let left = max;
  const ascending = lengths.toSorted((a, b) => a - b);
  for (const [index, length] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (length > share) return share;
    left -= length;
  }
  return max;
}
