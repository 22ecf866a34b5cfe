import { strictJsonProblem } from '../util/strict-json.ts';
import type { Problem } from './problems.ts';

/** The first problem of a text that is not JSON. */
export function jsonProblem(text: string): Problem | undefined {
  const problem = strictJsonProblem(text);
  return problem === null
    ? undefined
    : {
        line: problem.line,
        defect: { kind: 'text', text: { kind: 'not_json', syntax: problem.why } },
      };
}
