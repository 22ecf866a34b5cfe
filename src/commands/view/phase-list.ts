import type { RunState } from '../../state/types.ts';
import type { Colors } from '../../text/colors.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { phaseStates, stepView, type PhaseState } from '../../templates/run-view.ts';
import { foldAround } from './layout.ts';
import { widthOf } from './table.ts';

type ShownState = PhaseState | 'stopped';

interface ListedPhase {
  n: number;
  name: string;
  state: ShownState;
}

const MARKS: Record<ShownState, string> = {
  done: '✓',
  current: '▸',
  stopped: '▸',
  open: '·',
  skipped: '↷',
  passed: '–',
};

/** The phases of a run: in one line if they fit there, else below each other, folded around the current one. */
export interface PhaseList {
  inline: string;
  lines: string[];
}

export function phaseList(state: RunState, colors: Colors, columns: number): PhaseList {
  const phases = listedPhases(state);
  const label = ({ name, state: phase }: ListedPhase): string =>
    paint(
      phase,
      colors,
    )(`${MARKS[phase]} ${sanitizeLine(name)}${phase === 'skipped' ? ' (skipped)' : ''}`);
  const width = phases.reduce((sum, { name }) => sum + widthOf(sanitizeLine(name)) + 4, 9);
  const skipped = phases.filter((phase) => phase.state === 'skipped').length;
  if (width + skipped * 10 <= columns) return { inline: phases.map(label).join('  '), lines: [] };
  const digits = String(phases.length).length;
  const lines = foldAround(phases, {
    current: state.phase.current - 1,
    line: (phase) => {
      const number = String(phase.n).padStart(digits);
      const [mark = '', ...words] = label(phase).split(' ');
      return `${mark} ${number} ${words.join(' ')}`;
    },
    hidden: hiddenText,
  });
  return { inline: '', lines };
}

function listedPhases(state: RunState): ListedPhase[] {
  const { phase, status } = state;
  const phases = namesOf(state);
  if (phases.length < 2) return [];
  const stateOf = phaseStates(state);
  const isStopped = phase.status === 'blocked' || status === 'failed' || status === 'cancelled';
  const shownState = (n: number): ShownState => {
    const known = stateOf(n);
    return known === 'current' && isStopped ? 'stopped' : known;
  };
  return phases.map((name, index) => ({ n: index + 1, name, state: shownState(index + 1) }));
}

/** Several steps of a template may be one phase; then the steps have better names. */
function namesOf(state: RunState): readonly string[] {
  const { phases = [] } = state;
  if (new Set(phases).size === phases.length) return phases;
  const view = stepView(state);
  return view?.kind === 'step' ? view.template.steps.map(({ id }) => id) : phases;
}

const HIDDEN_WORDS: readonly (readonly [ShownState, string])[] = [
  ['done', 'done'],
  ['skipped', 'skipped'],
  ['passed', 'passed by'],
];

/** `12 earlier: 11 done, 1 skipped` or `8 more`. */
function hiddenText(hidden: readonly ListedPhase[], side: 'before' | 'after'): string {
  const count = (state: ShownState): number =>
    hidden.filter((phase) => phase.state === state).length;
  const parts = HIDDEN_WORDS.filter(([state]) => count(state) > 0).map(
    ([state, word]) => `${count(state)} ${word}`,
  );
  if (side === 'before') return `${hidden.length} earlier: ${parts.join(', ')}`;
  return [`${hidden.length} more`, ...parts].join(', ');
}

function paint(state: ShownState, colors: Colors): (text: string) => string {
  switch (state) {
    case 'done':
      return colors.green;
    case 'current':
      return colors.bold;
    case 'stopped':
      return colors.red;
    case 'skipped':
      return colors.yellow;
    default:
      return colors.dim;
  }
}
