import { unreachable } from '../util/unreachable.ts';
import type { Refusal } from './refusal.ts';

/** Why the content of a state file is not a run. */
export type StateDefect = 'not_an_object' | 'workflow_not_a_name' | 'phase_unreadable';

/** Why a state file was not read. */
export type UnreadableState =
  | { kind: 'absent' | 'too_complex' }
  | { kind: 'refused'; why: Refusal }
  | { kind: 'not_json'; parser: string }
  | { kind: 'not_a_run'; defect: StateDefect };

/** A state file that is not a usable run. */
export interface UnreadableFile {
  path: string;
  why: UnreadableState;
}

export function describeUnreadable({ path, why }: UnreadableFile): string {
  return `${path} cannot be read: ${describeUnreadableState(why)}`;
}

/** A run that is missing may be in a file that could not be read. */
export function unreadableHint([first, ...more]: readonly UnreadableFile[]): string[] {
  if (first === undefined) return [];
  const others = more.length === 0 ? '' : `, and ${more.length} more cannot be read`;
  return [
    `${describeUnreadable(first)}${others}; \`holdfast doctor\` says how to repair ${others === '' ? 'it' : 'them'}`,
  ];
}

/** A file that a writer had to move aside. */
export interface SetAsideFile extends UnreadableFile {
  movedTo: string;
}

export function describeSetAside({ path, why, movedTo }: SetAsideFile): string {
  return `${path} could not be read (${describeUnreadableState(why)}) and was moved aside as ${movedTo}`;
}

export function describeUnreadableState(why: UnreadableState): string {
  switch (why.kind) {
    case 'absent':
      return 'file no longer exists';
    case 'too_complex':
      return 'too large or too deeply nested';
    case 'refused':
      return why.why;
    case 'not_json':
      return why.parser;
    case 'not_a_run':
      return describeStateDefect(why.defect);
    default:
      return unreachable(why);
  }
}

export function describeStateDefect(defect: StateDefect): string {
  return STATE_DEFECTS[defect];
}

const STATE_DEFECTS: Record<StateDefect, string> = {
  not_an_object: 'it is not a JSON object',
  workflow_not_a_name: '"workflow" is not a name',
  phase_unreadable: '"phase" is neither an object nor text such as "2/5 - Build"',
};
