import { describe } from '../errors/describe.ts';
import { HoldfastError } from '../errors/holdfast-error.ts';
import { errorCode } from '../io/read-file.ts';
import { checkArtifacts } from './checks/artifacts.ts';
import { checkCommands } from './checks/commands.ts';
import { checkCoverage } from './checks/coverage.ts';
import { checkEvidence } from './checks/evidence.ts';
import { checkGit } from './checks/git.ts';
import { checkHeadless } from './checks/headless.ts';
import { checkLock } from './checks/lock.ts';
import { checkMcp } from './checks/mcp.ts';
import { checkModule } from './checks/module.ts';
import { checkRegistration } from './checks/registration.ts';
import { checkRuns } from './checks/runs.ts';
import { checkSettings } from './checks/settings.ts';
import { checkState } from './checks/state.ts';
import { checkStatusLine } from './checks/statusline.ts';
import { checkSync } from './checks/sync.ts';
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
  module: checkModule,
  mcp: checkMcp,
  statusline: checkStatusLine,
  versions: checkVersions,
  headless: checkHeadless,
  state: checkState,
  runs: checkRuns,
  templates: checkTemplates,
  artifacts: checkArtifacts,
  lock: checkLock,
  git: checkGit,
  sync: checkSync,
};

/** Runs every check; nothing is written without `fix`. */
export function diagnose(context: DoctorContext, { fix }: { fix: boolean }): Report {
  const findings = CHECKS.flatMap((name) => {
    const found = examine(name, context);
    return fix && found.some(({ fixable }) => fixable) ? applyFix(name, context, found) : found;
  });
  const count = (level: Level): number =>
    findings.filter((finding) => finding.level === level).length;
  return {
    root: context.root,
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

function examine(name: CheckName, context: DoctorContext): Finding[] {
  return catchAsFinding(name, () => checks[name].run(context));
}

/** What was fixed, and what the check finds afterwards. */
function applyFix(name: CheckName, context: DoctorContext, before: Finding[]): Finding[] {
  const { fix } = checks[name];
  if (fix === undefined) return before;
  const report = findingsFor(name);
  const fixed = catchAsFinding(name, () =>
    fix(context).map((done) => ({ ...report.ok(done), fixed: true })),
  );
  return [...fixed, ...examine(name, context)];
}

/** Refusals of the file system become findings; programming errors are thrown. */
function catchAsFinding(name: CheckName, look: () => Finding[]): Finding[] {
  const report = findingsFor(name);
  try {
    return look();
  } catch (error) {
    if (error instanceof HoldfastError) {
      const { message, hint } = describe(error.failure);
      return [report.broken(message, { fix: hint })];
    }
    if (!(error instanceof Error) || errorCode(error) === undefined) throw error;
    return [report.skipped(`check skipped: ${error.message}`)];
  }
}
