import { HoldfastError } from '../text/holdfast-error.ts';
import { errorCode } from '../files/read-file.ts';
import { checkLog, checkTraces } from './checks/evidence.ts';
import { checkInstalled, checkPrograms } from './checks/installation.ts';
import {
  checkHookReplies,
  checkMcp,
  checkRegistration,
} from './checks/registered-commands.ts';
import { checkHost } from './checks/other-host.ts';
import { checkLocks } from './checks/locks.ts';
import { checkModule } from './checks/module.ts';
import { checkSettings } from './checks/settings.ts';
import { checkSources, checkTemplates } from './checks/sources.ts';
import { checkGit, checkStateFiles } from './checks/state.ts';
import { checkSync } from './checks/sync.ts';
import { readFacts, type DoctorInput, type Facts } from './facts.ts';
import { broken, ok, skipped, type Finding, type Level } from './finding.ts';

type Check = (facts: Facts) => Finding[];

/** The checks by their name in `--json`, each with its title for people. */
export const CHECKS: Record<
  string,
  { title: string; parts: readonly Check[] }
> = {
  installation: {
    title: 'Installation',
    parts: [checkPrograms, checkInstalled],
  },
  host: { title: 'Hooks of the agent', parts: [checkHost] },
  settings: { title: 'Settings', parts: [checkSettings] },
  hooks: { title: 'Hooks', parts: [checkRegistration, checkHookReplies] },
  evidence: {
    title: 'Evidence that hooks fire',
    parts: [checkTraces, checkLog],
  },
  state: {
    title: 'State files',
    parts: [checkLocks, checkStateFiles, checkGit],
  },
  sources: { title: 'Runs and their sources', parts: [checkSources] },
  templates: { title: 'Templates', parts: [checkTemplates] },
  module: { title: 'Module and plugin', parts: [checkModule] },
  mcp: { title: 'MCP server', parts: [checkMcp] },
  sync: { title: 'Sync', parts: [checkSync] },
};

/** The checks that are about Claude Code alone. */
const OF_CLAUDE = new Set([
  'installation',
  'settings',
  'hooks',
  'module',
  'mcp',
]);

export interface ReportedFinding extends Omit<Finding, 'repair' | 'evidence'> {
  check: string;
  evidence?: string[];
  /** Whether `doctor --fix` repairs it. */
  fixable: boolean;
}

export interface Report {
  root: string;
  findings: ReportedFinding[];
  /** How many findings there are of each level. */
  summary: {
    ok: number;
    notes: number;
    warnings: number;
    broken: number;
    skipped: number;
    fixed: number;
  };
}

/** Runs every check; nothing is written without `fix`. */
export function diagnose(
  input: DoctorInput,
  { fix }: { fix: boolean },
): Report {
  const facts = readFacts(input);
  const findings: ReportedFinding[] = [];
  for (const [name, { parts }] of Object.entries(CHECKS)) {
    const isForHost =
      input.host === 'claude' ? name !== 'host' : !OF_CLAUDE.has(name);
    if (!isForHost) continue;
    for (const check of parts) {
      const found = fix ? findAndRepair(check, facts) : look(check, facts);
      findings.push(...found.map((finding) => reported(name, finding)));
    }
  }

  const count = (level: Level): number =>
    findings.filter((finding) => finding.level === level).length;
  return {
    root: facts.root,
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

const look = (check: Check, facts: Facts): Finding[] =>
  catchAsFinding(() => check(facts));

/** What was repaired, and what a second look still finds. */
function findAndRepair(check: Check, facts: Facts): Finding[] {
  const found = look(check, facts);
  const done: Finding[] = [];
  for (const { repair } of found) {
    if (repair === undefined) continue;
    done.push(...catchAsFinding(() => [{ ...ok(repair()), fixed: true }]));
  }
  return done.length === 0 ? found : [...done, ...look(check, facts)];
}

/** Refusals of the file system become findings; programming errors are thrown. */
function catchAsFinding(find: () => Finding[]): Finding[] {
  try {
    return find();
  } catch (error) {
    if (error instanceof HoldfastError)
      return [broken(error.message, error.hint)];
    const isFromSystem =
      error instanceof Error && errorCode(error) !== undefined;
    if (!isFromSystem) throw error;
    return [skipped(`check skipped: ${error.message}`)];
  }
}

const MAX_EVIDENCE_LINES = 12;

function reported(check: string, finding: Finding): ReportedFinding {
  const { repair, evidence, ...described } = finding;
  const fixable = repair !== undefined;
  if (evidence.length === 0) return { check, ...described, fixable };

  const lines = evidence.slice(0, MAX_EVIDENCE_LINES);
  const left = evidence.length - lines.length;
  if (left > 0) lines.push(`… and ${left} more`);
  return { check, ...described, evidence: lines, fixable };
}
