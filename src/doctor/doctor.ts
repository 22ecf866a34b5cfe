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

/** Runs every check; nothing is written without `fix`. */
export function diagnose(input: DoctorInput, { fix }: { fix: boolean }) {
  const facts = readFacts(input);
  const isMeant = (name: string): boolean =>
    input.host === 'claude' ? name !== 'host' : !OF_CLAUDE.has(name);
  const checks = Object.entries(CHECKS).filter(([name]) => isMeant(name));
  const findings = checks.flatMap(([name, { parts }]) =>
    parts.flatMap((part) => {
      const found = catchAsFinding(() => part(facts));
      const repairs = fix ? found.flatMap(({ repair }) => repair ?? []) : [];
      const done = repairs.flatMap((repair) =>
        catchAsFinding(() => [{ ...ok(repair()), fixed: true }]),
      );
      const left =
        repairs.length === 0 ? found : catchAsFinding(() => part(facts));
      return [...done, ...left].map((finding) => reported(name, finding));
    }),
  );
  const count = (level: Level): number =>
    findings.filter((each) => each.level === level).length;
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

/** Refusals of the file system become findings; programming errors are thrown. */
function catchAsFinding(look: () => Finding[]): Finding[] {
  try {
    return look();
  } catch (error) {
    if (error instanceof HoldfastError)
      return [broken(error.message, error.hint)];
    if (!(error instanceof Error) || errorCode(error) === undefined)
      throw error;
    return [skipped(`check skipped: ${error.message}`)];
  }
}

const MAX_EVIDENCE = 12;

function reported(
  check: string,
  { repair, evidence, ...finding }: Finding,
): ReportedFinding {
  const left = evidence.length - MAX_EVIDENCE;
  const lines = [
    ...evidence.slice(0, MAX_EVIDENCE),
    ...(left > 0 ? [`… and ${left} more`] : []),
  ];
  return {
    check,
    ...finding,
    ...(lines.length === 0 ? {} : { evidence: lines }),
    fixable: repair !== undefined,
  };
}
