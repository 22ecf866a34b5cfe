import { schemaErrors, valueProblem } from '../settings/schema-error.ts';
import type { RunState } from '../state/types.ts';
import { lineFinder } from './parse-yaml.ts';
import { draftRun } from '../state/run.ts';
import { archivedRunIdOf, isUsableRunId, runIdOf } from '../state/paths.ts';
import { isNewerFormat } from '../state/store/state-format.ts';
import { isObject, ownMember } from '../text/json.ts';
import type { Problem } from '../text/problem.ts';
import { jsonProblem } from '../text/strict-json.ts';
import validate from '../state/state-validator.generated.js';
import { quoted } from '../text/sanitize.ts';

const RUN_ID_RULE =
  'must consist of letters, digits, ".", "_" and "-", at most 128 of them, without ".." and without a "-" at the start';

/** `runId` is the id that names the run of this file; null if the file is not in the state folder. */
export function checkStateFile(
  text: string,
  { runId, fileName }: { runId: string | null; fileName: string } = {
    runId: null,
    fileName: '',
  },
): Problem[] {
  const syntax = jsonProblem(text);
  if (syntax !== undefined) return [syntax];
  const json: unknown = JSON.parse(text);
  const lineOf = lineFinder(text);
  const at = (path: string[], message: string): Problem => ({
    line: lineOf(path),
    message,
  });
  const newer =
    'a newer version of holdfast wrote this file; update holdfast to change it';
  if (isObject(json) && isNewerFormat(json))
    return [at(['schema_version'], newer)];
  const problems = schemaErrors(validate, json).map((error) =>
    valueProblem(error, lineOf),
  );
  if (isRunState(json)) {
    const { current, total } = json.phase;
    if (current > total)
      problems.push(
        at(
          ['phase', 'current'],
          `"phase.current" is ${current}, but there are only ${total}`,
        ),
      );
    // The machine state has to fit the template stored with it.
    const run = draftRun(json);
    if (run.kind === 'broken') {
      const { field, expected } = run.error;
      problems.push(
        at(field.split(/[.[\]]+/), `${quoted(field)} must be ${expected}`),
      );
    }
  }
  // Readers ignore an id that does not count, but its author should know.
  const id = ownMember(json, 'run_id');
  const isOwn = [runId, runIdOf(fileName), archivedRunIdOf(fileName)].some(
    (own) => own === id,
  );
  if (typeof id === 'string' && id.trim() !== '' && !isOwn) {
    const counts = `the file's name counts${runId === null ? '' : `: ${runId}`}`;
    if (!isUsableRunId(id))
      problems.push(at(['run_id'], `"run_id" ${RUN_ID_RULE}; ${counts}`));
    else if (runId !== null)
      problems.push(
        at(
          ['run_id'],
          `"run_id" is not unique: another run has it, so ${counts}`,
        ),
      );
  }
  return problems.toSorted((a, b) => a.line - b.line);
}

const isRunState = (json: unknown): json is RunState => validate(json);
