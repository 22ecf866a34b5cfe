import { describe } from '../errors/describe.ts';
import { HoldfastError } from '../errors/holdfast-error.ts';
import { errorCode } from '../io/read-file.ts';
import { checkArtifacts } from './checks/artifacts.ts';
import { checkCommands } from './checks/commands.ts';
import { checkCoverage } from './checks/coverage.ts';
import { checkEvidence } from './checks/evidence.ts';
import { checkGit } from './checks/git.ts';
import { checkLock } from './checks/lock.ts';
import { checkMcp } from './checks/mcp.ts';
import { checkRegistration } from './checks/registration.ts';
import { checkRuns } from './checks/runs.ts';
import { checkSettings } from './checks/settings.ts';
import { checkState } from './checks/state.ts';
import { checkTemplates } from './checks/templates.ts';
import { checkVersions } from './checks/versions.ts';
import { findingsFor } from './findings.ts';
import {
  CHECKS,
  type Check,
  type CheckName,
  type DoctorContext,
  type Finding,
  type Level,
  type Report,
} from './types.ts';

const checks: Record<CheckName, Check> = {
  settings: checkSettings,
  registration: checkRegistration,
  commands: checkCommands,
  evidence: checkEvidence,
  coverage: checkCoverage,
  mcp: checkMcp,
  versions: checkVersions,
  state: checkState,
  runs: checkRuns,
  templates: checkTemplates,
  artifacts: checkArtifacts,
  lock: checkLock,
  git: checkGit,
};

/** Every check, with what it found; nothing is written unless `fix` is given. */
export function diagnose(examined: DoctorContext, { fix }: { fix: boolean }): Report {
  const findings = CHECKS.flatMap((name) => {
    const found = examine(name, examined);
    return fix && found.some(({ fixable }) => fixable) ? applyFix(name, examined, found) : found;
  });
  const count = (level: Level): number =>
    findings.filter((finding) => finding.level === level).length;
  return {
    root: examined.root,
    findings,
    summary: {
      ok: count('ok'),
      notes: count('note'),
      warnings: count('warning'),
      broken: count('broken'),
      skipped: count('skipped'),
      fixed: findings.filter(({ fixed }) => fixed === true).length,
    },
  };
}

function examine(name: CheckName, examined: DoctorContext): Finding[] {
  return catchAsFinding(name, () => checks[name].run(examined));
}

/** What was mended, and what a second look finds then. */
function applyFix(name: CheckName, examined: DoctorContext, before: Finding[]): Finding[] {
  const { fix: mend } = checks[name];
  if (mend === undefined) return before;
  const say = findingsFor(name);
  const done = catchAsFinding(name, () =>
    mend(examined).map((deed) => ({ ...say.ok(deed), fixed: true })),
  );
  return [...done, ...examine(name, examined)];
}

/** What cannot be looked at, or is refused, is a finding as well; a fault of our own is none. */
function catchAsFinding(name: CheckName, look: () => Finding[]): Finding[] {
  const say = findingsFor(name);
  try {
    return look();
  } catch (error) {
    if (error instanceof HoldfastError) {
      const { message, hint } = describe(error.failure);
      return [say.broken(message, { fix: hint })];
    }
    if (!(error instanceof Error) || errorCode(error) === undefined) throw error;
    return [say.skipped(`check skipped: ${error.message}`)];
  }
}
