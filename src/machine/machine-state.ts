import { evaluate } from '../text/conditions.ts';
import type {
  ContextAction,
  Step,
  Template,
} from './template-types.generated.ts';
import type { MachineState, Task } from './machine-types.generated.ts';

export type InputValue = NonNullable<MachineState['inputs']>[string];
export type { Answer, MachineState, Task } from './machine-types.generated.ts';

export type ContextCommand = `/${ContextAction}`;

/** How often a step is tried again if its template does not say. */
export const DEFAULT_RETRIES = 3;

export const TASK_STATUSES: Task['status'][] = [
  'pending',
  'in_progress',
  'done',
  'failed',
];

/** The run around a machine, as its state file has it: what `when` conditions and sentences need besides the machine. */
export type RunFacts = Readonly<Record<string, unknown>>;

/** What the moves of a machine depend on besides its state. */
export type MachineContext = { template: Template; facts: RunFacts };

/** Names the run in a command that may be typed where no run, or another one, is meant; empty for a machine without one. */
export const runArgument = ({ run_id: id }: RunFacts, option = ''): string =>
  typeof id === 'string' ? ` ${option}${id}` : '';

/** Whether the step's condition is false. A condition that cannot be read counts as false. */
export function isPassedBy(
  { when }: Step,
  state: MachineState,
  facts: RunFacts,
): boolean {
  if (when === undefined) return false;
  const { inputs = {}, outputs } = state;
  const result = evaluate(when, { inputs, outputs, ...facts, machine: state });
  return result.kind === 'bad' || !result.value;
}

const WHITE = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;
const CONTROL =
  /[\u0000-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;
// Half of a character, which a JSON escape can make.
const LONE =
  /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** What a run is about, in one line, kept whole; undefined if nothing is left of it. */
export function cleanSummary(text = ''): string | undefined {
  const line = text
    .replace(WHITE, ' ')
    .replace(CONTROL, '')
    .replace(LONE, '')
    .trim();
  return line === '' ? undefined : line;
}
