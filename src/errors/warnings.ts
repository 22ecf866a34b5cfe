import { shortId } from '../util/sanitize.ts';
import { shellQuote } from '../util/shell-quote.ts';
import { unreachable } from '../util/unreachable.ts';
import type { ConditionError } from '../util/conditions.ts';
import { describeConditionError } from './conditions.ts';
import { describe } from './describe.ts';
import type { Failure } from './holdfast-error.ts';
import {
  describeSettingsFile,
  describeSettingsProblems,
  type SettingsProblem,
  type SettingsWarning,
} from './settings.ts';
import { describeSourceProblem, type SourceProblem } from './sources.ts';
import {
  describeSetAside,
  describeUnreadable,
  type SetAsideFile,
  type UnreadableFile,
} from './state-files.ts';
import { describeTrustProblem, type TrustProblem } from './templates.ts';

/** What the user should know about a call that is not refused, as data. */
export type Warning =
  | SettingsWarning
  | { code: 'artifact_problems'; problems: readonly SettingsProblem[] }
  | { code: 'artifact_condition'; artifact: string; condition: string; why: ConditionError }
  | { code: 'source_problem'; problem: SourceProblem }
  | { code: 'trust_problem'; problem: TrustProblem }
  | ({ code: 'unreadable_state' } & UnreadableFile)
  | ({ code: 'set_aside' } & SetAsideFile)
  | { code: 'not_recorded'; failure: Failure }
  | { code: 'run_released' | 'duplicate_run'; run: string }
  | { code: 'holder_told'; run: string; session: string }
  | { code: 'declared_run_stored'; run: string; workflow: string; source: string | null }
  | { code: 'untrusted_template'; template: string; name: string };

/** One sentence for each thing to know. */
function describeWarning(warning: Warning): string[] {
  switch (warning.code) {
    case 'settings_problems':
      return describeSettingsFile(warning.file, warning.problems);
    case 'artifact_problems':
      return describeSettingsProblems(warning.problems);
    case 'artifact_condition':
      return [
        `artifact ${warning.artifact} is not loaded: its condition ${warning.condition} cannot be read: ${describeConditionError(warning.why)}`,
      ];
    case 'source_problem':
      return [describeSourceProblem(warning.problem)];
    case 'trust_problem':
      return [describeTrustProblem(warning.problem)];
    case 'unreadable_state':
      return [describeUnreadable(warning)];
    case 'set_aside':
      return [describeSetAside(warning)];
    case 'not_recorded':
      return [describe(warning.failure).message];
    case 'run_released':
      return [`released ${warning.run}`];
    case 'holder_told':
      return [
        `session ${shortId(warning.session)} holds ${warning.run}; it is told of this change at its next prompt`,
      ];
    case 'duplicate_run':
      return [`another run of this workflow is also active: ${warning.run}`];
    case 'declared_run_stored':
      return [
        `stored "${warning.workflow}" as ${warning.run}; it was only declared in ${warning.source ?? 'a file'}`,
      ];
    case 'untrusted_template':
      return [
        `"${warning.template}" runs commands; before the first of them the user has to trust it: holdfast trust ${shellQuote(warning.name)}`,
      ];
    default:
      return unreachable(warning);
  }
}

/** A secret stops every `sync` until the user has changed its field. */
/** Prints every sentence of the warnings that it is given. */
export function warnWith(print: (sentence: string) => void): (warning: Warning) => void {
  return (warning) => {
    for (const sentence of describeWarning(warning)) print(sentence);
  };
}
