import { HoldfastError } from '../errors.ts';
import { codeOf } from '../io/read-file.ts';
import { checkArtifacts } from './check-artifacts.ts';
import { checkCommands } from './check-commands.ts';
import { checkCoverage } from './check-coverage.ts';
import { checkEvidence } from './check-evidence.ts';
import { checkGit } from './check-git.ts';
import { checkLock } from './check-lock.ts';
import { checkMcp } from './check-mcp.ts';
import { checkRegistration } from './check-registration.ts';
import { checkRuns } from './check-runs.ts';
import { checkSettings } from './check-settings.ts';
import { checkState } from './check-state.ts';
import { checkTemplates } from './check-templates.ts';
import { checkVersions } from './check-versions.ts';
import { findingsOf } from './findings.ts';
import {
  CHECKS,
  type Check,
  type CheckName,
  type Examined,
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
export function diagnose(examined: Examined, { fix }: { fix: boolean }): Report {
  const findings = CHECKS.flatMap((name) => {
    const found = examine(name, examined);
    return fix && found.some(({ fixable }) => fixable) ? mended(name, examined, found) : found;
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

function examine(name: CheckName, examined: Examined): Finding[] {
  return inFindings(name, () => checks[name].examine(examined));
}

/** What was mended, and what a second look finds then. */
function mended(name: CheckName, examined: Examined, before: Finding[]): Finding[] {
  const { mend } = checks[name];
  if (mend === undefined) return before;
  const say = findingsOf(name);
  const done = inFindings(name, () =>
    mend(examined).map((deed) => ({ ...say.ok(deed), fixed: true })),
  );
  return [...done, ...examine(name, examined)];
}

/** What cannot be looked at, or is refused, is a finding as well; a fault of our own is none. */
function inFindings(name: CheckName, look: () => Finding[]): Finding[] {
  const say = findingsOf(name);
  try {
    return look();
  } catch (error) {
    if (error instanceof HoldfastError) return [say.broken(error.message, { fix: error.hint })];
    if (!(error instanceof Error) || codeOf(error) === undefined) throw error;
    return [say.skipped(`it could not be looked at: ${error.message}`)];
  }
}
