import { describeSettingsProblems } from '../../errors/settings.ts';
import { describeConditionError } from '../../errors/conditions.ts';
import { declaredArtifacts } from '../../artifacts/declared.ts';
import { decide } from '../../artifacts/decide.ts';
import { loadArtifact } from '../../artifacts/load.ts';
import { isAbsent, lineFor, type LoadedArtifact } from '../../artifacts/print.ts';
import { manual } from '../../artifacts/triggers.ts';
import { pluralize } from '../../util/relative-time.ts';
import { isActive } from '../../sessions/select-run.ts';
import type { StoredRun } from '../../state/types.ts';
import { findingsFor } from '../findings.ts';
import type { Check, DoctorContext, Finding } from '../types.ts';

const report = findingsFor('artifacts');

/** Whether the critical artifacts of active runs are declared correctly and exist. */
export const checkArtifacts: Check = {
  run: (context) => {
    const looked = context.store
      .list()
      .runs.filter(isActive)
      .map((run) => lookAt(context, run));
    const loaded = looked.flatMap((run) => run.loaded);
    const fine = loaded.filter((one) => !isAbsent(one)).length;
    return [
      ...(loaded.length === 0 ? [report.ok('no active run declares critical artifacts')] : []),
      ...(fine === 0 ? [] : [report.ok(`${pluralize(fine, 'critical artifact')} can be loaded`)]),
      ...looked.flatMap((run) => run.findings),
    ];
  },
};

function lookAt(
  { root, now, settings: { settings } }: DoctorContext,
  { runId, path, state }: StoredRun,
): { loaded: LoadedArtifact[]; findings: Finding[] } {
  const { artifacts, problems } = declaredArtifacts(state, settings);
  const decisions = decide(artifacts, manual, state, { now, force: true, inContext: [] });
  const loaded = decisions.flatMap((decision) =>
    decision.verdict === 'skip'
      ? []
      : [
          {
            artifact: decision.artifact,
            trigger: decision.trigger,
            loaded: loadArtifact(decision.artifact, state, { root, runId, path }),
          },
        ],
  );
  const bad = decisions.flatMap((decision) =>
    decision.verdict === 'skip' && decision.skip.kind === 'condition bad'
      ? [
          `the condition of ${decision.artifact.id} cannot be read: ${describeConditionError(decision.skip.why)}`,
        ]
      : [],
  );
  const absent = loaded.filter(isAbsent);
  const isNeeded = absent.some(({ artifact }) => artifact.required === true);
  return {
    loaded,
    findings: [
      ...(problems.length + bad.length === 0
        ? []
        : [
            report.warning(`${runId} declares artifacts with errors`, {
              evidence: [...describeSettingsProblems(problems), ...bad],
              fix: 'correct the declaration in the template, in .claude/holdfast.json or in the state file',
            }),
          ]),
      ...(absent.length === 0
        ? []
        : [
            report[isNeeded ? 'warning' : 'note'](`${runId} lacks critical artifacts`, {
              evidence: absent.map(lineFor),
              fix: 'create the files or correct their paths; `holdfast prime --dry-run` lists them all',
            }),
          ]),
    ],
  };
}
