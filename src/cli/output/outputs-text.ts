import { truncate, sanitizeLine } from '../../util/sanitize.ts';
import type { RunState, StoredRun } from '../../state/types.ts';
import type { Status } from '../../workflow/machine/status.ts';
import { stepView } from '../../workflow/run-view.ts';

const MAX_SHOWN = 8;
const MAX_TEXT = 300;

/** What earlier phases or steps handed on, the latest ones if there are many. */
export function outputLines({ state, runId }: StoredRun): string[] {
  const outputs = [...phaseOutputs(state), ...stepOutputs(state)];
  const hidden = outputs.length - MAX_SHOWN;
  const shown = outputs
    .slice(-MAX_SHOWN)
    .map(([name, text]) => `${sanitizeLine(name)}: ${truncate(sanitizeLine(text), MAX_TEXT)}`);
  return hidden > 0 ? [`… ${hidden} earlier: holdfast show ${runId}`, ...shown] : shown;
}

function phaseOutputs({ outputs, phases }: RunState): [name: string, text: string][] {
  return Object.entries(outputs ?? {}).flatMap(([key, { text }]) =>
    text === undefined ? [] : [[phaseNamed(phases, key), text]],
  );
}

function stepOutputs(state: RunState): [name: string, text: string][] {
  const view = stepView(state);
  return view?.kind === 'step' ? Object.entries(view.machine.outputs) : [];
}

/** The files of earlier phases or steps; those that do not exist are marked. */
export function fileLines(
  { outputs, phases }: RunState,
  step: Status | null,
  showFile: (path: string) => string,
): string[] {
  const byPhase = Object.entries(outputs ?? {}).map(([key, { artefacts }]): [string, string[]] => [
    phaseNamed(phases, key),
    artefacts ?? [],
  ]);
  const byStep = Object.entries(step?.artefacts ?? {}).filter(
    ([id]) => id !== step?.step || step.status === 'complete',
  );
  return [...byPhase, ...byStep]
    .filter(([, paths]) => paths.length > 0)
    .map(
      ([name, paths]) =>
        `${sanitizeLine(name)}: ${paths.map((path) => sanitizeLine(showFile(path))).join(', ')}`,
    );
}

function phaseNamed(phases: readonly string[] | undefined, key: string): string {
  return phases?.[Number(key) - 1] ?? `phase ${key}`;
}
